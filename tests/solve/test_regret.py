"""Regret by exact values."""

import numpy as np
import pytest

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.solve import solve
from kibitz.solve.regret import ERROR, RegretMeter

TWO = Ur(pieces=2)


@pytest.fixture(scope="module")
def values():
    return solve(TWO).values


@pytest.mark.parametrize("seed", range(3))
def test_regret_adds_up_move_by_move(values, seed):
    table, stream = kibitz.Table(TWO, seed=seed, deal=False), kibitz.rules.rng.Stream(seed, "moves")
    regret, choices, errors = [0.0, 0.0], [0, 0], [0, 0]
    while not table.over:
        player, move = table.turn, stream.choice(table.moves)
        if player >= 0 and len(table.moves) > 1:
            worth = {valued.move: valued.value for valued in values.ranked(table.state)}
            lost = max(worth.values()) - worth[move]
            regret[player] += lost
            choices[player] += 1
            errors[player] += lost > ERROR
        table.play(move)
    turns = np.array([ply.turn for ply in table.history], "i1")
    moves = np.array([ply.move for ply in table.history], "i4")
    regrets = RegretMeter(TWO, values).regrets(turns, moves)
    assert regrets.regret.tolist() == pytest.approx(regret)
    assert regrets.choices.tolist() == choices
    assert regrets.errors.tolist() == errors
    assert sum(errors) > 0
