"""What positions are worth, looked up in the table of a solved game: every position, and every move of a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, is_plain, native, numbers
from kibitz.errors import KibitzError
from kibitz.game import OVER, Game
from kibitz.games import spec_of
from kibitz.solve.index import Index
from kibitz.solve.iteration import value_at
from kibitz.solve.positions import Step, new_step
from kibitz.state import Cells, State


class Reader(NamedTuple):
    """A table as compiled code takes it."""

    index: Any  # a numbering (kibitz/solve/index.py)
    tables: Any  # of the index
    values: Any
    step: Step  # work space
    worth: Any  # of the moves last valued


@compiled
def value_moves(game: Any, reader: Reader) -> int:
    """Value every move in reader.step.states[1] for the player who is to act there; return how many there are."""
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
    """What the position in reader.step.states[2], finished or one of the table's, is worth to player 0."""
    step = reader.step
    if step.states[2].turn == OVER:
        game.payoff(step.states[2], step.shares)
        return step.shares[0]
    return value_at(reader.values, reader.index.number(game, step, 2, reader.tables))


@dataclass(frozen=True)
class Valued:
    """A legal move and what it leads to with best play on both sides."""

    move: int
    value: float  # the mover's share of the win


class Values:
    """The values of a solved game, from a table or fresh from the solver. Not to be shared between threads."""

    def __init__(self, game: Game, index: Index, values: Any) -> None:
        self.game = game
        self.reader = new_reader(game, index, values)

    def value(self, state: State, player: int = 0) -> float:
        """What a position is worth to a player, whoever is to act in it."""
        if state.turn >= 0:
            best = self.ranked(state)[0].value
            return best if state.turn == player else 1 - best
        self._put(state, 2)
        share = float(value_of(self.game, self.reader))
        return share if player == 0 else 1 - share

    def ranked(self, state: State) -> list[Valued]:
        """Every legal move of the player to act with its exact value, best first."""
        if state.turn < 0:
            raise KibitzError("Only where a player is to act are there moves to value.")
        self._put(state, 1)
        count = int(value_moves(self.game, self.reader))
        moves, worth = self.reader.step.moves, self.reader.worth
        found = [Valued(int(moves[i]), float(worth[i])) for i in range(count)]
        return sorted(found, key=lambda valued: -valued.value)

    def _put(self, state: State, row: int) -> None:
        if not self.reader.index.holds(state):
            raise KibitzError(f"This position cannot come up in {spec_of(self.game)}, so its table does not have it.")
        self.reader.step.states[row] = native(state)


def new_reader(game: Game, index: Index, values: Any) -> Reader:
    """A table with the work space to read it."""
    face = Cells if is_plain() else np.asarray
    return Reader(index, index.tables(), face(np.asarray(values)), new_step(game), numbers(game.max_moves, "f8"))
