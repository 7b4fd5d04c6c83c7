"""Numberings of the positions of a game, with which a table of their values needs no keys.

An Index has three methods that numba compiles like rules: `number`, `write` and `twin`. A game may provide its own
numbering as the extra `position_index` (kibitz/rules/extras.py); the positions of other games are numbered in the order
in which they are found. Positions are those of kibitz/solve/positions.py: between two turns.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.rules.contract import OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import spec_of
from kibitz.solve.positions import Positions, load, slot_of
from kibitz.state import State


class Layer(NamedTuple):
    """Positions that are solved together; their successors are in the same layer or in earlier ones."""

    spans: tuple[tuple[int, int], ...]  # their numbers, as half-open ranges
    needs: tuple[int, ...] = ()  # the indices of all other layers with successors of its positions

    @property
    def size(self) -> int:
        return sum(end - first for first, end in self.spans)


class Index:
    """Base class of numberings."""

    never_compiled = True

    @property
    def name(self) -> str:
        """The name of the numbering: tables with the same name have the same values under the same numbers."""
        raise NotImplementedError

    @functools.cached_property
    def size(self) -> int:
        """The number of positions."""
        return max(end for layer in self.layers() for _, end in layer.spans)

    def layers(self) -> list[Layer]:
        """All positions, in an order in which they can be solved."""
        raise NotImplementedError

    def holds(self, state: State) -> bool:
        """Whether a state, at any moment of a turn, can occur in the game; a table must not be asked for others."""
        raise NotImplementedError

    def tables(self) -> Any:
        """Arrays for `number` and `write`, in the form that compiled code takes."""
        raise NotImplementedError

    def number(self, game: Any, step: Any, row: int, tables: Any) -> int:
        """Twice the number of the position in a row of step.states, plus 1 if the players are swapped."""
        raise NotImplementedError

    def write(self, game: Any, number: int, step: Any, tables: Any) -> None:
        """Write the position with a number to step.states[0]."""
        raise NotImplementedError

    def twin(self, game: Any, number: int, step: Any, tables: Any) -> int:
        """The number of the same position with the other player to act; its own if there is no such position."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """The methods to compile; their arguments depend on the game."""
        return {"number": (), "write": (), "twin": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]


@dataclass(init=False, eq=False)
class Found(Index):
    """Positions numbered in the order in which they were found, all in one layer."""

    def __init__(self, positions: Positions) -> None:
        self.positions = positions

    @property
    def name(self) -> str:
        return f"{spec_of(self.positions.game)}, as found"

    def layers(self) -> list[Layer]:
        return [Layer(((0, len(self.positions)),))]

    def holds(self, state: State) -> bool:
        if state.turn == OVER:
            return True
        engine, states = Engine(self.positions.game), [state]
        if state.turn >= 0 and self.positions.number(state) < 0:  # in the middle of a turn
            states = [state.copy() for _ in engine.moves(state)]
            for after, move in zip(states, engine.moves(state), strict=True):
                engine.play(after, move)
        return all(after.turn == OVER or self.positions.number(after) >= 0 for after in states)

    def tables(self) -> Any:
        return self.positions.book

    def number(self, game: Any, step: Any, row: int, tables: Any) -> int:
        return 2 * (tables.slots[slot_of(tables, step.words, row)] - 1)

    def write(self, game: Any, number: int, step: Any, tables: Any) -> None:
        load(tables, number, step)

    def twin(self, game: Any, number: int, step: Any, tables: Any) -> int:
        return number


def own_index(game: Game) -> Index | None:
    """The numbering that a game provides for this variant, if any."""
    make = game.extra("position_index")
    return make() if make else None
