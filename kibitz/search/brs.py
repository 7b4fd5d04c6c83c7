"""Best-reply search: after each move of one's own, only the strongest answer of all the others is looked at.

Of the players between two moves of the one at the root, just one moves, whoever hurts most, and the rest pass (Schadd
and Winands, "Best Reply Search for Multiplayer Games", 2011). So the root's player acts in every other ply: the search
sees more of one's own future than paranoid search does at the same depth, and cuts as well. In return it looks at
positions that cannot arise where nobody may pass. The game says what passing is, by `reply(s, player)`; where it cannot
be done, play goes on in turn. For two players it is alpha-beta. Chance, worlds and evaluations are as in lookahead.py,
the search itself is in coalition.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.game import Game
from kibitz.search.coalition import kernel
from kibitz.search.lookahead import Kernel, Lookahead


@dataclass
class BRS(Lookahead):
    """Best-reply search: looks at its own moves and the strongest single answer to each; the other players pass."""

    name: ClassVar[str] = "brs"

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.players > 2 and not type(game).defines("reply"):
            return "its rules have no reply(s, player), which says how the others pass; use paranoid."
        return None

    def _kernel(self, game: Game) -> Kernel:
        return kernel(game, replies=True if game.players > 2 else None)
