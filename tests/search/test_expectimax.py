"""Expectimax against brute force, and what its file promises: pruning, slices, proofs, players who move twice."""

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.players import limit as budget
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine
from kibitz.search.expectimax import Expectimax

UR, RACE = Ur(), DiceRace(goal=6, faces=3)


def brute_force(engine, state, depth):
    """Player 0's share by plain recursion, `depth` moves ahead."""
    if state.turn == OVER:
        return engine.payoff(state)[0]
    if depth == 0:
        has_evaluation = type(engine.game).defines("evaluate")
        return engine.evaluate(state)[0] if has_evaluation else 0.5
    if state.turn == CHANCE:
        return sum(odds * brute_force(engine, after(engine, state, o), depth) for o, odds in engine.outcomes(state))
    values = [brute_force(engine, after(engine, state, move), depth - 1) for move in engine.moves(state)]
    return max(values) if state.turn == 0 else min(values)


def after(engine, state, move):
    child = state.copy()
    engine.play(child, move)
    return child


@st.composite
def views(draw, game, fewest, most):
    """The view after `fewest` to `most` random moves, or the last one before the game is over."""
    table = kibitz.Table(game, seed=draw(st.integers(0, 100)))
    view = table.view(table.turn)
    for _ in range(draw(st.integers(fewest, most))):
        table.play(draw(st.sampled_from(table.moves)))
        if table.over:
            break
        view = table.view(table.turn)
    return view


@settings(max_examples=25, deadline=None)
@given(views(UR, 0, 60), st.integers(1, 3))
def test_every_move_is_worth_what_brute_force_finds(view, depth):
    engine = Engine(UR)
    for ranked in Expectimax(depth=depth).analyse(view).moves:
        share = brute_force(engine, after(engine, view.state, ranked.move), depth - 1)
        assert ranked.value == pytest.approx(share if view.player == 0 else 1 - share, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(views(UR, 0, 60), st.integers(2, 4))
def test_pruning_changes_neither_the_best_move_nor_its_value(view, depth):
    ranking, best = Expectimax(depth=depth).analyse(view), Expectimax(depth=depth).best(view)
    assert best.value == pytest.approx(ranking.value, abs=1e-12)
    values = {ranked.move: ranked.value for ranked in ranking.moves}
    assert values[best.best.move] == pytest.approx(ranking.value, abs=1e-12)
    assert best.work <= ranking.work


def test_something_is_pruned():
    views = []
    table = kibitz.Table(UR, seed=3)
    while not table.over:
        if len(table.moves) > 2:
            views.append(table.view(table.turn))
        table.play(table.moves[-1])
    bot = Expectimax(depth=4)
    assert sum(bot.best(view).work for view in views) < sum(bot.analyse(view).work for view in views)


def test_a_game_searched_to_its_end_is_solved():
    view = kibitz.Table(RACE).view(0)
    report = Expectimax(depth=12).analyse(view)
    engine = Engine(RACE)
    assert report.best.exact
    assert report.value == pytest.approx(brute_force(engine, view.state, 12), abs=1e-12)


def test_an_evaluation_is_not_called_exact():
    assert not Expectimax(depth=1).analyse(kibitz.Table(RACE).view(0)).best.exact


def test_without_an_evaluation_the_horizon_counts_as_even():
    assert [ranked.value for ranked in Expectimax(depth=1).analyse(kibitz.Table(RACE).view(0)).moves] == [0.5, 0.5]


@pytest.mark.parametrize("heap", [5, 8])
def test_games_without_chance_are_played_too(heap):
    report = Expectimax(depth=heap).analyse(kibitz.Table(Nim(heap=heap)).view(0))
    assert report.value == (0.0 if heap % 4 == 0 else 1.0)


def test_slices_of_any_size_give_the_same_report(monkeypatch):
    view = kibitz.Table(UR, seed=4).view(0)
    whole = Expectimax(depth=3).analyse(view)
    monkeypatch.setattr(budget, "FIRST_SLICE", 1)
    monkeypatch.setattr(budget, "SLICE_SECONDS", 1e-6)
    assert replace(Expectimax(depth=3).analyse(view), seconds=0) == replace(whole, seconds=0)


def test_plain_mode_gives_the_same_report():
    view = kibitz.Table(RACE).view(0)
    compiled = Expectimax(depth=3).analyse(view)
    with kibitz.plain():
        plain = Expectimax(depth=3).analyse(view)
    assert replace(plain, seconds=0) == replace(compiled, seconds=0)


def test_a_bot_can_be_used_for_one_game_after_another():
    bot = Expectimax(depth=2)
    for game in (RACE, UR, RACE):
        table = kibitz.Table(game, seed=1)
        assert bot.choose(table.view(table.turn)) in table.moves


@pytest.mark.parametrize("depth", [0, -1, 101])
def test_impossible_depths_are_rejected(depth):
    with pytest.raises(kibitz.SpecError, match=r"^expectimax: depth must be from 1 to 100"):
        Expectimax(depth=depth)


def test_hidden_information_is_rejected_with_an_alternative():
    with pytest.raises(kibitz.SpecError, match=r"expectimax cannot play .* use ismcts or mc"):
        kibitz.bot("expectimax", HighCard())
