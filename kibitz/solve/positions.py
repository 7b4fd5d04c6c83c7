"""Every position that a game can reach, each found once: breadth first, numbered in the order in which they are found.

A position is a record's public fields; finished games are not counted. In a game with chance, positions are those
between two turns: an outcome and the move that answers it are one step, and nobody who holds a roll is a position.
The positions stand in one array and are found again through a hash table of their numbers (open addressing). Both
grow to twice their size when they are full, up to a limit of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, is_plain, native, numbers
from kibitz.engine import Engine
from kibitz.errors import KibitzError
from kibitz.game import CHANCE, OVER, Game
from kibitz.games import spec_of
from kibitz.rng import WORD
from kibitz.search.transposition import mixed
from kibitz.state import Cells, State

SLICE = 10_000  # positions between two chances to interrupt
FIRST_ROOM = 1 << 12
MOST_POSITIONS = 1 << 30  # their numbers, doubled, fit into four bytes


class TooLarge(KibitzError):
    """A game with more positions than the memory holds: how far the search for them got."""

    def __init__(self, game: Game, memory: int, found: int, layers: Sequence[int]) -> None:
        self.found = found
        self.layers = tuple(layers)  # how many positions each has that was found in full
        counts = ", ".join(f"{count:,}" for count in layers)
        super().__init__(
            f"{spec_of(game)} has more positions than {memory / 1e9:.3g} GB hold: {found:,} were found, among them "
            f"all that {len(layers) - 1} plies can reach ({counts}); allow more with --memory, choose a smaller "
            f"variant, or search it instead: kibitz analyse {spec_of(game)}."
        )


class Step(NamedTuple):
    """The work space of a step: states[0] is before it, states[1] after chance has acted, states[2] after the move."""

    states: Any
    words: Any  # the same memory in words
    outcomes: Any
    odds: Any
    moves: Any
    shares: Any


class Book(NamedTuple):
    """The positions found so far."""

    words: Any  # row i: the public words of position i
    slots: Any  # the hash table, of numbers + 1; 0: empty
    found: Any  # [how many positions there are, how many of them have been expanded]


FOUND, EXPANDED = 0, 1


def new_step(game: Game) -> Step:
    """Work space for the steps of a game."""
    states = np.zeros(3, game.dtype)
    face = Cells if is_plain() else np.asarray
    return Step(
        states=face(states),
        words=face(states.view("u8").reshape(3, -1)),
        outcomes=numbers(max(game.max_outcomes, 1), "i8"),
        odds=numbers(max(game.max_outcomes, 1), "f8"),
        moves=numbers(game.max_moves, "i8"),
        shares=numbers(2, "f8"),
    )


@compiled
def explore(game: Any, book: Book, step: Step, end: int, limit: int) -> int:
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
    """List what chance can do in states[0], one certain outcome where it is not its turn; return how many."""
    if states[0].turn == CHANCE:
        return game.chances(states[0], outcomes, odds)
    odds[0] = 1.0
    return 1


@compiled
def take_outcome(game: Any, states: Any, outcome: int) -> None:
    """Let chance act in states[1], if it is its turn in states[0]."""
    states[1] = states[0]
    if states[0].turn == CHANCE:
        game.play(states[1], outcome)


@compiled
def load(book: Book, number: int, step: Step) -> None:
    """Put a position into states[0]; its scratch fields hold anything."""
    for i in range(book.words.shape[1]):
        step.words[0, i] = book.words[number, i]


@compiled
def note(book: Book, step: Step, row: int) -> int:
    """The number of the position in a row of the states, a new one if need be; −1 when the game is over there."""
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
    """The place in the hash table where a position is, or belongs."""
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

    def __init__(self, game: Game, memory: int, beside: int = 0) -> None:
        """`memory` is the limit in bytes, for the positions and what is kept beside: so many bytes for each."""
        self.game = game
        self.step = new_step(game)
        self.layers: list[int] = []  # how many positions each has
        self._memory = memory
        self._beside = beside
        self.book = Book(numbers((0, game.public_words), "u8"), numbers(1, "i4"), numbers(2, "i8"))
        self._grow(FIRST_ROOM)

    def __len__(self) -> int:
        return int(self.book.found[FOUND])

    def compile(self) -> None:
        """Have the search compiled before the clock runs."""
        explore(self.game, self.book, self.step, 0, 0)

    def find_all(self, progress: Callable[[int], None] = lambda found: None) -> None:
        """Find every position there is; `progress` is told from time to time how many there are."""
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
        """A position, in memory of its own."""
        load(self.book, number, self.step)
        return State(self.step.states[0]).without_scratch()

    def number(self, state: State) -> int:
        """The number of a position; −1 when it is none of these."""
        self.step.states[2] = native(state)
        return int(self.book.slots[slot_of(self.book, self.step.words, 2)]) - 1

    def _grow(self, room: int) -> None:
        """Move to a book with so much room."""
        found, (_, width) = len(self), self.book.words.shape
        needed = 8 * width * (found + room) + (8 + self._beside) * room
        if needed > self._memory or room > MOST_POSITIONS:
            raise TooLarge(self.game, self._memory, found, self.layers)
        old = self.book
        self.book = Book(numbers((room, width), "u8"), numbers(2 * room, "i4"), old.found)
        self.book.words[:found] = old.words[:found]
        enter_all(self.book)
