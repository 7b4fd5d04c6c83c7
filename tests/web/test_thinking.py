"""The threads: what goes first, what is stopped, and what becomes of errors."""

import asyncio
import threading
import time

import pytest

from kibitz.search.budget import spend
from kibitz.web.thinking import Pool


def test_the_result_comes_from_another_thread():
    async def main():
        return await Pool(2).run(threading.get_ident)

    assert asyncio.run(main()) != threading.get_ident()


def test_an_error_is_told_to_whoever_asked():
    async def main():
        await Pool(2).run(lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())


def test_an_iteration_that_ends_too_early_is_an_error_like_others():
    async def main():
        await Pool(2).run(lambda: next(iter(())))

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(main())


def test_analyses_leave_a_thread_for_moves():
    gate = threading.Event()

    async def main():
        pool = Pool(2)
        analyses = [pool.start(gate.wait, urgent=False) for _ in range(4)]
        assert await pool.run(lambda: "a move") == "a move"
        assert not any(analysis.result.done() for analysis in analyses)
        gate.set()
        for analysis in analyses:
            assert await analysis.result

    asyncio.run(main())


def test_a_search_that_nobody_waits_for_ends_after_its_slice():
    slices = []

    async def main():
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def run(count):
            slices.append(count)
            time.sleep(count / 100_000)
            loop.call_soon_threadsafe(begun.set)
            return count

        thought = Pool(2).start(lambda: spend(run, ms=600_000))
        await begun.wait()
        thought.stop()
        await thought.ended()

    asyncio.run(main())
    assert slices


def test_what_was_stopped_before_it_began_is_not_done():
    gate, done = threading.Event(), []

    async def main():
        pool = Pool(2)
        busy = [pool.start(gate.wait) for _ in range(2)]
        waiting = pool.start(lambda: done.append(1))
        waiting.stop()
        gate.set()
        for thought in (*busy, waiting):
            await thought.ended()

    asyncio.run(main())
    assert done == []


def test_a_cancelled_wait_stops_the_search():
    async def main():
        pool, ended = Pool(2), threading.Event()

        def search():
            spend(lambda count: time.sleep(count / 100_000) or count, ms=600_000)
            ended.set()

        task = asyncio.create_task(pool.run(search))
        await asyncio.sleep(0.05)
        task.cancel()
        return await asyncio.to_thread(ended.wait, 30)

    assert asyncio.run(main())
