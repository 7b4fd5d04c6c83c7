"""The best sequence a hand can lay on its own train: the longest, then with most doubles, then with most pips.

A hand is a graph of numbers joined by tiles, and a sequence is a trail through it from the end of the train. A
depth-first search finds the best one; ties go to the first in lexicographic order. It prunes branches that cannot
become better: a trail enters and leaves a number, so of a number with an odd count of tiles one is left over, unless
the trail begins or ends there. The search is limited: for large hands it returns the best sequence it has found.

A sequence stays the best while its own tiles are laid in order and others go elsewhere; only a new tile can make a
better one. So a Planner keeps each player's sequence, and searches are rare. A kept sequence is exactly what a new
search would find; the result of a search that was cut short is not kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.games.mexican_train.tiles import FIRST, HALVES, MOST_PIPS, PIPS, SIZE, TILE, has_tile

# What a tile adds: length first, then a double, then pips; no sum of lesser terms reaches a greater one.
ONE_TILE, ONE_DOUBLE = 1 << 20, 1 << 14
QUICK_STEPS = 300  # limit of a search that is made thousands of times per move
NUMBERS = MOST_PIPS + 1
TILES = NUMBERS * (NUMBERS + 1) // 2
SEATS = 8


class Planner(NamedTuple):
    """The best sequence of each player, and the scratch space of the search."""

    tiles: Any  # [player, place in the sequence]
    length: Any
    begin: Any  # how many tiles of the sequence are laid already
    rows: Any  # the hand it was found for
    known: Any  # whether there is one
    left: Any  # the search: tiles not on the trail,
    at: Any  # the numbers of the trail,
    options: Any  # the numbers still to be tried from each,
    gain: Any  # and the value of the trail up to there


def new_planner() -> Planner:
    return Planner(
        tiles=numbers((SEATS, TILES), "i8"),
        length=numbers(SEATS, "i8"),
        begin=numbers(SEATS, "i8"),
        rows=numbers((SEATS, NUMBERS), "i8"),
        known=numbers(SEATS, "i8"),
        left=numbers(NUMBERS, "i8"),
        at=numbers(TILES + 1, "i8"),
        options=numbers(TILES + 1, "i8"),
        gain=numbers(TILES + 1, "i8"),
    )


@compiled
def plan(planner: Planner, player: int, hand: Any, end: int, limit: int) -> None:
    """Bring a player's sequence from `end` up to date: it is tiles[player, begin[player] … length[player] − 1]."""
    if not (planner.known[player] and still_holds(planner, player, hand, end)):
        for number in range(len(hand)):
            planner.rows[player, number] = hand[number]
        planner.begin[player] = 0
        planner.known[player] = find_sequence(planner, player, hand, end, limit)


@compiled
def still_holds(planner: Planner, player: int, hand: Any, end: int) -> bool:
    """Whether the rest of the sequence is still the best: no tile was added, and its own were laid in order."""
    for number in range(len(hand)):
        if hand[number] & ~planner.rows[player, number]:
            return False
    tiles, length = planner.tiles[player], planner.length[player]
    begin = 0  # not planner.begin: the hand may be from an earlier position
    while begin < length and not has_tile(hand, tiles[begin]):
        begin += 1
    planner.begin[player] = begin
    number = end
    for place in range(begin, length):
        low, high = HALVES[tiles[place], 0], HALVES[tiles[place], 1]
        if not has_tile(hand, tiles[place]) or (number != low and number != high):
            return False
        number = low + high - number
    # Nothing left is the best sequence only if no tile fits the end.
    return begin < length or hand[end] == 0


@compiled
def find_sequence(planner: Planner, player: int, hand: Any, end: int, limit: int) -> bool:
    """Find the best sequence from `end`; return whether the search was complete."""
    left, at, options, gain = planner.left, planner.at, planner.options, planner.gain
    odd = worth = 0
    reachable = reach(hand, end)
    for number in range(len(hand)):
        row = hand[number] if reachable >> number & 1 else 0
        left[number] = row
        odd |= (SIZE[row & ~(1 << number)] & 1) << number
        while row >> number:  # each tile once, at its smaller half
            tile = TILE[number, number + FIRST[row >> number]]
            worth += ONE_TILE + PIPS[tile] + (ONE_DOUBLE if row >> number & 1 else 0)
            row &= ~(1 << number + FIRST[row >> number])
    depth, best, steps = 0, 0, 0
    at[0] = end
    options[0] = left[end]
    gain[0] = 0
    planner.length[player] = 0
    while depth >= 0:
        number = at[depth]
        if options[depth] == 0 or gain[depth] + bound(worth - gain[depth], odd, number) <= best:
            if depth > 0:  # take the last tile back
                before = at[depth - 1]
                left[before] |= 1 << number
                left[number] |= 1 << before
                odd ^= (1 << before) ^ (1 << number)
            depth -= 1
            continue
        steps += 1
        if steps > limit:
            return False
        following = FIRST[options[depth]]
        options[depth] &= options[depth] - 1
        tile = TILE[number, following]
        left[number] &= ~(1 << following)
        left[following] &= ~(1 << number)
        odd ^= (1 << number) ^ (1 << following)
        depth += 1
        at[depth] = following
        options[depth] = left[following]
        gain[depth] = gain[depth - 1] + ONE_TILE + PIPS[tile] + (ONE_DOUBLE if number == following else 0)
        if gain[depth] > best:
            best = gain[depth]
            planner.length[player] = depth
            for place in range(depth):
                planner.tiles[player, place] = TILE[at[place], at[place + 1]]
    return True


@compiled
def reach(hand: Any, end: int) -> int:
    """The numbers, as bits, that can be reached from `end` with the tiles of a hand."""
    reached = 1 << end
    fresh = reached
    while fresh:
        number = FIRST[fresh]
        fresh &= fresh - 1
        fresh |= hand[number] & ~reached
        reached |= hand[number]
    return reached


@compiled
def bound(worth: int, odd: int, number: int) -> int:
    """An upper bound of what a trail from `number` adds; `odd` are the numbers with an odd count of tiles left."""
    odd_ones = SIZE[odd ^ (1 << number)]
    return worth - ONE_TILE * (odd_ones // 2)
