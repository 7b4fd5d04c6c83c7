"""The tiles of a hexagon: their numbers, names and neighbours.

Columns are counted from the left and tiles within a column from the top; tile numbers run down the columns.
"""

from __future__ import annotations

from functools import cache
from string import ascii_lowercase

import numpy as np

SMALLEST, LARGEST = 2, 12  # tiles along an edge

Place = tuple[int, int]  # column and place in it


def columns(side: int) -> list[int]:
    """The number of tiles in each column, from the left."""
    return [min(side + i, 3 * side - 2 - i) for i in range(2 * side - 1)]


@cache
def places(side: int) -> list[Place]:
    """The place of every tile, by number."""
    return [(i, j) for i, length in enumerate(columns(side)) for j in range(length)]


@cache
def names(side: int) -> list[str]:
    """The name of every tile, by number: `tile_column_place`."""
    return [f"tile_{i}_{j}" for i, j in places(side)]


@cache
def coordinates(side: int) -> list[str]:
    """What people call every tile, by number: a letter for its column, and its place from the bottom, as in chess."""
    lengths = columns(side)
    return [f"{ascii_lowercase[i]}{lengths[i] - j}" for i, j in places(side)]


@cache
def neighbours(side: int) -> list[list[int]]:
    """The numbers of each tile's neighbours: north, south, then those in the columns beside it.

    The order is that of the original server, whose bots may rely on it: first the column nearer to the centre, the
    northern neighbour before the southern; in the centre column, both northern neighbours before both southern ones.
    """
    number = {place: tile for tile, place in enumerate(axial(side))}
    north, south, north_east, south_east, north_west, south_west = (0, -1), (0, 1), (1, -1), (1, 0), (-1, 0), (-1, 1)
    beside = {
        -1: (north_east, south_east, north_west, south_west),
        0: (north_west, north_east, south_west, south_east),
        1: (north_west, south_west, north_east, south_east),
    }
    found = []
    for q, r in axial(side):
        around = ((q + x, r + y) for x, y in (north, south, *beside[(q > 0) - (q < 0)]))
        found.append([number[place] for place in around if place in number])
    return found


def axial(side: int) -> list[Place]:
    """The axial coordinates of every tile, from the centre: a neighbour is the same step away everywhere."""
    return [(i - (side - 1), j - min(i, side - 1)) for i, j in places(side)]


# The same as arrays for compiled rules, for all sides at once: [side, tile, …].
MOST_TILES = len(places(LARGEST))
NEIGHBOURS = np.zeros((LARGEST + 1, MOST_TILES, 6), "u2")  # beyond the edge: the number of tiles
CAPACITY = np.zeros((LARGEST + 1, MOST_TILES), "u1")  # the number of a tile's neighbours
for _side in range(SMALLEST, LARGEST + 1):
    NEIGHBOURS[_side] = len(places(_side))
    for _tile, _near in enumerate(neighbours(_side)):
        NEIGHBOURS[_side, _tile, : len(_near)] = _near
        CAPACITY[_side, _tile] = len(_near)
