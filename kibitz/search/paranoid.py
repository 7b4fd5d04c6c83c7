"""Paranoid search: a game of many players as if all the others played together against the one to move.

It keeps the path to the position it looks at. The player to move at the root takes the move with the highest share, all
others that with the lowest for that player: a game for two sides, in which alpha-beta cuts deep (Sturtevant and Korf,
"On Pruning Techniques for Multi-Player Games", 2000). It looks ever deeper until the budget is spent or nothing is left
to guess. Chance, worlds and evaluations are as in lookahead.py, the search itself is in coalition.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.game import Game
from kibitz.search.coalition import kernel
from kibitz.search.lookahead import Kernel, Lookahead


@dataclass
class Paranoid(Lookahead):
    """Alpha-beta for any number of players and chance: believes that all others play against it."""

    name: ClassVar[str] = "paranoid"

    def _kernel(self, game: Game) -> Kernel:
        return kernel(game, replies=None)
