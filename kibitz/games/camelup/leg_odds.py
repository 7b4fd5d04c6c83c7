"""Exact odds: who leads when the leg ends, who wins the race, and where camels will land.

The leg is enumerated: all orders of the dice left and all distances, desert tiles included. After each die, positions
that are reached in several ways are merged by (track, dice left), so that the 29,160 ways in which five dice can fall
take a few thousand steps. After the leg, the race goes on by the odds without tiles (race_odds.py): the effect of
tiles in later legs is neglected.

A track is one number with 8 bits for each camel, 8·square + height (greater is ahead), and the dice left above them.
"""

from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.games.camelup.race_odds import COMBINATIONS, leg_starts
from kibitz.games.camelup.track import FACES
from kibitz.rules.sets import count_bits

BITS = 8  # of a camel in a track
DICE = 56  # the bit of the first die
SCATTER = 0x2545F4914F6CDD1D  # an odd multiplier for hashing


class LegOdds(NamedTuple):
    """The results of `foresee`, and its scratch space."""

    first: Any  # by camel: the probability of leading at the end of the leg …
    second: Any  # … of being second …
    last: Any  # … and last
    pairs: Any  # [first, second]: the probability of both together
    wins: Any  # by camel: the probability of winning the race …
    loses: Any  # … and of coming last in it; both only with the values of leg starts
    landings: Any  # by square: expected landings in this leg, before desert tiles move the camels
    over: Any  # [the probability that the race ends in this leg]
    starts: Any  # the values of leg starts (race_odds.py); empty: the race is left out
    tiles: Any  # by square: 1 an oasis, −1 a mirage
    tracks: Any  # [now and after the next die, place in the list]
    weights: Any  # their probabilities
    slots: Any  # hash table of places in the list, counted from 1; 0: free


def new_odds(game: Any, race: bool) -> LegOdds:
    """Space for the odds of a leg and, optionally, of the race."""
    camels = game.camels
    longest = factorial(camels) * FACES ** (camels - 1)  # tracks before the last die; merging leaves far fewer
    return LegOdds(
        first=numbers(camels, "f8"),
        second=numbers(camels, "f8"),
        last=numbers(camels, "f8"),
        pairs=numbers((camels, camels), "f8"),
        wins=numbers(camels, "f8"),
        loses=numbers(camels, "f8"),
        landings=numbers(game.squares + FACES + 1, "f8"),
        over=numbers(1, "f8"),
        starts=leg_starts(game) if race else numbers((0, 0), "f8"),
        tiles=numbers(game.squares + FACES + 1, "i8"),
        tracks=numbers((2, longest), "i8"),
        weights=numbers((2, longest), "f8"),
        slots=numbers(1 << (2 * longest - 1).bit_length(), "i4"),
    )


@compiled
def foresee(game: Any, s: Any, odds: LegOdds) -> None:
    """Find the odds of the leg and the race from a position, with its desert tiles."""
    odds.tiles[:] = 0
    for player in range(game.players):
        if s.tile[player] != 0:
            odds.tiles[abs(s.tile[player])] = 1 if s.tile[player] > 0 else -1
    foresee_with_tiles(game, s, odds)


@compiled
def foresee_with_tiles(game: Any, s: Any, odds: LegOdds) -> None:
    """Find the odds from a position with the desert tiles in `odds.tiles`."""
    tracks, weights = odds.tracks, odds.weights
    clear(odds)
    tracks[0, 0] = track_of(game, s)
    weights[0, 0] = 1.0
    count, now = 1, 0
    left = count_bits(s.dice)
    if left == 0 or s.square[game.leader(s)] >= game.squares:
        tally(game, odds, tracks[0, 0], 1.0, True)
        return
    while left > 0:
        mask = 63
        while mask < 4 * count * left:  # a generous guess, as small tables are quickly cleared
            mask = 2 * mask + 1
        mask = min(mask, len(odds.slots) - 1)
        if left > 1:
            odds.slots[: mask + 1] = 0
        then = 0
        for i in range(count):
            track, weight = tracks[now, i], weights[now, i] / (FACES * left)
            for camel in range(game.camels):
                if track >> (DICE + camel) & 1:
                    for distance in range(1, FACES + 1):
                        target = (track >> (BITS * camel + 3) & 31) + distance
                        odds.landings[target] += weight
                        effect = odds.tiles[target]
                        moved = move_camels(game, track, camel, target + effect, effect < 0) ^ 1 << (DICE + camel)
                        if target + effect >= game.squares:
                            odds.over[0] += weight
                            tally(game, odds, moved, weight, True)
                        elif left == 1:
                            tally(game, odds, moved, weight, False)
                        else:
                            then = merge(odds, 1 - now, then, moved, weight, mask)
        count, now = then, 1 - now
        left -= 1


