"""The race without desert tiles, solved: who wins and who comes last from every position and set of dice.

Without tiles and names, a position is just the squares of the camels in race order, the last camel first; which of two
camels on a square is ahead follows from the order. Five camels on 16 squares have 15,504 positions. A roll moves a
camel and those above it, its neighbours in the order, past the next few: it rotates one stretch of the order. Every
roll increases the sum of the squares, so one sweep from the greatest sum to the least, over positions and sets of dice
left, gives every value exactly.

In the second edition, the grey die takes its place among the dice, but moves nobody: what the crazy camels do to the
others is left out, so the values are approximate there. (With them, there would be 3.6 million positions, and cycles.)
"""

from __future__ import annotations

import functools
import itertools
from math import comb
from typing import Any

import numpy as np

from kibitz.compiler import compiled, mode, numbers
from kibitz.errors import KibitzError
from kibitz.games.camelup.track import FACES
from kibitz.rules.sets import count_bits

MOST_STATES = 1 << 20  # positions times sets of dice: takes 200 MB
# COMBINATIONS[n, k]: the binomial coefficient "n choose k".
COMBINATIONS = np.array([[comb(n, k) for k in range(8)] for n in range(40)])


def leg_starts(game: Any) -> Any:
    """By position: each place's probability of winning, the last place first, then each one's of coming last.

    Two more columns follow: the expected numbers of dice rolled until the end, and of legs begun after this one.
    """
    return _solved(game.camels, game.squares, game.is_second, mode())[0]


def all_values(game: Any) -> Any:
    """By position and dice left: the columns of `leg_starts`, then those of leading and being second after the leg."""
    return _solved(game.camels, game.squares, game.is_second, mode())[1]


@functools.lru_cache(maxsize=8)
def _solved(camels: int, squares: int, has_grey_die: bool, mode: str) -> tuple[Any, Any]:
    """The values of leg starts, and all values in single precision, computed together and once per mode.

    (Plain Python reads arrays of another kind.)
    """
    count, dice = comb(squares + camels - 1, camels), camels + has_grey_die
    if count << dice > MOST_STATES:
        raise KibitzError(f"The odds of a race of {camels} camels over {squares} squares take too much memory.")
    # In the order of their numbers: by the leading camel first.
    places = sorted(itertools.combinations_with_replacement(range(squares), camels), key=lambda place: place[::-1])
    positions, order = numbers((count, camels), "i1"), numbers(count, "i4")
    positions[:] = np.array(places)
    order[:] = np.argsort(-np.array(places).sum(axis=1), kind="stable")
    values = numbers((count, 1 << dice, 4 * camels + 2), "f8")
    sets = numbers(1 << dice, "i4")
    sets[:] = dice_sets(camels, has_grey_die)
    solve_race(squares, positions, order, sets, values)
    found = np.asarray(values)
    starts, rounded = numbers((count, 2 * camels + 2), "f8"), numbers(found.shape, "f4")
    starts[:] = found[:, -1, : 2 * camels + 2]
    rounded[:] = found
    return starts, rounded


def dice_sets(camels: int, has_grey_die: bool) -> list[int]:
    """All sets of dice, each after those that its value depends on in the same position.

    Only the grey die leaves the position as it is. So sets without it come first; then the full set, with which the
    next leg begins; then the rest.
    """
    grey = 1 << camels
    return [*range(grey), *range(2 * grey - 1, grey - 1, -1)] if has_grey_die else [*range(grey)]


@compiled
def solve_race(squares: int, positions: Any, order: Any, sets: Any, values: Any) -> None:
    """Fill in values[position, dice left], from the end of the race to its start."""
    camels, full = positions.shape[1], len(sets) - 1
    spare = count_bits(full) - camels  # dice left at the end of a leg
    for i in range(len(order)):
        position = order[i]
        for k in range(len(sets)):
            dice = sets[k]
            if count_bits(dice) > spare:
                row = values[position, dice]
                share = 1.0 / (FACES * count_bits(dice))
                for rank in range(camels):
                    if dice >> rank & 1:
                        for distance in range(1, FACES + 1):
                            add_roll(squares, positions[position], dice ^ 1 << rank, rank, distance, share, values, row)
                if dice >> camels & 1:  # the grey die
                    add_values(values, position, dice ^ 1 << camels, 0, 0, 0, FACES * share, row)


@compiled
def add_roll(goal: int, squares: Any, dice: int, rank: int, distance: int, share: float, values: Any, row: Any) -> None:
    """Add the outcome of one roll to a row: of the camel at a place in the race, with `dice` left after it."""
    camels = len(squares)
    target = squares[rank] + distance
    leads, follows = 2 * camels + 2, 3 * camels + 2
    top = rank  # the topmost of the camels that move
    while top + 1 < camels and squares[top + 1] == squares[rank]:
        top += 1
    if target >= goal:
        row[top] += share
        row[camels + (0 if rank > 0 or top == camels - 1 else top + 1)] += share
        row[2 * camels] += share
        row[leads + top] += share
        row[follows + (top - 1 if top > rank or top == camels - 1 else camels - 1)] += share
        return
    passed = 0
    while top + 1 + passed < camels and squares[top + 1 + passed] <= target:
        passed += 1
    group = top - rank + 1
    position, dice_then = 0, dice >> camels << camels
    for old in range(camels):
        new = new_rank(old, rank, group, passed)
        square = target if rank <= old <= top else squares[old]
        position += COMBINATIONS[square + new, new + 1]
        dice_then |= (dice >> old & 1) << new
    add_values(values, position, dice_then, rank, group, passed, share, row)


@compiled
def add_values(
    values: Any, position: int, dice: int, first: int, group: int, passed: int, share: float, row: Any
) -> None:
    """Add the values after a roll to a row: `group` camels from place `first` on have passed the next few."""
    camels = (len(row) - 2) // 4
    full = values.shape[1] - 1
    leads, follows = 2 * camels + 2, 3 * camels + 2
    ends = count_bits(dice) == count_bits(full) - camels
    then = values[position, full if ends else dice]
    for old in range(camels):
        new = new_rank(old, first, group, passed)
        row[old] += share * then[new]
        row[camels + old] += share * then[camels + new]
        if ends:
            row[leads + old] += share if new == camels - 1 else 0.0
            row[follows + old] += share if new == camels - 2 else 0.0
        else:
            row[leads + old] += share * then[leads + new]
            row[follows + old] += share * then[follows + new]
    row[2 * camels] += share * (1.0 + then[2 * camels])
    row[2 * camels + 1] += share * (then[2 * camels + 1] + (1.0 if ends else 0.0))


@compiled
def new_rank(old: int, first: int, group: int, passed: int) -> int:
    """The new place of the camel at an old one, after `group` camels from place `first` on have passed the next few."""
    if old < first or old >= first + group + passed:
        return old
    return old + passed if old < first + group else old - group


def start_ranks(game: Any) -> Any:
    """By place at the start, the last first: the columns of `leg_starts`, averaged over all starts."""
    starts, average = np.array(leg_starts(game)), np.zeros(2 * game.camels + 2)
    for squares in itertools.product(range(FACES), repeat=game.camels):
        average += starts[number_of(sorted(squares))]
    return average / FACES**game.camels


def number_of(squares: Any) -> int:
    """The number of a position, given its squares from the last camel to the first."""
    return sum(int(COMBINATIONS[square + rank, rank + 1]) for rank, square in enumerate(squares))
