"""A transposition table: results of the positions searched so far, under keys of 64 bits.

Entries come in pairs: the first keeps the position that took the most nodes to search, the second the newest one
(Breuker 1998, "TwoBig"). Entries of an earlier search in the same game are replaced first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiler import compiled
from kibitz.rules.rng import WORD, mixed

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # how a score relates to the true value; 0: the entry is empty
ENTRY = np.dtype(
    [
        ("key", "u8"),
        ("score", "i4"),
        ("move", "i4"),  # the best one found
        ("effort", "i4"),  # nodes
        ("depth", "i2"),
        ("bound", "i1"),
        ("age", "i1"),  # the number of the search, modulo 100
    ]
)


@compiled
def position_key(game: Any, s: Any, words: Any, row: int, public: int, keyed: Any) -> Any:
    """The 64-bit key of a position, which is also in row `row` of `words`: the first `public` words of it.

    `keyed` is None for a game without a key of its own, so that numba drops the branch that would ask for it.
    """
    if keyed is not None:
        return mixed(int(np.uint64(game.key(s) & WORD >> 1)))
    key = mixed(words[row, 0])
    for i in range(1, public):
        key = mixed(key ^ words[row, i])
    return key


@compiled
def find(table: Any, key: Any) -> int:
    """The index of a position's entry; −1 if there is none."""
    at = pair_of(table, key)
    if table[at].key == key and table[at].bound:
        return at
    if table[at + 1].key == key and table[at + 1].bound:
        return at + 1
    return -1


@compiled
def place_for(table: Any, key: Any, effort: int, age: int) -> int:
    """The index of the entry to replace with a position."""
    at = pair_of(table, key)
    first = table[at]
    return at if first.key == key or first.age != age or first.effort <= effort else at + 1


@compiled
def pair_of(table: Any, key: Any) -> int:
    return int(np.int64(key & WORD >> 1)) & (len(table) - 2)
