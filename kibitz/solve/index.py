"""How the positions of a game are numbered for a table of their values, which then needs no keys.

An Index has three methods that numba compiles the way it compiles rules: `number`, `write` and `twin`. A game with a
numbering of its own has a function `index_of(game)` in `index.py` beside its rules; other games are numbered in the
order in which their positions are found. Positions are those of kibitz/solve/positions.py: between two turns.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.board import beside
from kibitz.engine import Engine
from kibitz.game import OVER, Game
from kibitz.games import spec_of
from kibitz.rules import RulesType, rules_type
from kibitz.solve.positions import Positions, load, slot_of
from kibitz.state import State


class Layer(NamedTuple):
    """Positions that are solved together: no way leads out of them but to the end or to layers that come before."""

    spans: tuple[tuple[int, int], ...]  # their numbers, from … up to but not including
    needs: tuple[int, ...] = ()  # the layers, by their place in the list, that must be solved before

    @property
    def size(self) -> int:
        return sum(end - first for first, end in self.spans)


class Index:
    """The base of numberings."""

    never_compiled = True

    @property
    def name(self) -> str:
        """What the numbers stand for: tables with the same name have the same values under the same numbers."""
        raise NotImplementedError

    @functools.cached_property
    def size(self) -> int:
        """How many positions there are."""
        return max(end for layer in self.layers() for _, end in layer.spans)

    def layers(self) -> list[Layer]:
        """All positions, in an order in which they can be solved."""
        raise NotImplementedError

    def holds(self, state: State) -> bool:
        """Whether a state, at any moment of a turn, is one of the game's; a table must not be asked for others."""
        raise NotImplementedError

    def tables(self) -> Any:
        """What `number` and `write` work with: arrays, as compiled code takes them."""
        raise NotImplementedError

    def number(self, game: Any, step: Any, row: int, tables: Any) -> int:
        """Twice the number of the position in a row of step.states; 1 more if that is it with the players exchanged."""
        raise NotImplementedError

    def write(self, game: Any, number: int, step: Any, tables: Any) -> None:
        """Put the position with a number into step.states[0]."""
        raise NotImplementedError

    def twin(self, game: Any, number: int, step: Any, tables: Any) -> int:
        """The number of the same position with the other player to act; its own where there is no such position."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """What is compiled. Its arguments depend on the game."""
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
    """The numbering that a game brings along, if it has one that fits this variant."""
    module = beside(game, "index")
    return module.index_of(game) if module else None
