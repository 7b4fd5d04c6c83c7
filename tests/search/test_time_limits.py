"""Time limits of all searches, on a clock that depends on nothing but the work done."""

import importlib

import pytest
from toys import Cups, Middle, RandomTree

import kibitz
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.games.ur.rules import Ur
from kibitz.players import limit as budget
from kibitz.players.bot import FOR_SEARCH
from kibitz.search.pimc import PIMC

UNIT = 1e-6  # seconds that a simulation or a node takes
OVERSHOOT = 500  # units: the shortest slice is half a millisecond
SPENDERS = ("alphabeta", "expectimax", "ismcts", "multiplayer", "pimc", "sequential_halving", "uct")
FIVE, TREE = ConnectFour(columns=5, rows=4), RandomTree(height=12)
TIMED = [
    ("alphabeta", FIVE),
    ("uct", FIVE),
    ("mc", FIVE),
    ("ismcts", FIVE),
    ("pimc", Middle()),
    ("maxn", TREE),
    ("paranoid", TREE),
    ("brs", TREE),
]


class WorkClock:
    """Advances only when a search works."""

    now = 0.0


@pytest.fixture(autouse=True)
def _work_clock(monkeypatch):
    clock, spend = WorkClock(), budget.spend

    def spend_by_clock(run, units, limit):
        def timed(count):
            worked = run(count)
            clock.now += UNIT * worked
            return worked

        return spend(timed, units, limit)

    monkeypatch.setattr(budget, "running_time", lambda: clock.now)
    for name in SPENDERS:
        monkeypatch.setattr(importlib.import_module(f"kibitz.search.{name}"), "spend", spend_by_clock)


def view_of(game, **options):
    table = kibitz.Table(game, seed=1)
    return table.view(table.turn, **options)


@pytest.mark.parametrize(("search", "game"), TIMED, ids=[search for search, _ in TIMED])
def test_the_time_of_the_options_is_used_up_and_no_more(search, game):
    report = kibitz.bot(f"{search}:ms=5", game).analyse(view_of(game))
    assert 5000 <= report.work <= 5000 + OVERSHOOT


@pytest.mark.parametrize(("search", "game"), [*TIMED, ("expectimax", Ur())], ids=lambda value: str(value)[:10])
def test_the_time_of_the_call_is_used_up_and_no_more(search, game):
    report = kibitz.bot(search, game).best(view_of(game), kibitz.Limit(seconds=0.005))
    assert 5000 <= report.work <= 5000 + OVERSHOOT


@pytest.mark.parametrize(("spec", "game"), [("alphabeta:nodes=1000000", FIVE), ("uct:sims=1000000", FIVE)])
def test_most_of_the_tables_time_is_used_for_the_search(spec, game):
    report = kibitz.bot(spec, game).analyse(view_of(game, time=0.005))
    assert 5000 * FOR_SEARCH <= report.work <= 5000 * FOR_SEARCH + OVERSHOOT


def test_pimc_divides_its_time_among_the_deals():
    """Each deal finds the pea where it lies in that deal: with time for only a few, some guess would get no votes."""
    table = kibitz.Table(Cups())
    table.play(1)
    report = PIMC(ms=6, deals=30).analyse(table.view(1))
    assert 6000 <= report.work <= 6000 + OVERSHOOT
    assert min(ranked.visits for ranked in report.moves) > 0.05 * report.work
