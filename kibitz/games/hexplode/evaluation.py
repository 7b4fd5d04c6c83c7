"""What a position is worth to the player to move: a sum over the tiles and over all pairs of neighbours.

A stack is worth what stands beside it. One with room for a single counter more is *critical*: it strikes its neighbours
next turn, so that an opponent's stack beside it is half taken, and one's own there go off with it. The numbers are
thousandths of the logarithm of the odds to win, fitted to games of alpha-beta (benchmarks/tune_hexplode.py). They are
those of the player to move, who strikes first; they are kept for both players, were it their turn, and brought up to
date with every counter, which changes its tile and the pairs around it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled import compiled
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS

# By the neighbours of its tile, what a stack of one, two, three … counters is worth that is one's own, or theirs.
OWN = {3: (104, 141), 4: (27, 10, 39), 6: (-29, -9, 26, -29, -24)}
THEIRS = {3: (-121, -158), 4: (-27, -10, -31), 6: (22, 8, -16, 52, 49)}

# What two neighbours are worth by their kinds: empty; one's own with room for one counter, two, more; theirs likewise.
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
TO_THE_OTHER = (0, 4, 5, 6, 1, 2, 3)  # what a kind is to the other player
EVEN_ODDS = 2000.0  # with it, 0.5 + 0.5 · lead / (EVEN_ODDS + |lead|) is close to the logistic curve


def kind_of(capacity: int, stack: int) -> int:
    """What a stack (positive: player 0's) is to player 0, as far as its neighbours are concerned."""
    if stack == 0:
        return EMPTY
    return (OWN_CRITICAL if stack > 0 else THEIR_CRITICAL) + min(capacity - abs(stack), 3) - 1


def worth_of(capacity: int, stack: int) -> int:
    """What a stack is worth to player 0, if it is to move."""
    return (OWN if stack > 0 else THEIRS)[capacity][abs(stack) - 1] if stack else 0


# The same for compiled rules, to both players at once: what it is to player 0 times BOTH, plus what it is to player 1.
# Because nobody can foretell which stacks are worth a look, all is looked up: no branches.
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
    """Note the new kind of a stack; return by how much the worth to both players changes with it."""
    capacity = CAPACITY[side, tile]
    was, now = kinds[tile], KIND[capacity, 5 + after]
    kinds[tile] = now
    worth = WORTH[capacity, 5 + after] - WORTH[capacity, 5 + before]
    for direction in range(6):
        worth += CHANGE[was, now, kinds[NEIGHBOURS[side, tile, direction]]]
    return worth


@compiled
def lead(worth: int, player: int) -> int:
    """The worth to one player out of that to both."""
    to_player_1 = ((worth + BOTH // 2) & (BOTH - 1)) - BOTH // 2
    return to_player_1 if player == 1 else (worth - to_player_1) >> 32
