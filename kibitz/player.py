"""Compiled players: bots whose choice is one compiled function, so that whole games can run without Python.

A compiled player is a frozen dataclass with a method `pick`, which numba compiles the way it compiles rules:

    @dataclass(frozen=True)
    class First(CompiledPlayer):
        \"\"\"Plays the first legal move.\"\"\"

        def pick(self, game, s, moves, count, player, memory, rng):
            return moves[0]

`s` is the position as the player may know it, moves[0 … count − 1] are the legal moves, `memory` is what
`memory(game)` allocated, `rng` is the seat's own generator. It is used like any other bot; a tournament of nothing but
compiled players runs in machine code (kibitz/arena/compiled_match.py), and its games are the same as at a Table.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar

from kibitz.bots import Bot
from kibitz.compiled import compiled, mode, native, numbers
from kibitz.game import Game
from kibitz.rules import RulesType, bind_method, rules_type
from kibitz.table import View


@compiled
def best_of(moves: Any, count: int, worth: Any) -> int:
    """The move that is worth most; of equals, the first."""
    best = 0
    for i in range(1, count):
        if worth[i] > worth[best]:
            best = i
    return moves[best]


class CompiledPlayer(Bot):
    """The base of compiled players."""

    never_compiled: ClassVar[bool] = True

    def memory(self, game: Game) -> tuple[Any, ...]:
        """Arrays that `pick` works on, allocated once for many games."""
        return ()

    def choose(self, view: View) -> int:
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        s = native(view.state)
        args = view.game, s, moves, len(view.moves), view.player, self.memory(view.game), view.rng.words
        key = type(self), mode()
        pick = view.game.bound.get(key)
        if pick is None:
            pick = view.game.bound[key] = bind_method(self, "pick", *args)
        return int(pick(self, *args))

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """What is compiled: `pick` and all it leads to. Its arguments depend on the game."""
        return {"pick": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        """Options are passed at run time: one compilation serves all their values."""
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]
