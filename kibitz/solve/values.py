"""Values from the table of a solved game: of every position, and of every move of a player."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, native, numbers
from kibitz.errors import KibitzError
from kibitz.rules.contract import OVER, Game
from kibitz.rules.registry import spec_of
from kibitz.solve.index import Index
from kibitz.solve.packing import Packed, no_values, unpacked
from kibitz.solve.positions import TurnBuffers, new_buffers
from kibitz.state import State


class Reader(NamedTuple):
    """A table in the form that compiled code takes."""

    index: Any  # a numbering (kibitz/solve/index.py)
    tables: Any  # of the index
    values: Any  # of all positions, in full precision; or none,
    packed: Packed  # where they are packed
    step: TurnBuffers  # workspace
    worth: Any  # of the moves last valued


@compiled
def value_moves(game: Any, reader: Reader) -> int:
    """Value every move in reader.step.states[1] for the player to act; return the number of moves."""
    step, worth = reader.step, reader.worth
    chooser = step.states[1].turn
    count = game.moves(step.states[1], step.moves)
    for i in range(count):
        step.states[2] = step.states[1]
        game.play(step.states[2], step.moves[i])
        share = value_of(game, reader)
        worth[i] = share if chooser == 0 else 1.0 - share
    return count


@compiled
def value_of(game: Any, reader: Reader) -> float:
    """The value to player 0 of the position in reader.step.states[2], which is finished or in the table."""
    step = reader.step
    if step.states[2].turn == OVER:
        game.normalized_payoff(step.states[2], step.shares)
        return step.shares[0]
    number = reader.index.number(game, step, 2, reader.tables)
    value = reader.values[number >> 1] if len(reader.values) > 0 else unpacked(reader.packed, number >> 1)
    return 1.0 - value if number & 1 else value


@dataclass(frozen=True)
class Valued:
    """A legal move and its value under best play."""

    move: int
    value: float  # the mover's share of the win, or normalized utility
    plies: int | None = None  # to the end of the game, this move included; None if unknown or a draw


class Values:
    """The values of a solved game, from a table or straight from the solver."""

    def __init__(self, game: Game, index: Index, values: np.ndarray | Packed) -> None:
        self.game = game
        self.reader = new_reader(game, index, values)
        self._workspace = threading.Lock()  # of the reader; analyses in several threads share the values

    def value(self, state: State, player: int = 0) -> float:
        """The value of a position to a player, no matter who is to act."""
        if state.turn >= 0:
            best = self.ranked(state)[0].value
            return best if state.turn == player else 1 - best
        with self._workspace:
            self._put(state, 2)
            share = float(value_of(self.game, self.reader))
        return share if player == 0 else 1 - share

    def ranked(self, state: State) -> list[Valued]:
        """Every legal move of the player to act with its exact value, best first."""
        if state.turn < 0:
            raise KibitzError("There are no moves to value: no player is to act in this position.")
        with self._workspace:
            self._put(state, 1)
            count = int(value_moves(self.game, self.reader))
            moves, worth = self.reader.step.moves, self.reader.worth
            found = [Valued(int(moves[i]), float(worth[i])) for i in range(count)]
        return sorted(found, key=lambda valued: -valued.value)

    def _put(self, state: State, row: int) -> None:
        if not self.reader.index.holds(state):
            raise KibitzError(f"This position cannot occur in {spec_of(self.game)}, so the table does not have it.")
        self.reader.step.states[row] = native(state)


def new_reader(game: Game, index: Index, values: np.ndarray | Packed) -> Reader:
    """A table with the workspace to read it."""
    exact, packed = (np.zeros(0), values) if isinstance(values, Packed) else (values, no_values())
    workspace = new_buffers(game), numbers(game.max_moves, "f8")
    return Reader(index, index.tables(), as_buffer(exact), packed, *workspace)
