"""The threads: which work comes first, what is stopped, and what becomes of errors."""

import asyncio
import threading
import time

import pytest
from visitors import PATIENCE

from kibitz.players.limit import Clock, Limit, spend
from kibitz.web.thinking_pool import ThinkingPool


def run(main):
    """Run a test that fails, rather than waits forever."""

    async def limited():
        async with asyncio.timeout(PATIENCE):
            return await main()

    return asyncio.run(limited())


class Search:
    """A search of ten minutes, in slices that go on only while the test lets them."""

    def __init__(self):
        self.begun, self.go_on, self.slices = threading.Event(), threading.Event(), 0

    def __call__(self, stop):
        return spend(self.slice, None, Clock(Limit(seconds=600, stop=stop)))

    def slice(self, count):
        self.slices += 1
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        time.sleep(0.001)
        return count


def test_the_result_comes_from_another_thread():
    async def main():
        return await ThinkingPool(2).run(lambda stop: threading.get_ident())

    assert run(main) != threading.get_ident()


def test_an_error_is_raised_where_the_result_is_awaited():
    async def main():
        await ThinkingPool(2).run(lambda stop: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        run(main)


def test_an_iteration_that_ends_too_early_is_an_error_like_others():
    async def main():
        await ThinkingPool(2).run(lambda stop: next(iter(())))

    with pytest.raises(RuntimeError, match="StopIteration"):
        run(main)


def test_analyses_leave_a_thread_for_moves():
    gate = threading.Event()

    async def main():
        pool = ThinkingPool(2)
        analyses = [pool.start(lambda stop: gate.wait(PATIENCE), urgent=False) for _ in range(4)]
        for _ in range(20):  # after each move, a thread could take an analysis
            assert await pool.run(lambda stop: "a move") == "a move"
        assert not any(analysis.result.done() for analysis in analyses)
        gate.set()
        for analysis in analyses:
            assert await analysis.result

    run(main)


def test_moves_come_before_analyses():
    gates, order = [threading.Event(), threading.Event()], []

    async def main():
        pool = ThinkingPool(2)
        busy = [pool.start(lambda stop, gate=gate: gate.wait(PATIENCE)) for gate in gates]
        analysis = pool.start(lambda stop: order.append("analysis"), urgent=False)
        move = pool.start(lambda stop: order.append("move"))
        gates[0].set()  # one thread is enough for what waits
        for job in (busy[0], analysis, move):
            await job.ended()
        gates[1].set()
        await busy[1].ended()

    run(main)
    assert order == ["move", "analysis"]


def test_a_search_that_nobody_waits_for_ends_after_its_slice():
    search = Search()

    async def main():
        job = ThinkingPool(2).start(search)
        await asyncio.to_thread(search.begun.wait, PATIENCE)
        assert not job.result.done()
        job.stop()
        search.go_on.set()
        await job.ended()

    run(main)
    assert search.slices == 1


def test_a_search_that_is_not_stopped_goes_on():
    search = Search()

    async def main():
        job = ThinkingPool(2).start(search)
        search.go_on.set()
        while search.slices < 3:
            await asyncio.sleep(0.001)
        assert not job.result.done()
        job.stop()
        await job.ended()

    run(main)


def test_what_was_stopped_before_it_began_is_not_done():
    gate, done = threading.Event(), []

    async def main():
        pool = ThinkingPool(2)
        busy = [pool.start(lambda stop: gate.wait(PATIENCE)) for _ in range(2)]
        waiting = pool.start(lambda stop: done.append(1))
        waiting.stop()
        gate.set()
        for job in (*busy, waiting):
            await job.ended()

    run(main)
    assert done == []


def test_a_cancelled_wait_stops_the_search():
    search = Search()

    async def main():
        ended = threading.Event()

        def work(stop):
            search(stop)
            if stop.is_set():
                ended.set()

        task = asyncio.create_task(ThinkingPool(2).run(work))
        await asyncio.to_thread(search.begun.wait, PATIENCE)
        assert not ended.is_set()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        search.go_on.set()
        return await asyncio.to_thread(ended.wait, PATIENCE)

    assert run(main)
    assert search.slices == 1
