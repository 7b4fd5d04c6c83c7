"""Leaf values: what a search asks about a position at its horizon, if it does not ask the rules.

A bot that can judge positions offers them: `leaf_values(game)` returns an object with a compiled method, and what that
method works on. So `alphabeta:by=zero:net=FILE` searches by the values of a network, which this package knows nothing
about.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol, runtime_checkable

from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.players.roster import bot
from kibitz.rules.contract import Game

EVALUATION = "evaluation"  # instead of a bot: the evaluation of the rules


class LeafValues:
    """Base class of leaf values; `evaluate` is compiled like rules."""

    never_compiled = True

    def evaluate(self, game: Any, s: Any, memory: Any, out: Any) -> None:
        """Write what a position that is not over is worth to each player: the expected share of the win."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """The method to compile; its arguments depend on the game."""
        return {"evaluate": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self)


@runtime_checkable
class JudgesLeaves(Protocol):
    """A bot that offers leaf values."""

    def leaf_values(self, game: Game) -> tuple[LeafValues, Any]:
        """The values, and the memory that `evaluate` works on."""


def leaf_values_of(spec: str, game: Game) -> tuple[LeafValues, Any]:
    """The leaf values that a bot offers."""
    judge: JudgesLeaves = bot(spec, game)
    return judge.leaf_values(game)


def leaf_values_misfit(spec: str, game: Game, option: str = "by") -> str | None:
    """Why the bot in an option of a search cannot judge its leaves; None if it can."""
    if not isinstance(bot(spec, game), JudgesLeaves):
        advice = f"use {option}=zero:net=FILE, with a network from `kibitz train`"
        return f"{option}={spec} has no value for a position; {advice}."
    return None
