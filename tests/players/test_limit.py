"""The limits of a search."""

import itertools
import threading
import time
from dataclasses import dataclass

import pytest

import kibitz
from kibitz import KibitzError, Limit, SpecError
from kibitz.players.bot import Report, Searcher
from kibitz.players.limit import Clock, spend
from kibitz.players.options import option

TABLE = kibitz.Table("connect_four:columns=4,rows=4")


@dataclass
class Notes(Searcher):
    """Records the limit that it would have to obey."""

    counts = ("nodes",)
    default_limit = Limit(nodes=77)

    nodes: int = option(0, low=0, limits="nodes")
    ms: int = option(0, low=0, limits="ms")

    def search(self, view, limit, ranking):
        self.obeyed = limit
        return Report((), 0, "nodes", 0, 0.0)


def obeyed(given=None, time=None, **options):
    bot = Notes(**options)
    bot.analyse(TABLE.view(0, time), given)
    return bot.obeyed


def test_the_options_limit_a_search_unless_the_call_does():
    assert obeyed(nodes=5) == Limit(nodes=5)
    assert obeyed(nodes=5, ms=20) == Limit(nodes=5, seconds=0.02)
    assert obeyed(Limit(seconds=2), nodes=5, ms=20) == Limit(seconds=2)


def test_without_any_limit_there_is_a_default():
    assert obeyed() == Limit(nodes=77)
    assert obeyed(Limit()) == Limit(nodes=77)


def test_the_time_for_a_move_caps_every_limit_and_leaves_a_tenth_for_overhead():
    assert obeyed(time=2.0) == Limit(nodes=77, seconds=1.8)
    assert obeyed(time=2.0, ms=20) == Limit(seconds=0.02)
    assert obeyed(Limit(seconds=5), time=2.0) == Limit(seconds=1.8)


def test_a_search_refuses_a_limit_that_it_cannot_count():
    with pytest.raises(KibitzError, match="Notes counts nodes; limit one of these or the time"):
        obeyed(Limit(simulations=5))
    assert obeyed(Limit(simulations=5, seconds=1)) == Limit(simulations=5, seconds=1)


def test_an_event_alone_leaves_the_limit_unchanged():
    stop = threading.Event()
    assert obeyed(Limit(stop=stop), nodes=5) == Limit(nodes=5)
    bot = Notes()
    bot.analyse(TABLE.view(0), Limit(stop=stop))
    assert bot.obeyed.stop is stop


@pytest.mark.parametrize("wrong", [{"nodes": 0}, {"simulations": -1}, {"seconds": 0.0}, {"seconds": float("inf")}])
def test_a_limit_must_be_positive(wrong):
    with pytest.raises(KibitzError, match="greater than 0"):
        Limit(**wrong)


def test_a_limit_is_parsed_like_a_spec():
    limit = Limit.parse("sims=1000,ms=50")
    assert limit == Limit(simulations=1000, seconds=0.05)
    assert str(limit) == "sims=1000,ms=50"
    for exact in (Limit(nodes=12_345_678, seconds=1.2345678), Limit(simulations=1_000_000, depth=30)):
        assert Limit.parse(str(exact)) == exact  # a log keeps it as text
    assert Limit.parse("depth=3,nodes=9") == Limit(depth=3, nodes=9)
    for wrong in ("sims", "sims=x", "hours=3", "ms=0", "nodes=-1"):
        with pytest.raises(SpecError):
            Limit.parse(wrong)


# ------------------------------------------------------------------ slices


def test_all_units_are_done_in_slices_that_grow(monkeypatch):
    ticks, slices = itertools.count(0.0, 1e-6), []
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))  # however busy the machine is
    assert spend(lambda count: slices.append(count) or count, 5000, Clock(Limit())) == 5000
    assert sum(slices) == 5000
    assert slices[1] > slices[0]


def test_a_search_that_has_nothing_left_to_do_ends():
    assert spend(lambda count: count - 1, 5000, Clock(Limit())) == 199


