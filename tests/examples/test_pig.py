"""The example of a game with chance that need not end: its rules, and its value against one computed differently."""

from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz import CHANCE, OVER, Table
from kibitz.solve import solve
from kibitz.testing import check_game

PIG = f"{Path(__file__).parents[2]}/examples/pig.py:Pig"
ROLL, HOLD = 0, 1


def played(*plies, **variant):
    """The table after some moves and rolls; chance does as told."""
    table = Table(kibitz.game(PIG, **variant), deal=False)
    for ply in plies:
        table.play(ply)
    return table


def test_it_fulfils_the_contract():
    with kibitz.plain():
        check_game(kibitz.game(PIG, target=20), games=10)


def test_what_is_rolled_is_at_stake_until_it_is_banked():
    with kibitz.plain():
        table = played(ROLL, 5, ROLL, 3)
        assert (table.state.at_stake, table.turn, table.state.score.tolist()) == (8, 0, [0, 0])
        table.play(HOLD)
        assert (table.state.at_stake, table.turn, table.state.score.tolist()) == (0, 1, [8, 0])


def test_a_one_loses_what_is_at_stake_and_the_turn():
    with kibitz.plain():
        table = played(ROLL, 5, ROLL, 1)
    assert (table.state.at_stake, table.turn, table.state.score.tolist()) == (0, 1, [0, 0])


def test_a_turn_begins_with_a_roll():
    with kibitz.plain():
        assert played().moves == [ROLL]
        assert played(ROLL, 2).moves == [ROLL, HOLD]
        assert played(ROLL).turn == CHANCE


def test_whoever_reaches_the_target_wins():
    with kibitz.plain():
        table = played(ROLL, 2, HOLD, ROLL, 6, ROLL, 4, target=10)
        assert table.turn == OVER
        assert table.payoff() == [0, 1]
        assert table.score() == [2, 10]


@pytest.mark.parametrize(("plies", "payoff"), [((ROLL, 2, HOLD, ROLL, 1), [1, 0]), ((ROLL, 1, ROLL, 1), [0.5, 0.5])])
def test_after_the_last_turn_the_higher_score_wins(plies, payoff):
    with kibitz.plain():
        assert played(*plies, turns=2).payoff() == payoff


def test_no_game_is_longer_than_max_plies():
    game = kibitz.game(PIG, target=7, turns=3)
    with kibitz.plain():
        table = Table(game, deal=False)
        while not table.over:
            timid = table.turn == CHANCE and table.state.at_stake + 2 < game.target
            table.play(2 if timid else table.moves[0] if table.turn == CHANCE else ROLL)
    assert len(table.history) <= game.max_plies


def chance_to_win(target, tolerance):
    """The first player's chance in the endless game, by value iteration (Neller & Presser 2004)."""
    start = np.full((target, target), 0.5)  # [own score, other score] of the player whose turn begins
    change = 1.0
    while change > tolerance:
        win = np.ones((target + 6, target, target))  # by what is at stake
        for stake in range(target - 1, -1, -1):
            roll = (1 - start.T + sum(win[stake + face] for face in range(2, 7))) / 6
            left = target - stake  # own scores that do not win by holding
            hold = 1 - start[:, stake:].T
            win[stake, :left] = np.maximum(roll[:left], hold) if stake else roll
        change = float(abs(win[0] - start).max())
        start = win[0]
    return start[0, 0]


def test_the_endless_game_has_its_published_value():
    assert round(chance_to_win(100, 1e-6), 4) == 0.5306


@pytest.mark.slow
def test_with_many_turns_the_limit_does_not_matter():
    solved = solve(kibitz.game(PIG, target=10, turns=50))
    assert solved.label.value == pytest.approx(chance_to_win(10, 1e-12), abs=1e-8)
