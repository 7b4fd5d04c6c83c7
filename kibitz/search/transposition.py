"""A table of positions already searched, under a key of 64 bits, for searches that meet them again.

Entries stand in pairs: the first keeps the position that took most effort to search, the second the newest one
(Breuker 1998, "TwoBig"). What an earlier search of the same game left behind goes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled import compiled
from kibitz.rng import WORD

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a score is for the true value; 0: the entry is empty
ENTRY = np.dtype(
    [
        ("key", "u8"),
        ("score", "i4"),
        ("move", "i4"),  # the best found
        ("effort", "i4"),  # nodes
        ("depth", "i2"),
        ("bound", "i1"),
        ("age", "i1"),  # the number of the search, modulo something
    ]
)


@compiled
def position_key(game: Any, s: Any, words: Any, row: int, public: int, keyed: Any) -> Any:
    """64 well-mixed bits of a position, which is also row `row` of `words`, the first `public` words of it.

    `keyed` is None for a game without a key of its own, so that numba drops the branch that would ask for it.
    """
    if keyed is not None:
        return mixed(int(np.uint64(game.key(s) & WORD >> 1)))
    key = mixed(words[row, 0])
    for i in range(1, public):
        key = mixed(key ^ words[row, i])
    return key


@compiled
def mixed(key: Any) -> Any:
    """An odd multiple, its upper half folded into the lower: different for different keys."""
    key = key * 0x9E37_79B9_7F4A_7C15 & WORD
    return key ^ key >> 32


@compiled
def find(table: Any, key: Any) -> int:
    """The place of a position's entry, −1 when there is none."""
    at = pair_of(table, key)
    if table[at].key == key and table[at].bound:
        return at
    if table[at + 1].key == key and table[at + 1].bound:
        return at + 1
    return -1


@compiled
def place_for(table: Any, key: Any, effort: int, age: int) -> int:
    """Where to put what is now known of a position."""
    at = pair_of(table, key)
    first = table[at]
    return at if first.key == key or first.age != age or first.effort <= effort else at + 1


@compiled
def pair_of(table: Any, key: Any) -> int:
    return int(np.int64(key & WORD >> 1)) & (len(table) - 2)
