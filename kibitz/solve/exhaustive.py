"""Exhaustive solver for two-player games without chance or hidden information: the value and length of every position.

All positions are found first (kibitz/solve/positions.py). They are then valued from the last one found to the first,
each once all its successors are: the mover takes the greatest share of the win and, among equal shares, the fastest win
or the slowest loss. A position that leads to one found earlier waits for the next pass; most games need only one. If a
pass makes no progress, some positions lie on a cycle, and have no value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, running_time
from kibitz.errors import KibitzError
from kibitz.rules.contract import OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import spec_of
from kibitz.solve.positions import SLICE, Book, Positions, TurnBuffers, load, slot_of
from kibitz.solve.values import Valued
from kibitz.state import State

UNKNOWN = -1
Progress = Callable[[int, int | None], None]  # (positions done, their total once it is known)


class Worth(NamedTuple):
    """The values of the positions under best play."""

    share: Any  # of the win, for player 0; normalized, if the game has utilities
    plies: Any  # to the end; UNKNOWN until the position is valued


WORTH_BYTES = 8 + 4  # per position


@compiled
def settle(game: Any, book: Book, step: TurnBuffers, worth: Worth, first: int, end: int) -> int:
    """Value those of the positions end − 1 … first, in this order, that can be valued; return how many."""
    settled = 0
    for number in range(end - 1, first - 1, -1):
        if worth.plies[number] == UNKNOWN:
            load(book, number, step)
            settled += settle_one(game, book, step, worth, number)
    return settled


@compiled
def settle_one(game: Any, book: Book, step: TurnBuffers, worth: Worth, number: int) -> bool:
    """Value the position in states[0], unless a successor is not yet valued; return whether it was."""
    states, moves, shares, share_of, plies_of = step.states, step.moves, step.shares, worth.share, worth.plies
    mover = states[0].turn
    best_share, best_plies = 0.0, UNKNOWN
    for i in range(game.moves(states[0], moves)):
        states[2] = states[0]
        game.play(states[2], moves[i])
        if states[2].turn == OVER:
            game.normalized_payoff(states[2], shares)
            share, plies = shares[0], 0
        else:
            child = book.slots[slot_of(book, step.words, 2)] - 1
            share, plies = share_of[child], plies_of[child]
            if plies == UNKNOWN:
                return False
        if best_plies == UNKNOWN or is_better(mover, share, plies, best_share, best_plies):
            best_share, best_plies = share, plies
    share_of[number] = best_share
    plies_of[number] = best_plies + 1
    return True


@compiled
def is_better(mover: int, share: float, plies: int, best_share: float, best_plies: int) -> bool:
    """Whether the mover prefers one result to another: by player 0's share of the win, then by the plies to the end."""
    if share != best_share:
        return (share > best_share) == (mover == 0)
    if share == 0.5:
        return False
    return (plies < best_plies) == ((share > 0.5) == (mover == 0)) and plies != best_plies


@dataclass(frozen=True)
class Solution:
    """A solved game: its value, its opening moves and all its positions."""

    game: Game
    moves: tuple[Valued, ...]  # of the opening, best first
    line: tuple[int, ...]  # best play to the end
    layers: tuple[int, ...]  # the number of positions first reached after 0, 1, 2 … plies
    seconds: float
    positions: Positions = field(repr=False)
    worth: Worth = field(repr=False)

    @property
    def value(self) -> float:
        """The first player's share of the win, or normalized utility."""
        return self.moves[0].value

    @property
    def plies(self) -> int | None:
        """The length of the game under best play; None for a draw."""
        return self.moves[0].plies

    def ranked(self, state: State) -> list[Valued]:
        """Every legal move of a reachable position, best first."""
        return _ranked(self.game, self.positions, self.worth, state)


def solve_exhaustively(game: Game, memory: int, progress: Progress = lambda done, total: None) -> Solution:
    """Value every position of a game, within `memory` bytes."""
    positions = Positions(game, memory, WORTH_BYTES)
    positions.compile()
    settle(game, positions.book, positions.step, Worth(numbers(0, "f8"), numbers(0, "i4")), 0, 0)
    start = running_time()
    positions.find_all(lambda found: progress(found, None))
    worth = Worth(numbers(len(positions), "f8"), numbers(len(positions), "i4"))
    worth.plies[:] = UNKNOWN
    left = len(positions)
    while left:
        before = left
        for end in range(len(positions), 0, -SLICE):
            left -= settle(game, positions.book, positions.step, worth, max(end - SLICE, 0), end)
            progress(len(positions) - left, len(positions))
        if left == before:
            raise KibitzError(
                f"{spec_of(game)} cannot be solved: {left:,} of its positions lie on, or lead into, a cycle; let the "
                "rules count plies in a field of the position and end the game after a fixed number of them."
            )
    opening = Engine(game).start()
    line = _line(game, positions, worth, opening)
    moves = tuple(_ranked(game, positions, worth, opening))
    return Solution(game, moves, line, tuple(positions.layers), running_time() - start, positions, worth)


def _ranked(game: Game, positions: Positions, worth: Worth, state: State) -> list[Valued]:
    engine, found = Engine(game), []
    for move in engine.moves(state):
        after = state.copy()
        engine.play(after, move)
        if after.turn == OVER:
            share, plies = engine.normalized_payoff(after)[0], 0
        else:
            number = positions.number(after)
            share, plies = float(worth.share[number]), int(worth.plies[number])
        value = share if state.turn == 0 else 1 - share
        found.append(Valued(move, value, None if value == 0.5 else plies + 1))
    return sorted(found, key=lambda v: (-v.value, v.plies or 0 if v.value > 0.5 else -(v.plies or 0)))


def _line(game: Game, positions: Positions, worth: Worth, opening: State) -> tuple[int, ...]:
    engine, state, line = Engine(game), opening.copy(), []
    while state.turn != OVER:
        line.append(_ranked(game, positions, worth, state)[0].move)
        engine.play(state, line[-1])
    return tuple(line)
