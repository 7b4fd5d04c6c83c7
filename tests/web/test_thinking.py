"""The threads: which work comes first, what is stopped, and what becomes of errors."""

import asyncio
import os
import threading
import time
import weakref
from dataclasses import replace

import pytest
from visitors import PATIENCE, UNLIMITED, serving

import kibitz
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.roster import resolve
from kibitz.rules.registry import find_game
from kibitz.web.bot_memory import BotMemory, array_bytes
from kibitz.web.judges import Judges
from kibitz.web.lanes import Lane, ThoughtTimes
from kibitz.web.limits import ThinkingLimits
from kibitz.web.thinking_pool import ThinkingPool

TWO = ThinkingLimits(quick=2, slow=2, per_client=2, analyses=1)


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
        return await ThinkingPool(TWO).run(lambda stop: threading.get_ident())

    assert run(main) != threading.get_ident()


@pytest.mark.skipif(not hasattr(os, "setpriority"), reason="this system has no priorities for threads")
def test_only_what_takes_long_has_a_low_priority():
    def priority(stop):
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async def main():
        pool = ThinkingPool(replace(TWO, niceness=19))
        return await pool.run(priority, Lane.QUICK), await pool.run(priority, Lane.SLOW)

    assert run(main) == (os.nice(0), 19)


