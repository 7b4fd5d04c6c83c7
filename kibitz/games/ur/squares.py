"""The squares of Ur's board, and which step each of them is on either player's path.

Light's side is at the top, Dark's at the bottom; most of the shared squares lie between them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kibitz.games.ur.rules import MASTERS

GAP = -1  # where the board has no square
# Light's steps by row, from the top; Dark's are the same from the bottom.
CLASSIC = ((4, 3, 2, 1, GAP, GAP, 14, 13), (5, 6, 7, 8, 9, 10, 11, 12), (0, 0, 0, 0, GAP, GAP, 0, 0))
MASTERS_PATH = ((4, 3, 2, 1, GAP, GAP, 16, 15), (5, 6, 7, 8, 9, 10, 11, 14), (0, 0, 0, 0, GAP, GAP, 12, 13))


class Square(NamedTuple):
    row: int
    column: int
    steps: tuple[int, int]  # on Light's and on Dark's path; 0: not on it

    @property
    def coordinates(self) -> str:
        """What people call it: a letter for its column, and its row from the bottom, as in chess."""
        return f"{'abcdefgh'[self.column]}{3 - self.row}"


@cache
def squares(rosettes: int) -> list[Square]:
    """The squares of the board, row by row, for a path with the given last rosette."""
    rows = MASTERS_PATH if rosettes == MASTERS else CLASSIC
    return [
        Square(row, column, (rows[row][column], rows[2 - row][column]))
        for row in range(3)
        for column in range(8)
        if rows[row][column] != GAP
    ]


@cache
def path(rosettes: int, player: int) -> dict[int, Square]:
    """The squares of a player's path, by step."""
    return {square.steps[player]: square for square in squares(rosettes) if square.steps[player]}
