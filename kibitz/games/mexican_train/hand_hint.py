"""The longest sequence in a hand, as a hint for people. Bots plan with sequences.py, which is compiled."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = 1000  # limit of the search; the best sequence found by then is good enough

Halves = tuple[int, int]  # of a tile: the one that fits, and the one that follows


def arrange_hand(rows: Sequence[int], end: int) -> tuple[list[Halves], list[Halves]]:
    """A sorted hand: a longest sequence for a train, as it would lie there, and the other tiles by pips."""
    sequence = longest_sequence(rows, end)
    planned = {(min(halves), max(halves)) for halves in sequence}
    tiles = {(low, high) for high, row in enumerate(rows) for low in range(high + 1) if row >> low & 1}
    return sequence, sorted(tiles - planned, key=lambda halves: (-sum(halves), halves))


def longest_sequence(rows: Sequence[int], end: int) -> list[Halves]:
    """The most tiles that can be laid one after the other on a train, from the rows of a hand (tiles.py)."""
    left = list(rows)
    best: list[Halves] = []
    trail: list[Halves] = []
    options = [left[end]]
    steps, most = 0, sum((row & (2 << number) - 1).bit_count() for number, row in enumerate(rows))
    while options:
        number = trail[-1][1] if trail else end
        if options[-1] == 0 or steps > STEPS or len(best) == most:
            options.pop()
            if trail:
                before, after = trail.pop()
                left[before] |= 1 << after
                left[after] |= 1 << before
            continue
        following = options[-1].bit_length() - 1  # the tile with most pips first
        options[-1] ^= 1 << following
        left[number] &= ~(1 << following)
        left[following] &= ~(1 << number)
        trail.append((number, following))
        options.append(left[following])
        steps += 1
        if len(trail) > len(best):
            best = list(trail)
    return best
