"""The regions formed by a player's roots, as areas of the board to be drawn. (The rules only count them.)

Every square is cut into four triangles by its diagonals. A diagonal root separates the triangles on either side of it,
a straight one the squares on either side. Triangles are numbered square by square, row by row, clockwise from the top.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from kibitz.games.separo.points import roots_of
from kibitz.state import State

NORTH, EAST, SOUTH, WEST = range(4)
SMALL = 4  # an area of at most this many triangles is not a region
OUTSIDE = -1

Corner = tuple[float, float]


def regions(game: Any, s: State, player: int) -> list[list[int]]:
    """The regions, the largest first, as sorted lists of triangles."""
    found = [area for area in areas(game, s, player) if len(area) > SMALL]
    return sorted(found, key=len, reverse=True)


def areas(game: Any, s: State, player: int) -> Iterator[list[int]]:
    """All areas formed by a player's roots, however small, as sorted lists of triangles."""
    walls, beside = _walls(game, s, player), _beside(game.size)
    seen = [False] * len(beside)
    for first in range(len(beside)):
        if not seen[first]:
            seen[first] = True
            area = [first]
            for triangle in area:
                for other in beside[triangle]:
                    if other != OUTSIDE and not seen[other] and (triangle, other) not in walls:
                        seen[other] = True
                        area.append(other)
            yield sorted(area)


def _walls(game: Any, s: State, player: int) -> set[tuple[int, int]]:
    """The pairs of triangles that a root of the player separates, in either order."""
    last, walls = game.size - 1, set()
    for (x, y), (to_x, to_y) in roots_of(game, s, player):
        square = 4 * (y * last + min(x, to_x))
        if to_x > x and to_y > y:
            pairs = [(square + NORTH, square + WEST), (square + SOUTH, square + EAST)]
        elif to_x < x:
            pairs = [(square + NORTH, square + EAST), (square + SOUTH, square + WEST)]
        elif to_y == y:
            pairs = [(square + NORTH, square - 4 * last + SOUTH)]
        else:
            pairs = [(square + WEST, square - 4 + EAST)]
        walls.update(pairs)
        walls.update((other, one) for one, other in pairs)
    return walls


@cache
def _beside(size: int) -> list[tuple[int, int, int]]:
    """For every triangle: the two beside it in its square, and the one across the square's side."""
    last, found = size - 1, []
    for y in range(last):
        for x in range(last):
            square = 4 * (y * last + x)
            around = {NORTH: (x, y - 1), EAST: (x + 1, y), SOUTH: (x, y + 1), WEST: (x - 1, y)}
            for side, (to_x, to_y) in around.items():
                across = 4 * (to_y * last + to_x) + (side + 2) % 4
                is_inside = 0 <= to_x < last and 0 <= to_y < last
                found.append((square + (side + 1) % 4, square + (side + 3) % 4, across if is_inside else OUTSIDE))
    return found


@cache
def _sides(size: int) -> list[tuple[tuple[Corner, Corner], ...]]:
    """The sides of every triangle, clockwise, in the order of the triangles beside it."""
    found: list[tuple[tuple[Corner, Corner], ...]] = []
    for y in range(size - 1):
        for x in range(size - 1):
            corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
            middle = (x + 0.5, y + 0.5)
            for side in range(4):
                start, end = corners[side], corners[(side + 1) % 4]
                found.append(((end, middle), (middle, start), (start, end)))
    return found


def middle_of(size: int, area: list[int]) -> Corner:
    """A place for the number of an area: the square that is most inside it, near its middle."""
    last = size - 1
    squares = Counter(triangle // 4 for triangle in area)
    centres = {square: (square % last + 0.5, square // last + 0.5) for square in squares}
    x, y = (sum(centres[square][axis] * count for square, count in squares.items()) / len(area) for axis in (0, 1))

    def aside(square: int) -> tuple[int, float, int]:
        return -squares[square], math.hypot(centres[square][0] - x, centres[square][1] - y), square

    return centres[min(squares, key=aside)]


def outline(size: int, area: list[int]) -> list[list[Corner]]:
    """The closed lines around an area, as lists of corners: clockwise around it, counterclockwise around its holes."""
    inside, beside, sides = set(area), _beside(size), _sides(size)
    onward: dict[Corner, list[Corner]] = {}
    for triangle in area:
        for other, (start, end) in zip(beside[triangle], sides[triangle], strict=True):
            if other not in inside:
                onward.setdefault(start, []).append(end)
    lines = []
    while onward:
        corner = next(iter(onward))
        line = []
        while corner in onward:  # as many sides enter a corner as leave it, so this ends where it began
            line.append(corner)
            ends = onward.pop(corner)
            if len(ends) > 1:
                onward[corner] = ends[1:]
            corner = ends[0]
        lines.append(line)
    return lines