def test_a_stopped_search_ends_after_its_slice():
    stop, slices = threading.Event(), []

    def run(count):
        slices.append(count)
        stop.set()
        return count

    spend(run, 1_000_000, Clock(Limit(stop=stop)))
    assert len(slices) == 1


def test_a_search_that_was_stopped_before_it_began_still_has_an_answer():
    stop = threading.Event()
    stop.set()
    assert spend(lambda count: count, 300, Clock(Limit(stop=stop))) == 1


def test_time_ends_a_search_without_any_other_limit():
    started = time.perf_counter()
    assert spend(lambda count: time.sleep(0.001) or count, None, Clock(Limit(seconds=0.05))) > 1
    assert time.perf_counter() - started >= 0.05


def test_the_parts_of_a_clock_share_the_remaining_time():
    clock = Clock(Limit(seconds=100))
    assert 40 < clock.part(2).left() <= 50
    assert Clock(Limit()).part(3).left() == float("inf")


# ------------------------------------------------------------------ every search

SEARCHES = {
    "connect_four": ["alphabeta", "maxn", "paranoid", "brs", "greedy"],
    "connect_four:columns=5,rows=4": ["mc", "uct", "uct:threads=2,shared=yes", "ismcts"],
    "ur:pieces=1": ["expectimax", "uct", "perfect"],
    "mexican_train:players=2,highest=6": ["pimc", "ismcts:observers=all", "best", "maxn"],
    "camelup:rules=camelai,players=2": ["best", "mc:by=quick,halve=yes"],
}


# Searches that can be sure of their answer before any limit is reached.
ENDS_BY_ITSELF = [
    ("connect_four", "greedy"),
    ("ur:pieces=1", "perfect"),
    ("mexican_train:players=2,highest=6", "best"),
]


class LateEvent(threading.Event):
    """An event that is set once a search has checked it a few times, and so is surely under way."""

    UNSET = 5
    checks = 0

    def is_set(self):
        self.checks += 1
        return self.checks > self.UNSET


@pytest.mark.slow
@pytest.mark.parametrize(("game", "spec"), [(game, spec) for game, specs in SEARCHES.items() for spec in specs])
def test_every_search_obeys_an_event_and_a_time_limit(game, spec):
    """Only the event ends the first search, and only the time limit the second."""
    table = kibitz.Table(game, seed=1)
    bot, stop = kibitz.bot(spec, table.game), LateEvent()
    bot.analyse(table.view(table.turn), Limit(seconds=0.01))  # compiles
    for limit in (Limit(seconds=3600, stop=stop), Limit(seconds=0.05)):
        started = time.perf_counter()
        report = bot.analyse(table.view(table.turn), limit)
        seconds = time.perf_counter() - started
        assert {ranked.move for ranked in report.moves} <= set(table.moves)
        assert report.moves
        if (game, spec) not in ENDS_BY_ITSELF:
            assert stop.checks > LateEvent.UNSET if limit.stop else seconds >= 0.05


@pytest.mark.parametrize("given", [5, 0.5, ["ms=5"]])
def test_what_is_no_limit_is_refused(given):
    table = kibitz.Table("connect_four")
    with pytest.raises(KibitzError, match=r"A limit is a kibitz.Limit, or a text such as 'ms=50', not "):
        kibitz.bot("uct:sims=10", table.game).analyse(table.view(0), given)


def test_a_limit_may_be_given_as_its_text():
    bot = kibitz.bot("uct:sims=10", "connect_four")
    view = kibitz.Table("connect_four").view(0)
    assert bot.limit_for(view, "sims=20") == bot.limit_for(view, Limit(simulations=20))


def test_a_limit_without_a_unit_says_how_to_write_one():
    with pytest.raises(SpecError, match=r"A limit is written as sims=1000, nodes=…, depth=… or ms=50, not '20'\."):
        Limit.parse("20")
    with pytest.raises(KibitzError, match="seconds greater than 0, not '2'"):
        Limit(seconds="2")


def test_a_search_that_is_given_the_table_asks_for_a_view():
    table = kibitz.Table("connect_four")
    with pytest.raises(KibitzError, match=r"give it table.view\(table.turn\)"):
        kibitz.bot("uct", table.game).choose(table)
