"""Domino tiles as numbers, and sets of them as rows of bits: row a of a set has bit b if the tile a|b is in it.

A tile is in two rows, so that the row of a number holds all tiles that fit it. Tiles are numbered by their larger half,
then by the smaller one: 0|0, 0|1, 1|1, 0|2 … Those of a smaller set come first, and the highest double comes last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiler import compiled

MOST_PIPS = 12  # of a half, in the largest set
HALVES = np.array([(low, high) for high in range(MOST_PIPS + 1) for low in range(high + 1)])
PIPS = HALVES.sum(axis=1)
TILE = np.array(
    [[max(a, b) * (max(a, b) + 1) // 2 + min(a, b) for b in range(MOST_PIPS + 1)] for a in range(MOST_PIPS + 1)]
)
FIRST = np.array([(bits & -bits).bit_length() - 1 for bits in range(1 << MOST_PIPS + 1)])  # the lowest bit of a row
SIZE = np.array([bits.bit_count() for bits in range(1 << MOST_PIPS + 1)])  # how many bits it has: faster than counting


@compiled
def add_tile(rows: Any, tile: int) -> None:
    low, high = HALVES[tile, 0], HALVES[tile, 1]
    rows[low] |= 1 << high
    rows[high] |= 1 << low


@compiled
def drop_tile(rows: Any, tile: int) -> None:
    low, high = HALVES[tile, 0], HALVES[tile, 1]
    rows[low] &= ~(1 << high)
    rows[high] &= ~(1 << low)


@compiled
def has_tile(rows: Any, tile: int) -> bool:
    return (rows[HALVES[tile, 0]] >> HALVES[tile, 1] & 1) == 1


@compiled
def is_double(tile: int) -> bool:
    return HALVES[tile, 0] == HALVES[tile, 1]


@compiled
def fits_number(tile: int, number: int) -> bool:
    return HALVES[tile, 0] == number or HALVES[tile, 1] == number


@compiled
def other_half(tile: int, half: int) -> int:
    """The new end of a train after a tile is laid against `half`."""
    return HALVES[tile, 0] + HALVES[tile, 1] - half


@compiled
def list_tiles(rows: Any, out: Any) -> int:
    """Write the tiles of a set in order; return how many there are."""
    count = 0
    for high in range(len(rows)):
        row = rows[high]
        for low in range(high + 1):
            if row >> low & 1:
                out[count] = TILE[low, high]
                count += 1
    return count


@compiled
def nth_tile(rows: Any, n: int) -> int:
    """The tile with n smaller ones in the set."""
    for high in range(len(rows)):
        row = rows[high] & (2 << high) - 1
        if n < SIZE[row]:
            for low in range(high + 1):
                if row >> low & 1:
                    if n == 0:
                        return TILE[low, high]
                    n -= 1
        n -= SIZE[row]
    return -1


@compiled
def count_tiles(rows: Any) -> int:
    """The number of tiles in a set."""
    count = 0
    for a in range(len(rows)):
        count += SIZE[rows[a] & (2 << a) - 1]  # each at its larger half
    return count


@compiled
def count_pips(rows: Any) -> int:
    """The pips of all tiles in a set."""
    pips = 0
    for a in range(len(rows)):
        row = rows[a]
        pips += a * (SIZE[row] + (row >> a & 1))  # a double has two halves but one bit
    return pips
