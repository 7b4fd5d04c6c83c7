"""Exact odds: who leads when the leg ends, who wins the race, and where camels will land.

The leg is enumerated: all orders of the dice left and all distances, with desert tiles and crazy camels. After each
die, positions that are reached in several ways are merged by (track, dice left), so that the 29,160 ways in which five
dice can fall take a few thousand steps. After the leg, the race goes on by the odds of race_odds.py: the effect of
tiles and of crazy camels in later legs is neglected.

A track is one number with 8 bits for each camel, 8·(square + 1) + height (greater is ahead), and the dice left above
them. Camels that have left the track are on square −1, or on the one after the last.
"""

from __future__ import annotations

from math import perm
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.errors import KibitzError
from kibitz.games.camelup.race_odds import COMBINATIONS, leg_starts
from kibitz.games.camelup.track import FACES
from kibitz.rules.sets import count_bits

BITS = 8  # of a camel in a track
DICE = 56  # the bit of the first die
MOST_ANIMALS = DICE // BITS
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


def too_many_animals(game: Any) -> str | None:
    """Why there are no odds for a game, or None."""
    if game.animals > MOST_ANIMALS:
        return f"the odds cover five camels beside the crazy ones, not {game.camels}."
    return None


def new_odds(game: Any, race: bool) -> LegOdds:
    """Space for the odds of a leg and, optionally, of the race."""
    if reason := too_many_animals(game):
        raise KibitzError(reason[0].upper() + reason[1:])
    camels = game.camels
    # The number of ways in which the leg can go; merging leaves far fewer. A grey die has twice as many outcomes.
    longest = perm(count_bits(game.leg_dice), camels) * FACES**camels * (1 + game.spare_dice)
    return LegOdds(
        first=numbers(camels, "f8"),
        second=numbers(camels, "f8"),
        last=numbers(camels, "f8"),
        pairs=numbers((camels, camels), "f8"),
        wins=numbers(camels, "f8"),
        loses=numbers(camels, "f8"),
        landings=numbers(game.squares, "f8"),
        over=numbers(1, "f8"),
        starts=leg_starts(game) if race else numbers((0, 0), "f8"),
        tiles=numbers(game.squares, "i8"),
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
    while left > game.spare_dice:
        outcomes = FACES * (left + game.spare_dice)  # at most; a grey die has twice as many
        mask = 63
        while mask < 2 * count * outcomes:
            mask = 2 * mask + 1
        mask = min(mask, len(odds.slots) - 1)
        odds.slots[: mask + 1] = 0
        then = 0
        for i in range(count):
            track, share = tracks[now, i], weights[now, i] / (FACES * left)
            if is_race_over(game, track):
                then = merge(odds, 1 - now, then, track, weights[now, i], mask)
                continue
            for camel in range(game.animals):
                is_crazy = camel >= game.camels
                die = min(camel, game.camels)
                if track >> (DICE + die) & 1:
                    mover = crazy_mover(game, track, camel) if is_crazy else camel
                    forward = -1 if is_crazy else 1
                    weight = share / 2 if is_crazy else share
                    for distance in range(1, FACES + 1):
                        target = square_of(track, mover) + forward * distance
                        effect = 0
                        if 0 <= target < game.squares:
                            odds.landings[target] += weight
                            effect = odds.tiles[target]
                        moved = move_camels(game, track, mover, target + forward * effect, effect < 0)
                        then = merge(odds, 1 - now, then, moved ^ 1 << (DICE + die), weight, mask)
        count, now = then, 1 - now
        left -= 1
    tally(game, odds, now, count)


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
    for camel in range(game.animals):
        square = min(max(s.square[camel], -1), game.squares)
        track |= (8 * (square + 1) + s.height[camel]) << (BITS * camel)
    return track


@compiled
def is_race_over(game: Any, track: int) -> bool:
    """Whether a camel has left the track, at either end."""
    found = False
    for camel in range(game.animals):
        found |= not 0 <= square_of(track, camel) < game.squares
    return found


@compiled
def square_of(track: int, camel: int) -> int:
    return (track >> (BITS * camel + 3) & 31) - 1


@compiled
def crazy_mover(game: Any, track: int, camel: int) -> int:
    """The crazy camel that moves when the grey die shows `camel`."""
    other = 2 * game.camels + 1 - camel
    place, other_place = track >> (BITS * camel) & 255, track >> (BITS * other) & 255
    if place >> 3 == other_place >> 3 and abs(place - other_place) == 1:
        return camel if place > other_place else other
    return other if carries(game, track, other_place) and not carries(game, track, place) else camel


@compiled
def carries(game: Any, track: int, place: int) -> bool:
    """Whether a camel that is in the race is above a place."""
    found = False
    for camel in range(game.camels):
        found |= place < track >> (BITS * camel) & 255 <= place | 7
    return found


@compiled
def move_camels(game: Any, track: int, camel: int, target: int, beneath: bool) -> int:
    """The track after a camel and all above it move to a square, on top of those there or beneath them."""
    target = min(max(target, -1), game.squares) + 1
    place = track >> (BITS * camel) & 255
    top = place | 7
    carried = standing = 0
    for other in range(game.animals):
        at = track >> (BITS * other) & 255
        rides = (at >= place) & (at <= top)
        carried += rides
        standing += (at >> 3 == target) & (not rides)
    # The camels that move keep their order: square and height change for all as for the one at the bottom.
    step = 8 * target + (0 if beneath else standing) - place
    lift = carried if beneath else 0
    moved = track
    for other in range(game.animals):
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
def tally(game: Any, odds: LegOdds, side: int, count: int) -> None:
    """Add up the ways in which the leg can end, the list of one side, and what they mean for the race."""
    for i in range(count):
        track, weight = odds.tracks[side, i], odds.weights[side, i]
        position = first = second = last = 0
        ranks = 0  # four bits for each camel's rank: the number of camels behind it
        for camel in range(game.camels):
            place = track >> (BITS * camel) & 255
            rank = 0
            for other in range(game.camels):
                rank += (track >> (BITS * other) & 255) < place
            first = camel if rank == game.camels - 1 else first
            second = camel if rank == game.camels - 2 else second
            last = camel if rank == 0 else last
            ranks |= rank << (4 * camel)
        odds.first[first] += weight
        odds.second[second] += weight
        odds.last[last] += weight
        odds.pairs[first, second] += weight
        is_over = is_race_over(game, track)
        odds.over[0] += weight if is_over else 0.0
        if len(odds.starts) > 0:
            if is_over:
                odds.wins[first] += weight
                odds.loses[last] += weight
            else:
                for camel in range(game.camels):
                    rank = ranks >> (4 * camel) & 15
                    position += COMBINATIONS[square_of(track, camel) + rank, rank + 1]
                for camel in range(game.camels):
                    rank = ranks >> (4 * camel) & 15
                    odds.wins[camel] += weight * odds.starts[position, rank]
                    odds.loses[camel] += weight * odds.starts[position, game.camels + rank]
