"""The points of SEPARO's board: their stones, their roots, and the points of a move."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from kibitz.games.separo.rules import AROUND, BLUE, DX, DX2, DY, DY2, RED, STONE
from kibitz.state import State

Point = tuple[int, int]


def owner_of(s: State, point: int) -> int | None:
    """The player whose stone is on a point, if any. Points are numbered row by row."""
    return next((player for player in (RED, BLUE) if s.points[point] & int(STONE[player])), None)


def points_of(game: Any, move: int) -> list[Point]:
    """The three points of a move; none for a pass."""
    if move == game.actions - 1:
        return []
    point, shape = divmod(move, 8)
    y, x = divmod(point, game.size)
    second = x + int(DX[shape]), y + int(DY[shape])
    return [(x, y), second, (second[0] + int(DX2[shape]), second[1] + int(DY2[shape]))]


def coordinates(size: int, point: Point) -> str:
    """What people call a point: a letter for its column, and its row from the bottom, as in chess."""
    x, y = point
    return f"{ascii_lowercase[x]}{size - y}"


def roots_of(game: Any, s: State, player: int) -> list[tuple[Point, Point]]:
    """A player's roots, each once: from its upper end or, if it is horizontal, its left end."""
    found = []
    for point, bits in enumerate(s.points.tolist()):
        if bits & int(STONE[player]):
            y, x = divmod(point, game.size)
            found += [((x, y), (x + dx, y + dy)) for a, (dx, dy) in enumerate(AROUND[:4]) if bits >> a & 1]
    return found
