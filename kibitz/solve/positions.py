"""All positions that a game can reach, found breadth first and numbered in the order in which they are found.

A position consists of a record's public fields; finished games are not counted. In a game with chance, positions are
those between two turns: an outcome and the move that answers it are one step, so the state after a roll is not a
position. Positions are stored in one array and looked up in a hash table of their numbers (open addressing). Both
double in size when they are full, up to a memory limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, native, numbers
from kibitz.errors import KibitzError
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import spec_of
from kibitz.rules.rng import WORD, mixed
from kibitz.state import State, is_scratch

SLICE = 10_000  # positions between opportunities to interrupt
FIRST_ROOM = 1 << 12
MOST_POSITIONS = 1 << 30  # twice their numbers fit into four bytes
MOST_COUNTS = 12  # layers to list in a message
RISING_LAYERS = 6  # after so many new extremes in a row, a field counts as growing
SAMPLE = 100_000  # positions of a layer to look at for it


class TooLarge(KibitzError):
    """Raised for a game with more positions than fit into memory; says how far the search got."""

    def __init__(self, game: Game, memory: int, found: int, layers: Sequence[int], growing: Mapping[str, int]) -> None:
        self.found = found
        self.layers = tuple(layers)  # the sizes of those that were found in full
        self.growing = growing  # fields that take new values at every depth, and the number of values so far
        counts = ", ".join([f"{count:,}" for count in layers[:MOST_COUNTS]] + ["…"] * (len(layers) > MOST_COUNTS))
        hints = "".join(
            f" s.{name} takes {count:,} different values and keeps growing: leave it out of the position (prefix its "
            "name with _) if the rules do not need it; otherwise bound it."
            for name, count in growing.items()
        )
        super().__init__(
            f"{spec_of(game)} has more positions than fit into {memory / 1e9:.3g} GB: {found:,} were found, including "
            f"all within {len(layers) - 1} plies ({counts}); allow more with --memory, choose a smaller variant, "
            f"or search it instead: `kibitz analyse {spec_of(game)}`.{hints}"
        )


class TurnBuffers(NamedTuple):
    """The workspace of a step: states[0] is before it, states[1] after the outcome, states[2] after the move."""

    states: Any
    words: Any  # the same memory as words
    outcomes: Any
    odds: Any
    moves: Any
    shares: Any


class Book(NamedTuple):
    """The positions found so far."""

    words: Any  # row i: the public words of position i
    slots: Any  # the hash table of their numbers + 1; 0: empty
    found: Any  # [number of positions, number of those expanded]


FOUND, EXPANDED = 0, 1


def new_buffers(game: Game) -> TurnBuffers:
    """Workspace for the steps of a game."""
    states = np.zeros(3, game.dtype)
    return TurnBuffers(
        states=as_buffer(states),
        words=as_buffer(states.view("u8").reshape(3, -1)),
        outcomes=numbers(max(game.max_outcomes, 1), "i8"),
        odds=numbers(max(game.max_outcomes, 1), "f8"),
        moves=numbers(game.max_moves, "i8"),
        shares=numbers(2, "f8"),
    )


@compiled
def explore(game: Any, book: Book, step: TurnBuffers, end: int, limit: int) -> int:
    """Expand up to `limit` of the positions before number `end`, while there is room; return how many."""
    states, outcomes, odds, moves, found = step.states, step.outcomes, step.odds, step.moves, book.found
    room = min(len(book.words), len(book.slots) // 2) - len(outcomes) * len(moves)
    before = found[EXPANDED]
    end = min(end, before + limit)
    while found[EXPANDED] < end and found[FOUND] <= room:
        load(book, found[EXPANDED], step)
        found[EXPANDED] += 1
        s = states[1]
        for i in range(begin(game, states, outcomes, odds)):
            take_outcome(game, states, outcomes[i])
            if s.turn < 0:
                note(book, step, 1)
                continue
            for j in range(game.moves(s, moves)):
                states[2] = states[1]
                game.play(states[2], moves[j])
                note(book, step, 2)
    return found[EXPANDED] - before


@compiled
def begin(game: Any, states: Any, outcomes: Any, odds: Any) -> int:
    """List the chance outcomes in states[0], or one certain outcome if a player is to act; return how many."""
    if states[0].turn == CHANCE:
        return game.chances(states[0], outcomes, odds)
    odds[0] = 1.0
    return 1


@compiled
def take_outcome(game: Any, states: Any, outcome: int) -> None:
    """Copy states[0] to states[1] and apply the outcome, if chance is to act."""
    states[1] = states[0]
    if states[0].turn == CHANCE:
        game.play(states[1], outcome)


@compiled
def load(book: Book, number: int, step: TurnBuffers) -> None:
    """Load a position into states[0]; its scratch fields are undefined."""
    for i in range(book.words.shape[1]):
        step.words[0, i] = book.words[number, i]


@compiled
def note(book: Book, step: TurnBuffers, row: int) -> int:
    """The number of the position in a row of the states, added if it is new; −1 if the game is over there."""
    if step.states[row].turn == OVER:
        return -1
    at = slot_of(book, step.words, row)
    if book.slots[at] == 0:
        number = book.found[FOUND]
        for i in range(book.words.shape[1]):
            book.words[number, i] = step.words[row, i]
        book.found[FOUND] = number + 1
        book.slots[at] = number + 1
    return book.slots[at] - 1


@compiled
def slot_of(book: Book, words: Any, row: int) -> int:
    """The slot of the hash table where a position is, or belongs."""
    known, slots = book.words, book.slots
    width = known.shape[1]
    key = mixed(words[row, 0])
    for i in range(1, width):
        key = mixed(key ^ words[row, i])
    at = int(np.int64(key & WORD >> 1)) & len(slots) - 1
    while slots[at] != 0:
        same = True
        for i in range(width):
            same &= known[slots[at] - 1, i] == words[row, i]
        if same:
            break
        at = at + 1 & len(slots) - 1
    return at


@compiled
def enter_all(book: Book) -> None:
    """Fill an empty hash table with the positions of the book."""
    for number in range(book.found[FOUND]):
        book.slots[slot_of(book, book.words, number)] = number + 1


class Positions:
    """The positions of a game, found layer by layer: those first reached after 0, 1, 2 … steps."""

    def __init__(self, game: Game, memory: int, extra_bytes: int = 0) -> None:
        """`memory` is the limit in bytes, for the positions and `extra_bytes` more for each."""
        self.game = game
        self.step = new_buffers(game)
        self.layers: list[int] = []  # their sizes
        self._memory = memory
        self._extra_bytes = extra_bytes
        self.book = Book(numbers((0, game.public_words), "u8"), numbers(1, "i4"), numbers(2, "i8"))
        self._grow(FIRST_ROOM)

    def __len__(self) -> int:
        return int(self.book.found[FOUND])

    def compile(self) -> None:
        """Compile the search before the clock starts."""
        explore(self.game, self.book, self.step, 0, 0)

    def find_all(self, progress: Callable[[int], None] = lambda found: None) -> None:
        """Find every position; `progress` is called now and then with their number so far."""
        self.step.states[0] = native(Engine(self.game).start())
        note(self.book, self.step, 0)
        self.layers = [len(self)]
        while self.layers[-1]:
            end = len(self)
            while self.book.found[EXPANDED] < end:
                if explore(self.game, self.book, self.step, end, SLICE) == 0:
                    self._grow(2 * len(self.book.words))
                progress(len(self))
            self.layers.append(len(self) - end)
        self.layers.pop()

    def state(self, number: int) -> State:
        """A copy of a position."""
        load(self.book, number, self.step)
        return State(self.step.states[0]).without_scratch()

    def number(self, state: State) -> int:
        """The number of a position; −1 if it was not found."""
        self.step.states[2] = native(state)
        return int(self.book.slots[slot_of(self.book, self.step.words, 2)]) - 1

    def _growing_fields(self) -> dict[str, int]:
        """The fields that multiply the positions: each takes new values at every depth, and without it there would be
        far fewer positions. With the number of their values so far."""
        ends = np.cumsum(self.layers)
        growing = {}
        for name in self.game.dtype.names or ():
            if self.game.dtype[name].base.kind != "i" or is_scratch(name):
                continue
            spans = zip(self.layers, ends, strict=True)
            values = [np.unique(self._records(end - size, end)[name]).astype("i8") for size, end in spans]
            last = values[-RISING_LAYERS - 1 :]
            rising = all(above[-1] < deeper[-1] for above, deeper in itertools.pairwise(last))
            falling = all(above[0] > deeper[0] for above, deeper in itertools.pairwise(last))
            different = np.unique(np.concatenate(values))
            is_counter = different[-1] - different[0] < 4 * len(different)  # rather than a set of bits, say
            if len(last) > RISING_LAYERS and (rising or falling) and is_counter and self._is_multiplied_by(name):
                growing[name] = len(different)
        return growing

    def _is_multiplied_by(self, name: str) -> bool:
        records = self._records(0, len(self))
        with_it = len(np.unique(records.view(f"V{records.itemsize}")))
        records[name] = 0
        return len(np.unique(records.view(f"V{records.itemsize}"))) < 0.8 * with_it

    def _records(self, first: int, end: int) -> np.ndarray:
        """The positions first … end − 1, or as many of them as make a sample, as records."""
        words = np.asarray(self.book.words[first : min(end, first + SAMPLE)])
        records = np.zeros(len(words), self.game.dtype)
        records.view("u8").reshape(len(words), -1)[:, : words.shape[1]] = words
        return records

    def _grow(self, room: int) -> None:
        """Move to a book with room for `room` positions."""
        found, (_, width) = len(self), self.book.words.shape
        needed = 8 * width * (found + room) + (8 + self._extra_bytes) * room
        if needed > self._memory or room > MOST_POSITIONS:
            raise TooLarge(self.game, self._memory, found, self.layers, self._growing_fields())
        old = self.book
        self.book = Book(numbers((room, width), "u8"), numbers(2 * room, "i4"), old.found)
        self.book.words[:found] = old.words[:found]
        enter_all(self.book)
