"""A numbering of Ur's positions without gaps: the order of the table of their values.

A position is seen from the player next to throw. From most to least significant, its number says how many pieces each
side has yet to bring home; who occupies the safe steps 13 and 14 (the Masters path has none); who holds which shared
squares; which of the steps 1 to 4 each side occupies. The other pieces are in hand. The number of pieces at home does
not matter, so a table for many pieces begins with the one for fewer.

Pieces never come back from home, and from the safe steps they only go on towards it: that makes the layers. As the turn
passes, (m, k pieces; safe steps a, b) becomes (k, m; b, a): these two are solved together.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer
from kibitz.games.ur.rules import FIRST_SHARED, FIRST_START, MASTERS
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.sets import count_bits
from kibitz.solve.index import Index, Layer
from kibitz.state import State

START_STEPS = 4
FIRST_SAFE = 13
# The sets of start steps as bits, fewer steps first: the sets of at most n steps are the first WITHIN[n].
START_SETS = sorted(range(1 << START_STEPS), key=lambda steps: (steps.bit_count(), steps))
START_PLACES = [START_SETS.index(steps) for steps in range(1 << START_STEPS)]
WITHIN = [sum(comb(START_STEPS, size) for size in range(n + 1)) for n in range(START_STEPS + 1)]


class LayerSide(NamedTuple):
    """A layer as seen by one of the players, the next to throw."""

    left: int  # my pieces that are not yet home
    left_you: int
    safe: int  # my pieces on the safe steps, as bits
    safe_you: int

    def flipped(self) -> LayerSide:
        return LayerSide(self.left_you, self.left, self.safe_you, self.safe)


class Tables(NamedTuple):
    """Lookup tables. A class is the positions of a layer's side with the same numbers of pieces on shared squares."""

    first: Any  # the first number of a class, by the layer's side and each player's pieces on shared squares
    classes: Any  # the same as rows, in numerical order: first number, side of the layer, pieces on shared squares
    code: Any  # of a set of shared squares: its bits as digits in base 3
    place: Any  # of a pair of such sets among all pairs of the same sizes, by code + 2 × code
    sets: Any  # the pairs of sets, grouped by their sizes, in the order of their places
    sets_from: Any  # where the pairs of given sizes begin
    start_set: Any
    start_place: Any
    within: Any


