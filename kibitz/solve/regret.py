"""Regret: how much of the win each move gave away, compared with the best one.

With a table of exact values, whole logs are judged in compiled code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, native, numbers, records
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.solve.values import Reader, Values, value_moves

ERROR = 1e-6  # a move that gives away more than this, which is above the table's rounding, is an error


class Regrets(NamedTuple):
    """What each seat gave away."""

    regret: Any
    choices: Any  # positions with more than one legal move
    errors: Any  # moves that were not the best


@compiled
def judge(game: Any, reader: Reader, opening: Any, turns: Any, moves: Any, regrets: Regrets) -> None:
    """Replay a game and add up what its moves gave away."""
    step = reader.step
    step.states[1] = opening[0]
    for ply in range(len(moves)):
        turn, move = turns[ply], moves[ply]
        if turn >= 0:
            count = value_moves(game, reader)
            if count > 1:
                best = 0.0
                worth = 0.0
                for i in range(count):
                    best = max(best, reader.worth[i])
                    if step.moves[i] == move:
                        worth = reader.worth[i]
                regrets.choices[turn] += 1
                regrets.regret[turn] += best - worth
                regrets.errors[turn] += best - worth > ERROR
        game.play(step.states[1], move)


class RegretMeter:
    """Judges the games of a log by the table of the solved game."""

    def __init__(self, game: Game, values: Values) -> None:
        self.game = game
        self.values = values
        self._opening = records(1, game.dtype)
        self._opening[0] = native(Engine(game).start())

    def regrets(self, turns: np.ndarray, moves: np.ndarray) -> Regrets:
        """What each seat gave away in a game."""
        found = Regrets(numbers(2, "f8"), numbers(2, "i8"), numbers(2, "i8"))
        columns = [as_buffer(np.ascontiguousarray(column)) for column in (turns, moves)]
        judge(self.game, self.values.reader, self._opening, columns[0], columns[1], found)
        return found
