"""The squares of Ur's board, and which step of whose path each of them is.

Light's side is above, Dark's below, and the squares that both can come to are mostly between them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kibitz.games.ur.rules import MASTERS

GAP = -1  # where the board has no square
# Light's steps by row, from above; Dark's are the same from below.
CLASSIC = ((4, 3, 2, 1, GAP, GAP, 14, 13), (5, 6, 7, 8, 9, 10, 11, 12), (0, 0, 0, 0, GAP, GAP, 0, 0))
MASTERS_PATH = ((4, 3, 2, 1, GAP, GAP, 16, 15), (5, 6, 7, 8, 9, 10, 11, 14), (0, 0, 0, 0, GAP, GAP, 12, 13))


class Square(NamedTuple):
    row: int
    column: int
    steps: tuple[int, int]  # on Light's and on Dark's path; 0: not on it


@cache
def squares(rosettes: int) -> list[Square]:
    """The board, row by row, of the path whose last rosette is given."""
    rows = MASTERS_PATH if rosettes == MASTERS else CLASSIC
    return [
        Square(row, column, (rows[row][column], rows[2 - row][column]))
        for row in range(3)
        for column in range(8)
        if rows[row][column] != GAP
    ]


@cache
def path(rosettes: int, player: int) -> dict[int, Square]:
    """The squares that a player's pieces come to, by step."""
    return {square.steps[player]: square for square in squares(rosettes) if square.steps[player]}