@dataclass(init=False, eq=False)
class UrIndex(Index):
    """The numbering of a game's positions, and of those of the same game with fewer pieces."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.squares = 12 if game.rosettes == MASTERS else 8  # shared ones
        self.safe_sets = range(1 if game.rosettes == MASTERS else 4)

    @property
    def name(self) -> str:
        game = self.game
        return f"ur-rosettes{game.rosettes}-coins{game.coins}-safe{game.safe:d}-captures{game.captures:d}"

    def layers(self) -> list[Layer]:
        spans = {side: (first, first + self._side_size(side)) for side, first in self._numbered_sides()}
        firsts = list(self._first_sides())
        places = {side: place for place, side in enumerate(firsts)}
        return [
            Layer(
                spans=tuple(spans[side] for side in dict.fromkeys((first, first.flipped()))),
                needs=tuple(sorted({places[max(after, after.flipped())] for after in _after(first) if after in spans})),
            )
            for first in firsts
        ]

    def _first_sides(self) -> Iterator[LayerSide]:
        """One side of every layer, in an order in which the layers can be solved."""
        for left in range(1, self.game.pieces + 1):
            for left_you in range(1, left + 1):
                for safe, safe_you in itertools.product(reversed(self.safe_sets), repeat=2):
                    side = LayerSide(left, left_you, safe, safe_you)
                    fits = safe.bit_count() <= left and safe_you.bit_count() <= left_you
                    if fits and side >= side.flipped():
                        yield side

    def _numbered_sides(self) -> Iterator[tuple[LayerSide, int]]:
        """Both sides of every layer, with their first numbers."""
        number = 0
        for first in self._first_sides():
            for side in dict.fromkeys((first, first.flipped())):
                yield side, number
                number += self._side_size(side)

    @functools.cached_property
    def size(self) -> int:
        """The number of positions. Pieces that find no place on the board add layers of equal size."""
        most = min(self.game.pieces, self.squares + len(self.safe_sets) // 2 + START_STEPS)
        layers = dict.fromkeys(range(1, most), 1) | {most: self.game.pieces - most + 1}
        return sum(
            layers[left] * layers[left_you] * self._side_size(LayerSide(left, left_you, safe, safe_you))
            for left, left_you in itertools.product(layers, repeat=2)
            for safe, safe_you in itertools.product(self.safe_sets, repeat=2)
            if safe.bit_count() <= left and safe_you.bit_count() <= left_you
        )

    def _side_size(self, side: LayerSide) -> int:
        return sum(self._class_size(side, shared, shared_you) for shared, shared_you in self._classes(side))

    def _classes(self, side: LayerSide) -> Iterator[tuple[int, int]]:
        """The numbers of shared squares that the players can hold."""
        for shared in range(min(side.left - side.safe.bit_count(), self.squares) + 1):
            for shared_you in range(min(side.left_you - side.safe_you.bit_count(), self.squares - shared) + 1):
                yield shared, shared_you

    def _class_size(self, side: LayerSide, shared: int, shared_you: int) -> int:
        ways = comb(self.squares, shared) * comb(self.squares - shared, shared_you)
        free = side.left - side.safe.bit_count() - shared
        free_you = side.left_you - side.safe_you.bit_count() - shared_you
        return ways * WITHIN[min(free, START_STEPS)] * WITHIN[min(free_you, START_STEPS)]

    def holds(self, state: State) -> bool:
        game = self.game
        path = (1 << game.home) - 2
        counts = [state.hand[player] + count_bits(state.at[player]) for player in range(2)]
        return (
            all(state.hand[player] >= 0 and state.at[player] & ~path == 0 for player in range(2))
            and all(count <= game.pieces for count in counts)
            and not state.at[0] & game.met(state.at[1])
            and state.mover in (0, 1)
            and state.turn in (state.mover, CHANCE, OVER)
            and (state.turn == OVER or min(counts) > 0)
        )

    def tables(self) -> Tables:
        safe_sets = len(self.safe_sets)
        most = self.squares + 1
        first = np.full((*[self.game.pieces + 1] * 2, safe_sets, safe_sets, most, most), -1, "i8")
        rows = []
        for side, number in self._numbered_sides():
            for shared in self._classes(side):
                first[(*side, *shared)] = number
                rows.append((number, *side, *shared))
                number += self._class_size(side, *shared)
        code = np.array([int(f"{squares:b}", 3) for squares in range(1 << self.squares)], "i4")
        place = np.zeros(3**self.squares, "i4")
        sets_from = np.zeros((most, most), "i4")
        sets: list[np.ndarray] = []
        squares = np.arange(1 << self.squares, dtype="i4")
        by_size = [squares[np.bitwise_count(squares) == size] for size in range(most)]
        found = 0
        for mine, yours in itertools.product(range(most), repeat=2):
            sets_from[mine, yours] = found
            apart = (by_size[mine][:, None] & by_size[yours]) == 0
            pairs = np.stack([by_size[side][which] for side, which in zip((mine, yours), apart.nonzero(), strict=True)])
            place[code[pairs[0]] + 2 * code[pairs[1]]] = np.arange(len(pairs[0]))
            sets.append(pairs.T)
            found += len(pairs[0])
        arrays = first, np.array(rows, "i8"), code, place, np.concatenate(sets), sets_from
        small = (np.array(table, "i4") for table in (START_SETS, START_PLACES, WITHIN))
        return Tables(*(as_buffer(table) for table in (*arrays, *small)))

    def number(self, game: Any, step: Any, row: int, tables: Any) -> int:
        s = step.states[row]
        me, you = s.mover, 1 - s.mover
        mine, yours = s.at[me], s.at[you]
        left, left_you = s.hand[me] + count_bits(mine), s.hand[you] + count_bits(yours)
        safe, safe_you = safe_steps(game, mine), safe_steps(game, yours)
        squares, squares_you = mine >> FIRST_SHARED & game.shared_bits, game.met(yours) >> FIRST_SHARED
        shared, shared_you = count_bits(squares), count_bits(squares_you)
        free = min(left - shared - count_bits(safe), START_STEPS)
        free_you = min(left_you - shared_you - count_bits(safe_you), START_STEPS)
        number = tables.place[tables.code[squares] + 2 * tables.code[squares_you]]
        number = number * tables.within[free] + tables.start_place[mine >> FIRST_START & 15]
        number = number * tables.within[free_you] + tables.start_place[yours >> FIRST_START & 15]
        return 2 * (tables.first[left, left_you, safe, safe_you, shared, shared_you] + number) + me

    def write(self, game: Any, number: int, step: Any, tables: Any) -> None:
        s = step.states[0]
        at = class_of(tables.classes, number)
        safe, safe_you = tables.classes[at, 3], tables.classes[at, 4]
        shared, shared_you = tables.classes[at, 5], tables.classes[at, 6]
        free = tables.classes[at, 1] - shared - count_bits(safe)
        free_you = tables.classes[at, 2] - shared_you - count_bits(safe_you)
        rest = number - tables.classes[at, 0]
        rest, start_you = divmod(rest, tables.within[min(free_you, START_STEPS)])
        place, start = divmod(rest, tables.within[min(free, START_STEPS)])
        place += tables.sets_from[shared, shared_you]
        steps, steps_you = tables.start_set[start], tables.start_set[start_you]
        s.at[0] = steps << FIRST_START | tables.sets[place, 0] << FIRST_SHARED | safe << FIRST_SAFE
        s.at[1] = steps_you << FIRST_START | game.met(tables.sets[place, 1] << FIRST_SHARED) | safe_you << FIRST_SAFE
        s.hand[0] = free - count_bits(steps)
        s.hand[1] = free_you - count_bits(steps_you)
        s.roll = 0
        s.mover = 0
        s.turn = CHANCE

    def twin(self, game: Any, number: int, step: Any, tables: Any) -> int:
        self.write(game, number, step, tables)
        step.states[0].mover = 1
        return self.number(game, step, 0, tables) >> 1


def _after(side: LayerSide) -> Iterator[LayerSide]:
    """The layers that one move by either player can lead to, seen by the same player."""
    for left, safe in _forward(side.left, side.safe):
        yield side._replace(left=left, safe=safe)
    for left, safe in _forward(side.left_you, side.safe_you):
        yield side._replace(left_you=left, safe_you=safe)


def _forward(left: int, safe: int) -> Iterator[tuple[int, int]]:
    """The numbers of pieces left and the safe steps held that a move can lead to from these."""
    yield from ((left, more) for more in range(safe + 1, 4))
    yield left - 1, safe
    yield from ((left - 1, safe ^ bit) for bit in (1, 2) if safe & bit)


def safe_steps(game: Any, steps: int) -> int:
    return 0 if game.rosettes == MASTERS else steps >> FIRST_SAFE


def class_of(classes: Any, number: int) -> int:
    """The row of the class that a number belongs to."""
    low, high = 0, len(classes)
    while high - low > 1:
        middle = (low + high) // 2
        if classes[middle, 0] <= number:
            low = middle
        else:
            high = middle
    return low


@functools.lru_cache(maxsize=8)
def position_index(game: Game) -> UrIndex:
    """The numbering of a game of Ur."""
    return UrIndex(game)
