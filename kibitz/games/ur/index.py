"""A number for every position of Ur, without gaps: the order in which the table of its values is laid out.

A position is told from the player who throws. Its parts, the weightiest first: how many pieces each side still has to
bring home; who stands on the safe steps 13 and 14 (the Masters path has none); which shared squares are whose; which
of the steps 1 to 4 each side stands on. The other pieces are in the hand. How many are home does not matter, so a table
for many pieces begins with the one for fewer.

Pieces never come back from home, and from the safe steps they go nowhere else: that makes the layers. As the turn
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

from kibitz.compiled import is_plain
from kibitz.game import CHANCE, OVER, Game
from kibitz.games.ur.rules import FIRST_SHARED, FIRST_START, MASTERS, count_bits
from kibitz.solve.index import Index, Layer
from kibitz.state import Cells, State

START_STEPS = 4
FIRST_SAFE = 13
# The sets of start steps as bits, fewer steps first: the sets of at most n steps are the first WITHIN[n].
START_SETS = sorted(range(1 << START_STEPS), key=lambda steps: (steps.bit_count(), steps))
START_PLACES = [START_SETS.index(steps) for steps in range(1 << START_STEPS)]
WITHIN = [sum(comb(START_STEPS, size) for size in range(n + 1)) for n in range(START_STEPS + 1)]


class Part(NamedTuple):
    """One side's view of a layer."""

    left: int  # my pieces that are not yet home
    left_you: int
    safe: int  # my pieces on the safe steps, as bits
    safe_you: int

    def turned(self) -> Part:
        return Part(self.left_you, self.left, self.safe_you, self.safe)


class Tables(NamedTuple):
    """What numbers are computed from. A class are the positions of a part with as many pieces on shared squares."""

    first: Any  # the first number of a class, by the part and each side's pieces on shared squares
    classes: Any  # the same in rows, in the order of the numbers: the first number, part, pieces on shared squares
    code: Any  # of a set of shared squares: its bits as digits in base 3
    place: Any  # of two such sets among those of their sizes, by code + 2 × code
    sets: Any  # the two sets, side by side with those of the same sizes in the order of their places
    sets_from: Any  # where the sets of given sizes begin
    start_set: Any
    start_place: Any
    within: Any


@dataclass(init=False, eq=False)
class UrIndex(Index):
    """The numbering of a game's positions, and of those of the same game with fewer pieces."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.squares = 12 if game.rosettes == MASTERS else 8  # that are shared
        self.safe_sets = range(1 if game.rosettes == MASTERS else 4)

    @property
    def name(self) -> str:
        game = self.game
        return f"ur-rosettes{game.rosettes}-coins{game.coins}-safe{game.safe:d}-captures{game.captures:d}"

    def layers(self) -> list[Layer]:
        spans = {part: (first, first + self._part_size(part)) for part, first in self._numbered_parts()}
        parts = list(self._parts())
        places = {part: place for place, part in enumerate(parts)}
        return [
            Layer(
                spans=tuple(spans[side] for side in dict.fromkeys((part, part.turned()))),
                needs=tuple(sorted({places[max(after, after.turned())] for after in _after(part) if after in spans})),
            )
            for part in parts
        ]

    def _parts(self) -> Iterator[Part]:
        """The layers, by one of their sides, in an order in which they can be solved."""
        for left in range(1, self.game.pieces + 1):
            for left_you in range(1, left + 1):
                for safe, safe_you in itertools.product(reversed(self.safe_sets), repeat=2):
                    part = Part(left, left_you, safe, safe_you)
                    fits = safe.bit_count() <= left and safe_you.bit_count() <= left_you
                    if fits and part >= part.turned():
                        yield part

    def _numbered_parts(self) -> Iterator[tuple[Part, int]]:
        """Both sides of every layer, with their first numbers."""
        first = 0
        for part in self._parts():
            for side in dict.fromkeys((part, part.turned())):
                yield side, first
                first += self._part_size(side)

    def _part_size(self, part: Part) -> int:
        return sum(self._class_size(part, shared, shared_you) for shared, shared_you in self._classes(part))

    def _classes(self, part: Part) -> Iterator[tuple[int, int]]:
        """How many shared squares each side can hold."""
        for shared in range(min(part.left - part.safe.bit_count(), self.squares) + 1):
            for shared_you in range(min(part.left_you - part.safe_you.bit_count(), self.squares - shared) + 1):
                yield shared, shared_you

    def _class_size(self, part: Part, shared: int, shared_you: int) -> int:
        ways = comb(self.squares, shared) * comb(self.squares - shared, shared_you)
        free = part.left - part.safe.bit_count() - shared
        free_you = part.left_you - part.safe_you.bit_count() - shared_you
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
        sides = len(self.safe_sets)
        most = self.squares + 1
        first = np.full((*[self.game.pieces + 1] * 2, sides, sides, most, most), -1, "i8")
        rows = []
        for part, number in self._numbered_parts():
            for shared in self._classes(part):
                first[(*part, *shared)] = number
                rows.append((number, *part, *shared))
                number += self._class_size(part, *shared)
        code = np.array([int(f"{squares:b}", 3) for squares in range(1 << self.squares)], "i4")
        place = np.zeros(3**self.squares, "i4")
        sets_from = np.zeros((most, most), "i4")
        sets: list[tuple[int, int]] = []
        by_size = [[bits for bits in range(1 << self.squares) if bits.bit_count() == size] for size in range(most)]
        for mine, yours in itertools.product(range(most), repeat=2):
            sets_from[mine, yours] = len(sets)
            for a, b in itertools.product(by_size[mine], by_size[yours]):
                if not a & b:
                    place[code[a] + 2 * code[b]] = len(sets) - sets_from[mine, yours]
                    sets.append((a, b))
        arrays = first, np.array(rows, "i8"), code, place, np.array(sets, "i4"), sets_from
        small = (np.array(table, "i4") for table in (START_SETS, START_PLACES, WITHIN))
        face = Cells if is_plain() else np.asarray
        return Tables(*(face(table) for table in (*arrays, *small)))

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


def _after(part: Part) -> Iterator[Part]:
    """The layers that one move of either side can lead to, seen from the same side."""
    for left, safe in _forward(part.left, part.safe):
        yield part._replace(left=left, safe=safe)
    for left, safe in _forward(part.left_you, part.safe_you):
        yield part._replace(left_you=left, safe_you=safe)


def _forward(left: int, safe: int) -> Iterator[tuple[int, int]]:
    """How many pieces can be left, and which safe steps held, after a move that changes it."""
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
def index_of(game: Game) -> UrIndex:
    """The numbering of a game of Ur."""
    return UrIndex(game)
