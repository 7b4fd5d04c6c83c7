"""MaxN against brute force on trees full of ties, and its two kinds of pruning."""

from dataclasses import replace

import brute_force
import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from toys import Nim, RandomTree

import kibitz
from kibitz.players import limit as budget
from kibitz.rules.engine import Engine
from kibitz.search.maxn import MaxN


def trees():
    return st.builds(
        RandomTree,
        players=st.integers(2, 5),
        width=st.integers(2, 3),
        height=st.integers(3, 6),
        dice=st.booleans(),
        seed=st.integers(0, 10**6),
    )


def opening(game):
    return kibitz.Table(game).view(0)


def values(report):
    return {ranked.move: ranked.value for ranked in report.moves}


@settings(max_examples=60)
@given(trees(), st.integers(1, 6))
def test_every_move_is_worth_what_brute_force_finds(game, depth):
    view = opening(game)
    wanted = brute_force.worths(brute_force.maxn, game, view.state, depth)
    assert values(MaxN(depth=depth).analyse(view)) == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=100)
@given(trees(), st.integers(2, 6))
def test_speculative_pruning_changes_no_value(game, depth):
    view = opening(game)
    plain = MaxN(depth=depth).analyse(view)
    speculative = MaxN(depth=depth, speculative=True)
    assert values(speculative.analyse(view)) == values(plain)
    best = speculative.best(view)
    assert best.value == plain.value == values(plain)[best.best.move]


def found_in_tall_trees(**options):
    """The nodes it takes to rank the moves of sixty trees, eight plies deep, and the values of the moves."""
    reports = [MaxN(depth=8, **options).analyse(opening(RandomTree(height=8, seed=seed))) for seed in range(60)]
    return sum(report.work for report in reports), [values(report) for report in reports]


def test_speculative_pruning_saves_nodes_and_is_never_wrong():
    (every, right), (fewer, found) = found_in_tall_trees(), found_in_tall_trees(speculative=True)
    assert fewer < 0.9 * every
    assert found == right


def test_deep_pruning_saves_more_and_is_sometimes_wrong():
    (speculative, right), (deep, found) = found_in_tall_trees(speculative=True), found_in_tall_trees(deep=True)
    assert deep < speculative
    assert found != right


def test_with_two_players_deep_pruning_is_never_wrong():
    for seed in range(30):
        view = opening(RandomTree(players=2, height=6, seed=seed))
        assert values(MaxN(depth=6, deep=True).analyse(view)) == values(MaxN(depth=6).analyse(view))


def test_the_best_move_alone_takes_fewer_nodes():
    views = [opening(RandomTree(height=7, seed=seed)) for seed in range(20)]
    bot = MaxN(depth=7, speculative=True)
    assert sum(bot.best(view).work for view in views) < sum(bot.analyse(view).work for view in views)


@pytest.mark.parametrize("heap", [5, 6, 7, 8])
def test_two_player_games_are_solved(heap):
    report = MaxN().analyse(opening(Nim(heap)))
    assert report.best.exact
    assert report.value == (0.0 if heap % 4 == 0 else 1.0)


def test_evaluations_are_normalized_to_sum_to_one():
    game = RandomTree(seed=3)
    view, engine = opening(game), Engine(game)
    for ranked in MaxN(depth=1).analyse(view).moves:
        guesses = engine.evaluate(brute_force.after(engine, view.state, ranked.move))
        assert ranked.value == pytest.approx(guesses[0] / sum(guesses))


@pytest.mark.parametrize("options", [{}, {"speculative": True}, {"deep": True}, {"speculative": True, "deep": True}])
def test_plain_mode_gives_the_same_report(options):
    view = opening(RandomTree(height=5, dice=True, seed=9))
    compiled = MaxN(depth=5, **options).analyse(view)
    with kibitz.plain():
        assert replace(MaxN(depth=5, **options).analyse(view), seconds=0) == replace(compiled, seconds=0)


def test_slices_of_any_size_give_the_same_report(monkeypatch):
    view = opening(RandomTree(height=7, seed=4))
    whole = MaxN(nodes=700, speculative=True).analyse(view)
    monkeypatch.setattr(budget, "FIRST_SLICE", 1)
    monkeypatch.setattr(budget, "SLICE_SECONDS", 1e-6)
    assert replace(MaxN(nodes=700, speculative=True).analyse(view), seconds=0) == replace(whole, seconds=0)
