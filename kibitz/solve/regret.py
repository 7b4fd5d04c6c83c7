"""What moves gave away: the share of the win that a move leads to, less than the best one would have.

With a table of exact values, whole logs are judged in compiled code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, is_plain, native, numbers, records
from kibitz.engine import Engine
from kibitz.game import Game
from kibitz.solve.values import Reader, Values, value_moves
from kibitz.state import Cells

ERROR = 1e-6  # what is given away by a move that is not the best: more than the table is rounded by


class Account(NamedTuple):
    """What each seat gave away."""

    regret: Any
    choices: Any  # positions with more than one legal move
    errors: Any  # moves that were not the best


@compiled
def judge(game: Any, reader: Reader, opening: Any, turns: Any, moves: Any, account: Account) -> None:
    """Go through a game and add up what its moves gave away."""
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
                account.choices[turn] += 1
                account.regret[turn] += best - worth
                account.errors[turn] += best - worth > ERROR
        game.play(step.states[1], move)


class Judge:
    """Judges the games of a log by the table of the solved game."""

    def __init__(self, game: Game, values: Values) -> None:
        self.game = game
        self.values = values
        self._opening = records(1, game.dtype)
        self._opening[0] = native(Engine(game).start())

    def account(self, turns: np.ndarray, moves: np.ndarray) -> Account:
        """What each seat gave away in a game."""
        found = Account(numbers(2, "f8"), numbers(2, "i8"), numbers(2, "i8"))
        face = Cells if is_plain() else np.ascontiguousarray
        judge(self.game, self.values.reader, self._opening, face(turns), face(moves), found)
        return found
