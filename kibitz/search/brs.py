"""Best-reply search: after each move of the root player, only the strongest reply of any one opponent is searched.

Between two moves of the root player just one opponent moves, the one that hurts most, and the others pass (Schadd and
Winands, "Best Reply Search for Multiplayer Games", 2011). The root player thus acts in every other ply: the search sees
more of that player's future than paranoid search does at the same depth, and prunes equally well. In return it searches
positions that cannot arise where passing is illegal. The game defines passing by `reply(s, player)`; where an opponent
cannot pass, play continues in turn. With two players it is alpha-beta. Chance, worlds and evaluations are handled as in
multiplayer.py; the search itself is in minimax.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.rules.contract import Game
from kibitz.search.minimax import kernel
from kibitz.search.multiplayer import MultiplayerSearch, SearchKernel


@dataclass
class BRS(MultiplayerSearch):
    """Best-reply search: considers its own moves and the strongest single reply to each; the other players pass."""

    name: ClassVar[str] = "brs"

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.players > 2 and not type(game).defines("reply"):
            return "its rules have no reply(s, player), which defines passing; use paranoid."
        return None

    def _kernel(self, game: Game) -> SearchKernel:
        return kernel(game, replies=True if game.players > 2 else None)
