"""Compiled players: bots whose choice is a single compiled function, so that whole games run without Python.

A compiled player is a frozen dataclass with a method `pick`, which is compiled in the same way as rules:

    @dataclass(frozen=True)
    class First(CompiledPlayer):
        \"\"\"Plays the first legal move.\"\"\"

        def pick(self, game, s, moves, count, player, memory, rng):
            return moves[0]

`s` is the position as far as the player may know it, moves[0 … count − 1] are the legal moves, `memory` is what
`memory(game)` allocated, and `rng` is the seat's own generator. It is used like any other bot. If all bots of a
tournament are compiled players, it runs in machine code (kibitz/tournament/compiled_match.py); its games are the same
as at a Table.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar

from kibitz.compiler import compiled, mode, native, numbers
from kibitz.compiler.rules_type import RulesType, bind_method, rules_type
from kibitz.players.bot import Bot
from kibitz.players.limit import LimitLike
from kibitz.rules.contract import Game
from kibitz.table import View


@compiled
def best_of(moves: Any, count: int, worth: Any) -> int:
    """The move with the highest worth; the first one if several are equal."""
    best = 0
    for i in range(1, count):
        if worth[i] > worth[best]:
            best = i
    return moves[best]


class CompiledPlayer(Bot):
    """The base class of compiled players."""

    never_compiled: ClassVar[bool] = True
    compiles_rules: ClassVar[bool] = True

    def memory(self, game: Game) -> tuple[Any, ...]:
        """Arrays that `pick` works on, allocated once for many games."""
        return ()

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        """Choose a move; it takes so little time that the limit is ignored."""
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        s = native(view.state)
        args = view.game, s, moves, len(view.moves), view.player, self.memory(view.game), view.rng.words
        if view.game.uncompiled:
            return int(self.pick(*args))  # type: ignore[attr-defined]  # every compiled player has it
        key = type(self), mode()
        pick = view.game.bound.get(key)
        if pick is None:
            pick = view.game.bound[key] = bind_method(self, "pick", *args)
        return int(pick(self, *args))

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """What is compiled: `pick` and everything it calls. Its arguments depend on the game."""
        return {"pick": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        """Options are passed at run time, so that the player is compiled once for all their values."""
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]
