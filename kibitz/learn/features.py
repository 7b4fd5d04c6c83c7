"""How a position is described to what learns: a few numbers, each with its place in a list of weights.

A learned function is linear: the sum of the weights at the places that describe a position, each times its amount.
A game that can be learned has a file `features.py` beside its rules with `FEATURES`, the description for each method of
learning (see kibitz/learn). A description has two methods that numba compiles the way it compiles rules.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.board import beside
from kibitz.compiled import compiled, numbers, records
from kibitz.errors import KibitzError
from kibitz.game import OVER, Game
from kibitz.games import spec_of
from kibitz.rules import RulesType, rules_type

CERTAIN = 1e9  # the score of a game that is won, beyond that of any position


class Features:
    """The base of descriptions."""

    never_compiled = True

    def size(self, game: Any) -> int:
        """How many weights there are."""
        raise NotImplementedError

    def most(self, game: Any) -> int:
        """At most so many places describe one position."""
        raise NotImplementedError

    def start(self, game: Any) -> Sequence[float]:
        """The weights to begin with."""
        return [0.0] * self.size(game)

    def viewer(self, game: Any, s: Any) -> int:
        """The player from whose side a position is described: a high score is good for this one, bad for the other."""
        raise NotImplementedError

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        """Write what describes a position, finished or not; return how many places it takes."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """What is compiled. Its arguments depend on the game."""
        return {"viewer": (), "describe": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]


class Mind(NamedTuple):
    """A learned function with the work space to think in."""

    features: Any
    weights: Any
    after: Any  # [the position after a move]
    places: Any
    amounts: Any
    shares: Any


def new_mind(game: Game, features: Features, weights: Sequence[float]) -> Mind:
    """A mind with these weights."""
    held = numbers(len(weights), "f8")
    held[:] = weights
    most = features.most(game)
    return Mind(
        features=features,
        weights=held,
        after=records(1, game.dtype),
        places=numbers(most, "i8"),
        amounts=numbers(most, "f8"),
        shares=numbers(2, "f8"),
    )


@compiled
def best_move(game: Any, mind: Mind, s: Any, moves: Any, count: int, player: int) -> int:
    """The move after which the position scores highest for the player; of equal ones the first."""
    best = 0
    highest = -2 * CERTAIN
    for i in range(count if count > 1 else 0):
        mind.after[0] = s
        game.play(mind.after[0], moves[i])
        worth = score(game, mind, mind.after[0], player)
        if worth > highest:
            best = i
            highest = worth
    return moves[best]


@compiled
def score(game: Any, mind: Mind, s: Any, player: int) -> float:
    """What a position is worth to a player on the scale of the weights."""
    if s.turn == OVER:
        game.payoff(s, mind.shares)
        return CERTAIN * (2.0 * mind.shares[player] - 1.0)
    total = 0.0
    for i in range(mind.features.describe(game, s, mind.places, mind.amounts)):
        total += mind.weights[mind.places[i]] * mind.amounts[i]
    return total if mind.features.viewer(game, s) == player else -total


def features_for(game: Game, method: str) -> Features:
    """How a game describes its positions to a method of learning."""
    known = methods_of(game)
    if not known:
        raise KibitzError(f"{spec_of(game)} cannot be learned: it has no features.py that describes its positions.")
    if method not in known:
        raise KibitzError(f"{spec_of(game)} is not learned by {method!r}; there is {', '.join(known)}.")
    return known[method]


def methods_of(game: Game) -> dict[str, Features]:
    """The methods by which a game can be learned, with the description that each works on."""
    return getattr(beside(game, "features"), "FEATURES", {})
