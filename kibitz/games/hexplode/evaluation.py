"""The evaluation of a position for the player to move: a sum over all stacks and all pairs of neighbours.

A stack's value depends on its neighbours. A stack with room for just one more counter is *critical*: it can hexplode
next turn, so that an opponent's stack beside it is half captured, and critical ones of one's own go off with it. What
a stack is worth by itself, and what each two neighbouring stacks are worth to each other, are log-odds of winning in
thousandths, fitted to deep searches of alpha-beta (benchmarks/tune_hexplode.py writes evaluation.npz). They hold for
the player to move, who strikes first; both players' values, as if each were to move, are kept and updated with every
counter, which changes its tile and the pairs around it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiler import compiled
from kibitz.games.hexplode.tiles import CAPACITY, LARGEST, NEIGHBOURS, SMALLEST, places

WEIGHTS = Path(__file__).parent / "evaluation.npz"
TALLEST = 5  # a stack on a tile with six neighbours
EVEN_ODDS = 2000.0  # makes 0.5 + 0.5 · lead / (EVEN_ODDS + |lead|) close to the logistic curve

# Kinds of stacks: by the number of the tile's neighbours and the stack, which is negative if it is the opponent's.
KINDS = [(capacity, stack) for capacity in (3, 4, 6) for stack in range(1 - capacity, capacity)]
OUTSIDE = len(KINDS)  # what lies beside a tile at the edge
TO_THE_OTHER = [KINDS.index((capacity, -stack)) for capacity, stack in KINDS]  # from the other player's side
KIND = np.zeros((7, 2 * TALLEST + 1), "u1")  # [capacity, TALLEST + stack]
for _number, (_capacity, _stack) in enumerate(KINDS):
    KIND[_capacity, TALLEST + _stack] = _number

# The values of both players at once: that to player 0 times BOTH, plus that to player 1. Every value is looked up,
# without branches, which could not be predicted here.
BOTH = 1 << 32


def for_both(values: np.ndarray, seen_by_the_other: np.ndarray) -> np.ndarray:
    """The values to both players of what is worth `values` to player 0 if player 0 is to move."""
    return values * BOTH + seen_by_the_other


with np.load(WEIGHTS) as _weights:
    _alone, _beside = _weights["alone"].astype("i8"), _weights["beside"].astype("i8")
ALONE = for_both(_alone, _alone[TO_THE_OTHER])  # [kind]
BESIDE = np.zeros((OUTSIDE, OUTSIDE + 1), "i8")  # [kind, kind of the neighbour]
BESIDE[:, :OUTSIDE] = for_both(_beside, _beside[np.ix_(TO_THE_OTHER, TO_THE_OTHER)])

EMPTY_BOARD = np.zeros(LARGEST + 1, "i8")  # [side]
for _side in range(SMALLEST, LARGEST + 1):
    _tiles = len(places(_side))
    _kinds = np.append(KIND[CAPACITY[_side, :_tiles], TALLEST], OUTSIDE)
    _pairs = BESIDE[_kinds[:-1, None], _kinds[NEIGHBOURS[_side, :_tiles]]].sum() // 2  # each pair is counted twice
    EMPTY_BOARD[_side] = ALONE[_kinds[:-1]].sum() + _pairs


@compiled
def change(side: int, kinds: Any, tile: int, after: int) -> int:
    """Record the new kind of a stack; return how much the value to both players changes."""
    was, now = kinds[tile], KIND[CAPACITY[side, tile], TALLEST + after]
    kinds[tile] = now
    worth = ALONE[now] - ALONE[was]
    for direction in range(6):
        beside = kinds[NEIGHBOURS[side, tile, direction]]
        worth += BESIDE[now, beside] - BESIDE[was, beside]
    return worth


@compiled
def lead(worth: int, player: int) -> int:
    """Extract one player's value from that of both."""
    to_player_1 = ((worth + BOTH // 2) & (BOTH - 1)) - BOTH // 2
    return to_player_1 if player == 1 else (worth - to_player_1) >> 32
