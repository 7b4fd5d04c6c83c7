"""Paranoid search: a game of many players, searched as if all others played together against the root player.

It keeps the path to the current position. The root player takes the move with the highest share, all others the one
with the lowest share for the root player: a two-sided game, in which alpha-beta cuts deep (Sturtevant and Korf, "On
Pruning Techniques for Multi-Player Games", 2000). It deepens iteratively until the budget is spent or every line ends
the game. Chance, worlds and evaluations are handled as in multiplayer.py; the search itself is in minimax.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.rules.contract import Game
from kibitz.search.minimax import kernel
from kibitz.search.multiplayer import MultiplayerSearch, SearchKernel


@dataclass
class Paranoid(MultiplayerSearch):
    """Alpha-beta for any number of players, with or without chance; assumes that all others play against it."""

    name: ClassVar[str] = "paranoid"

    def _kernel(self, game: Game) -> SearchKernel:
        return kernel(game, replies=None)
