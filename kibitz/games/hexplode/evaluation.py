"""The evaluation of a position for the player to move: a sum over all tiles and all pairs of neighbours.

A stack's value depends on its neighbours. A stack with room for just one more counter is *critical*: it can hexplode
next turn, so that an opponent's stack beside it is half captured, and critical ones of one's own go off with it. The
values are log-odds of winning in thousandths, fitted to games of alpha-beta (benchmarks/tune_hexplode.py). They hold
for the player to move, who strikes first; both players' values, as if each were to move, are kept and updated with
every counter, which changes its tile and the pairs around it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiler import compiled
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS

# By the number of a tile's neighbours: the value of a stack of 1, 2, 3 … counters, one's own or the opponent's.
OWN = {3: (104, 141), 4: (27, 10, 39), 6: (-29, -9, 26, -29, -24)}
THEIRS = {3: (-121, -158), 4: (-27, -10, -31), 6: (22, 8, -16, 52, 49)}

# The value of a pair of neighbours by kind: empty; one's own with room for one counter, two, or more; theirs likewise.
EMPTY, OWN_CRITICAL, THEIR_CRITICAL, OUTSIDE = 0, 1, 4, 7
BESIDE = (
    (0, 30, 10, -3, -28, -7, 6),
    (30, 26, 83, 52, 69, 120, 31),
    (10, 83, 56, 28, -108, 26, 26),
    (-3, 52, 28, 13, -43, -31, 2),
    (-28, 69, -108, -43, -27, -89, -54),
    (-7, 120, 26, -31, -89, -45, -21),
    (6, 31, 26, 2, -54, -21, -7),
)
TO_THE_OTHER = (0, 4, 5, 6, 1, 2, 3)  # each kind from the other player's side
EVEN_ODDS = 2000.0  # makes 0.5 + 0.5 · lead / (EVEN_ODDS + |lead|) close to the logistic curve


def kind_of(capacity: int, stack: int) -> int:
    """The kind of a stack (positive: player 0's) from player 0's side, as it matters to its neighbours."""
    if stack == 0:
        return EMPTY
    return (OWN_CRITICAL if stack > 0 else THEIR_CRITICAL) + min(capacity - abs(stack), 3) - 1


def worth_of(capacity: int, stack: int) -> int:
    """The value of a stack to player 0, if player 0 is to move."""
    return (OWN if stack > 0 else THEIRS)[capacity][abs(stack) - 1] if stack else 0


# The same as tables for compiled rules, for both players at once: the value to player 0 times BOTH, plus the value to
# player 1. Every value is looked up, without branches, which could not be predicted here.
BOTH = 1 << 32
KIND = np.zeros((7, 11), "i1")  # [capacity, 5 + stack]
WORTH = np.zeros((7, 11), "i8")
for _capacity in OWN:
    for _stack in range(1 - _capacity, _capacity):
        KIND[_capacity, 5 + _stack] = kind_of(_capacity, _stack)
        WORTH[_capacity, 5 + _stack] = worth_of(_capacity, _stack) * BOTH + worth_of(_capacity, -_stack)
_beside = np.array(BESIDE, "i8")
_pair = _beside * BOTH + _beside[np.ix_(TO_THE_OTHER, TO_THE_OTHER)]
CHANGE = np.zeros((OUTSIDE, OUTSIDE, OUTSIDE + 1), "i8")  # [kind before, kind after, kind of the neighbour]
CHANGE[:, :, :OUTSIDE] = _pair[None, :, :] - _pair[:, None, :]


@compiled
def change(side: int, kinds: Any, tile: int, before: int, after: int) -> int:
    """Record the new kind of a stack; return how much the value to both players changes."""
    capacity = CAPACITY[side, tile]
    was, now = kinds[tile], KIND[capacity, 5 + after]
    kinds[tile] = now
    worth = WORTH[capacity, 5 + after] - WORTH[capacity, 5 + before]
    for direction in range(6):
        worth += CHANGE[was, now, kinds[NEIGHBOURS[side, tile, direction]]]
    return worth


@compiled
def lead(worth: int, player: int) -> int:
    """Extract one player's value from that of both."""
    to_player_1 = ((worth + BOTH // 2) & (BOTH - 1)) - BOTH // 2
    return to_player_1 if player == 1 else (worth - to_player_1) >> 32
