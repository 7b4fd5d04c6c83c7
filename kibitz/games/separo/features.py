"""The features of SEPARO's positions that networks see (kibitz/learn/features.py), from the side of the player to move.

They are the stones and roots of both sides, the moves that are open to each, and how many areas each has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.games.separo.rules import STONE
from kibitz.learn.features import Features

DIRECTIONS = 4  # a root is told at the one of its ends from which it goes right, down or both, or down to the left
SHAPES = 8  # of moves from a point
MOST_FACES = 32  # more areas count as so many


@dataclass(init=False, eq=False)
class StonesRootsAndMoves(Features):
    """Stones, roots, open moves and areas, of one's own and of the opponent's."""

    def size(self, game: Any) -> int:
        return 2 * ((1 + DIRECTIONS + SHAPES) * game.size**2 + MOST_FACES) + 1

    def most(self, game: Any) -> int:
        return (1 + DIRECTIONS) * game.size**2 + 2 * game.max_moves + 3

    def viewer(self, game: Any, s: Any) -> int:
        return 1 if s.turn == 1 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        mover = 1 if s.turn == 1 else 0
        points = game.size**2
        roots, moves = 2 * points, 2 * (1 + DIRECTIONS) * points
        faces = moves + 2 * SHAPES * points
        places[0] = faces + 2 * MOST_FACES
        count = mover  # only the second player has this fact
        for point in range(points):
            bits = s.points[point]
            if bits != 0:
                side = 0 if bits & STONE[mover] else 1
                places[count] = side * points + point
                count += 1
                first = roots + side * DIRECTIONS * points + point
                for direction in range(DIRECTIONS):
                    places[count] = first + direction * points
                    count += bits >> direction & 1
        for side in range(2):
            player = mover if side == 0 else 1 - mover
            own, first = s.open[player], moves + side * SHAPES * points
            for i in range(s.options[player]):
                places[count] = first + own[i]
                count += 1
            places[count] = faces + side * MOST_FACES + min(s.faces[player], MOST_FACES - 1)
            count += 1
        for i in range(count):
            amounts[i] = 1.0
        return count


FEATURES = {"zero": StonesRootsAndMoves()}
