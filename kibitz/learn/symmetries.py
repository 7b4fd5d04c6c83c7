"""Symmetries: how a game looks the same when its moves are renumbered, as in a mirror.

A game declares them in its extra `symmetries`, a function that returns one renumbering of the moves for each symmetry
but the identity: `[[6, 5, 4, 3, 2, 1, 0]]` for Connect Four, whose board can be mirrored. A game and the same game with
renumbered moves must have the same players to act, corresponding legal moves, the same chance outcomes and the same
payoff; `kibitz check` makes sure of it. The opening must look the same from all sides, so that it need not be changed.
"""

from __future__ import annotations

import numpy as np

from kibitz.errors import RulesError
from kibitz.rules.contract import Game


def symmetries_of(game: Game) -> np.ndarray:
    """The renumberings of a game's moves, [symmetry, move]; the first is the identity."""
    declared = game.extra("symmetries")
    found = [list(range(game.actions)), *(declared() if declared else ())]
    wanted = list(range(game.actions))
    for numbers in found:
        if sorted(numbers) != wanted:
            name = type(game).__name__
            raise RulesError(f"{name}: a symmetry must list each move from 0 to {game.actions - 1} once.")
    return np.array(found, "i8")
