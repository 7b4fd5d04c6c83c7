"""The features of Hexplode's positions that networks see (kibitz/learn/features.py): the stack on every tile.

A network has its own weights for every tile, so it can find out by itself what a stack is worth where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.learn.features import Features

STACKS = 11  # from five counters of the opponent's to five of one's own


@dataclass(init=False, eq=False)
class Stacks(Features):
    """The stack on every tile that is not empty, from the side of the player to move; and, with damage, its units."""

    def size(self, game: Any) -> int:
        return 1 + game.tiles * STACKS * (2 if game.damage > 0 else 1)

    def most(self, game: Any) -> int:
        return 1 + game.tiles * (2 if game.damage > 0 else 1)

    def viewer(self, game: Any, s: Any) -> int:
        return 1 if s.turn == 1 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        mine = -1 if s.turn == 1 else 1
        places[0] = 0
        amounts[0] = s.turn
        count = 1
        for tile in range(game.tiles):
            stack = s.stacks[tile]
            places[count] = 1 + tile * STACKS + STACKS // 2 + mine * stack
            amounts[count] = 1.0
            count += stack != 0
        if game.damage > 0:
            for tile in range(game.tiles):
                places[count] = 1 + (game.tiles + tile) * STACKS + s.damaged[tile]
                amounts[count] = 1.0
                count += s.damaged[tile] != 0
        return count


FEATURES = {"zero": Stacks()}