@compiled
def clear(odds: LegOdds) -> None:
    odds.first[:] = 0.0
    odds.second[:] = 0.0
    odds.last[:] = 0.0
    odds.pairs[:] = 0.0
    odds.wins[:] = 0.0
    odds.loses[:] = 0.0
    odds.landings[:] = 0.0
    odds.over[:] = 0.0


@compiled
def track_of(game: Any, s: Any) -> int:
    """The track of a position as one number."""
    track = s.dice << DICE
    for camel in range(game.camels):
        track |= (8 * s.square[camel] + s.height[camel]) << (BITS * camel)
    return track


@compiled
def move_camels(game: Any, track: int, camel: int, target: int, beneath: bool) -> int:
    """The track after a camel and all above it move to a square, on top of those there or beneath them."""
    place = track >> (BITS * camel) & 255
    top = place | 7
    carried = standing = 0
    for other in range(game.camels):
        at = track >> (BITS * other) & 255
        rides = (at >= place) & (at <= top)
        carried += rides
        standing += (at >> 3 == target) & (not rides)
    # The camels that move keep their order: square and height change for all as for the one at the bottom.
    step = 8 * target + (0 if beneath else standing) - place
    lift = carried if beneath else 0
    moved = track
    for other in range(game.camels):
        at = track >> (BITS * other) & 255
        if place <= at <= top:
            moved += step << (BITS * other)
        elif at >> 3 == target:
            moved += lift << (BITS * other)
    return moved


@compiled
def merge(odds: LegOdds, side: int, count: int, track: int, weight: float, mask: int) -> int:
    """Add a track to the list of one side, or its weight if it is there already; return the length of the list."""
    tracks, weights, slots = odds.tracks, odds.weights, odds.slots
    slot = (track * SCATTER >> 32) & mask
    while slots[slot] != 0:
        if tracks[side, slots[slot] - 1] == track:
            weights[side, slots[slot] - 1] += weight
            return count
        slot = (slot + 1) & mask
    tracks[side, count] = track
    weights[side, count] = weight
    slots[slot] = count + 1
    return count + 1


@compiled
def tally(game: Any, odds: LegOdds, track: int, weight: float, is_over: bool) -> None:
    """Count one way in which the leg can end, and what it means for the race."""
    camels = game.camels
    first = second = last = 0
    position = 0
    for camel in range(camels):
        rank = rank_of(game, track, camel)
        if rank == camels - 1:
            first = camel
        elif rank == camels - 2:
            second = camel
        if rank == 0:
            last = camel
        position += COMBINATIONS[(track >> (BITS * camel + 3) & 31) + rank, rank + 1]
    odds.first[first] += weight
    odds.second[second] += weight
    odds.last[last] += weight
    odds.pairs[first, second] += weight
    if len(odds.starts) == 0:
        return
    if is_over:
        odds.wins[first] += weight
        odds.loses[last] += weight
        return
    for camel in range(camels):
        rank = rank_of(game, track, camel)
        odds.wins[camel] += weight * odds.starts[position, rank]
        odds.loses[camel] += weight * odds.starts[position, camels + rank]


@compiled
def rank_of(game: Any, track: int, camel: int) -> int:
    """The number of camels behind a camel."""
    place = track >> (BITS * camel) & 255
    behind = 0
    for other in range(game.camels):
        behind += (track >> (BITS * other) & 255) < place
    return behind
