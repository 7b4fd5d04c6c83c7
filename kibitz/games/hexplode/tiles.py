"""The tiles of a hexagon: their numbers, names and neighbours.

Columns are counted from the left, tiles in them from the top, and numbers run down the columns.
"""

from __future__ import annotations

from functools import cache

import numpy as np

SMALLEST, LARGEST = 2, 12  # tiles along an edge

Place = tuple[int, int]  # column and place in it


def columns(side: int) -> list[int]:
    """How many tiles each column has, from the left."""
    return [min(side + i, 3 * side - 2 - i) for i in range(2 * side - 1)]


@cache
def places(side: int) -> list[Place]:
    """Where every tile is, in the order of their numbers."""
    return [(i, j) for i, length in enumerate(columns(side)) for j in range(length)]


@cache
def names(side: int) -> list[str]:
    """What every tile is called: `tile_column_place`."""
    return [f"tile_{i}_{j}" for i, j in places(side)]


@cache
def neighbours(side: int) -> list[list[int]]:
    """The numbers of each tile's neighbours: north, south, then those in the columns beside it.

    The order is that of the original server, whose bots may lean on it: northern before southern, in each case the
    column that is nearer to the middle first; in the middle column first both northern, then both southern ones.
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
    """Every tile on two oblique axes through the middle, on which neighbours are the same steps away everywhere."""
    return [(i - (side - 1), j - min(i, side - 1)) for i, j in places(side)]


# The same for compiled rules, for all sides at once: [side, tile, …].
MOST_TILES = len(places(LARGEST))
NEIGHBOURS = np.zeros((LARGEST + 1, MOST_TILES, 6), "i2")  # beyond the edge: the number after the last tile's
CAPACITY = np.zeros((LARGEST + 1, MOST_TILES), "i1")  # how many neighbours a tile has
for _side in range(SMALLEST, LARGEST + 1):
    NEIGHBOURS[_side] = len(places(_side))
    for _tile, _near in enumerate(neighbours(_side)):
        NEIGHBOURS[_side, _tile, : len(_near)] = _near
        CAPACITY[_side, _tile] = len(_near)