def test_an_error_is_raised_where_the_result_is_awaited():
    async def main():
        await ThinkingPool(TWO).run(lambda stop: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        run(main)


def test_an_iteration_that_ends_too_early_is_an_error_like_others():
    async def main():
        await ThinkingPool(TWO).run(lambda stop: next(iter(())))

    with pytest.raises(RuntimeError, match="StopIteration"):
        run(main)


def test_work_that_is_stopped_before_it_begins_is_forgotten_at_once():
    async def main():
        pool, busy, tree = ThinkingPool(ThinkingLimits(quick=1, slow=1)), Search(), Search()
        first, second, held = pool.start(busy), pool.start(tree), weakref.ref(tree)
        del tree
        assert busy.begun.wait(PATIENCE)
        pool.stop(second)
        await second.ended()
        assert held() is None and pool.waiting() == 0
        pool.stop(first)
        busy.go_on.set()
        await first.ended()

    run(main)


def test_analyses_leave_a_thread_for_moves():
    gate = threading.Event()

    async def main():
        pool = ThinkingPool(TWO)
        analyses = [pool.start(lambda stop: gate.wait(PATIENCE), Lane.ANALYSIS) for _ in range(4)]
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
        pool = ThinkingPool(TWO)
        busy = [pool.start(lambda stop, gate=gate: gate.wait(PATIENCE)) for gate in gates]
        analysis = pool.start(lambda stop: order.append("analysis"), Lane.ANALYSIS)
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
        job = ThinkingPool(TWO).start(search)
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
        job = ThinkingPool(TWO).start(search)
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
        pool = ThinkingPool(TWO)
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

        task = asyncio.create_task(ThinkingPool(TWO).run(work))
        await asyncio.to_thread(search.begun.wait, PATIENCE)
        assert not ended.is_set()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        search.go_on.set()
        return await asyncio.to_thread(ended.wait, PATIENCE)

    assert run(main)
    assert search.slices == 1


# ------------------------------------------------------------------ whose turn it is

ONE = ThinkingLimits(quick=1, slow=1, per_client=1, analyses=1)


def test_the_clients_take_turns_whoever_asks_for_more():
    begun, gate, order = threading.Event(), threading.Event(), []

    async def main():
        pool = ThinkingPool(ONE)
        jobs = [pool.start(lambda stop: begun.set() or gate.wait(PATIENCE), client="greedy")]
        await asyncio.to_thread(begun.wait, PATIENCE)
        for name in ("greedy 1", "greedy 2", "greedy 3", "modest 1", "modest 2"):
            jobs.append(pool.start(lambda stop, name=name: order.append(name), client=name.partition(" ")[0]))
        gate.set()
        for job in jobs:
            await job.ended()

    run(main)
    assert order == ["greedy 1", "modest 1", "greedy 2", "modest 2", "greedy 3"]


@pytest.mark.parametrize("lane", [Lane.QUICK, Lane.ELSEWHERE, Lane.SLOW])
def test_nobody_gets_all_threads(lane):
    gate = threading.Event()

    async def main():
        pool = ThinkingPool(ThinkingLimits(quick=3, elsewhere=3, slow=3, per_client=2))
        greedy = [pool.start(lambda stop: gate.wait(PATIENCE), lane, "greedy") for _ in range(10)]
        assert await pool.run(lambda stop: "a move", lane, "modest") == "a move"
        while pool.waiting(lane) > 8:  # the second thread has only just been woken up
            await asyncio.sleep(0)
        assert pool.waiting(lane) == 8
        gate.set()
        for job in greedy:
            assert await job.result

    run(main)


def test_slow_work_never_delays_quick_work():
    gate = threading.Event()

    async def main():
        pool = ThinkingPool(TWO)
        slow = [pool.start(lambda stop: gate.wait(PATIENCE), Lane.SLOW, f"client {number}") for number in range(20)]
        for _ in range(20):
            assert await pool.run(lambda stop: "a move", Lane.QUICK) == "a move"
        assert not any(job.result.done() for job in slow)
        gate.set()

    run(main)


def test_whose_time_is_up_before_a_thread_was_free_still_gets_a_move():
    gate = threading.Event()

    async def main():
        pool = ThinkingPool(ONE)
        busy = pool.start(lambda stop: gate.wait(PATIENCE))
        job = pool.start(lambda stop: (stop.is_set(), "a hasty move"))
        pool.hurry(job)
        assert await job.result == (True, "a hasty move")
        assert not busy.result.done()
        gate.set()

    run(main)


def test_what_the_work_held_is_let_go_when_it_is_done():
    class Tree:
        pass

    async def main():
        tree = Tree()
        known = weakref.ref(tree)
        job = ThinkingPool(ONE).start(lambda stop, tree=tree: None)
        del tree
        await job.ended()
        return job, known()

    assert run(main)[1] is None


@pytest.mark.parametrize(
    ("bot", "lane"),
    [
        ("random", Lane.QUICK),
        ("perfect", Lane.QUICK),
        ("mc", Lane.ELSEWHERE),
        ("uct:ms=10000", Lane.ELSEWHERE),
        ("greedy:worlds=3", Lane.ELSEWHERE),
    ],
)
def test_of_new_bots_only_simple_ones_are_quick(bot, lane):
    assert ThoughtTimes().lane(resolve(bot, find_game("ur:pieces=1"))) is lane


def test_where_a_bot_thinks_depends_on_how_long_it_took():
    times, bot = ThoughtTimes(), resolve("uct:sims=60", find_game("connect_four"))
    times.note(bot, 0.001)
    assert times.lane(bot) is Lane.QUICK
    times.note(bot, 1.0)
    assert times.lane(bot) is Lane.ELSEWHERE
    times.note(bot, 0.001)
    assert times.lane(bot) is Lane.ELSEWHERE  # one quick answer among slow ones means little
    for _ in range(10):
        times.note(bot, 0.001)
    assert times.lane(bot) is Lane.QUICK
    assert times.lane(resolve("uct:sims=61", find_game("connect_four"))) is Lane.ELSEWHERE


# ------------------------------------------------------------------ what bots keep


class Kept:
    """The bots of a table, with the memory that they use."""

    def __init__(self, memory, thinking=False):
        self.memory, self.thinking = memory, thinking

    def dismiss(self):
        self.memory = 0


def test_who_uses_too_much_memory_loses_what_was_not_used_for_longest():
    memory = BotMemory(ThinkingLimits(memory=1000, client_memory=100))
    first, second, third, others = Kept(40), Kept(40), Kept(40), Kept(90)
    memory.thought(others, "another")
    for table in (first, second, first):
        memory.thought(table, "one")
    assert (first.memory, second.memory) == (40, 40)
    memory.thought(third, "one")
    assert [table.memory for table in (first, second, third, others)] == [40, 0, 40, 90]


def test_if_all_bots_use_too_much_memory_those_used_longest_ago_leave_first_unless_they_think():
    memory = BotMemory(ThinkingLimits(memory=100, client_memory=100))
    tables = [Kept(30, thinking=True), Kept(30), Kept(30), Kept(30)]
    for number, table in enumerate(tables):
        memory.thought(table, f"client {number}")
    assert [table.memory for table in tables] == [30, 0, 30, 30]
    memory.forget(tables[2])
    memory.thought(Kept(60), "another")
    assert [table.memory for table in tables] == [30, 0, 30, 0]


def test_the_trees_of_quick_bots_count_as_well(monkeypatch):
    monkeypatch.setattr(ThoughtTimes, "lane", lambda *args: Lane.QUICK)  # they think in the server's own process
    limits = replace(UNLIMITED, thinking=ThinkingLimits(client_memory=1))
    with serving(limits=limits) as client:
        first, second = (client.ready_table("connect_four", "you", "uct:sims=20") for _ in range(2))
        for answer in (first, second):
            with client.at(answer) as browser:
                browser.play(3)
                browser.now_or_later(lambda table: table["plies"] == 2)
        assert [len(client.room(answer["id"])._bots._players) for answer in (first, second)] == [0, 1]


@pytest.mark.parametrize(("spec", "keeps"), [("uct:sims=200", True), ("alphabeta:depth=3", True), ("random", False)])
def test_what_a_bot_keeps_is_found(spec, keeps):
    table = kibitz.Table("connect_four", 1)
    player = kibitz.bot(spec, table.game)
    player.choose(table.view(0))
    assert (array_bytes(player) > 1000) == keeps


# ------------------------------------------------------------------ judges


def test_only_the_judges_that_were_used_last_are_kept():
    judges, game, stop = Judges(most=2), find_game("connect_four"), threading.Event()

    def judge_of(analysis):
        with judges.judging(analysis, game, stop) as judge:
            return judge

    first, second = judge_of("first"), judge_of("second")
    assert judge_of("first") is first
    judge_of("third")
    assert judge_of("first") is first
    assert judge_of("second") is not second  # it was the one used longest ago
    judges.dismiss("first")
    assert len(judges) == 1
    stop.set()
    judge_of("fourth")  # nobody waits for it any more
    assert len(judges) == 1


def test_an_analysis_that_has_ended_keeps_no_judge(client):
    with client.playing("nim:heap=3", "you", "beginner") as browser:
        browser.send("analyse", on=True, ply=None)
        while not browser.next("analysis")["done"]:
            pass
    client.wait_for(lambda: len(client.server.pool.judges) == 0)
