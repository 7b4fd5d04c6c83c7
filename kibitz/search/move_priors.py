"""Move priors: how probable good moves look before they are searched, according to something like a network.

A bot that has an opinion on moves offers them: `move_priors(game)` returns an object with a compiled method, and what
that method works on. So `uct:prior=policy` lets the network of `policy` decide what is tried first, which this package
knows nothing about. The values of positions are offered in the same way: leaf_values.py.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, Protocol, runtime_checkable

from kibitz.compiler import compiled, numbers
from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.players.roster import bot
from kibitz.rules.contract import Game

BIAS = 50.0  # the weight of priors in a selection by bounds, unless it is given


class MovePriors:
    """Base class of move priors; `rate` is compiled like rules."""

    never_compiled = True

    def rate(self, game: Any, s: Any, moves: Any, count: int, memory: Any, out: Any) -> None:
        """Write the probability of each of `count` legal moves, by what the player to act may know.

        `s` can be a determinization, in which everything hidden is dealt out.
        """
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """The method to compile; its arguments depend on the game."""
        return {"rate": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self)


@runtime_checkable
class RatesMoves(Protocol):
    """A bot that offers move priors."""

    def move_priors(self, game: Game) -> tuple[MovePriors, Any]:
        """The priors, and the memory that `rate` works on."""


class Advice(NamedTuple):
    """The move priors of a bot and the workspace of a search."""

    rater: Any
    memory: Any
    priors: Any  # of the legal moves


def advice_of(spec: str, game: Game) -> Advice | None:
    """The move priors that a bot offers; None if the spec is empty."""
    if not spec:
        return None
    rates: RatesMoves = bot(spec, game)
    rater, memory = rates.move_priors(game)
    return Advice(rater, memory, numbers(game.max_moves, "f8"))


def advice_misfit(spec: str, game: Game) -> str | None:
    """Why a bot offers no move priors; None if it does."""
    if spec and not isinstance(bot(spec, game), RatesMoves):
        return f"prior={spec} has no probabilities of moves; name a bot with a network, such as policy or zero."
    return None


@compiled
def rate_moves(game: Any, s: Any, moves: Any, count: int, advice: Advice) -> None:
    """Write the prior of each legal move to advice.priors."""
    advice.rater.rate(game, s, moves, count, advice.memory, advice.priors)


@compiled
def sort_by_priors(moves: Any, priors: Any, count: int) -> None:
    """Sort moves and their priors, the highest prior first; equal ones keep their order."""
    for i in range(1, count):
        move, prior = moves[i], priors[i]
        place = i
        while place > 0 and priors[place - 1] < prior:
            moves[place], priors[place] = moves[place - 1], priors[place - 1]
            place -= 1
        moves[place], priors[place] = move, prior
