"""Features: how a position is described to a learner, as a few numbers, each with its place in a list of weights.

A learned value function is linear: the sum of the weights at the places that describe a position, each times its
amount. A game that can be learned has an extra, `FEATURES`, with the description for each learning method (see
kibitz/learn). A description has two methods that numba compiles like rules.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, records
from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.errors import KibitzError
from kibitz.rules.contract import OVER, Game
from kibitz.rules.registry import spec_of

CERTAIN = 1e9  # the score of a won game, beyond that of any position


class Features:
    """Base class of descriptions."""

    never_compiled = True

    def size(self, game: Any) -> int:
        """The number of weights."""
        raise NotImplementedError

    def most(self, game: Any) -> int:
        """The most places that describe one position."""
        raise NotImplementedError

    def start(self, game: Any) -> Sequence[float]:
        """The initial weights."""
        return [0.0] * self.size(game)

    def viewer(self, game: Any, s: Any) -> int:
        """The player from whose point of view a position is described, and for whom a high score is good."""
        raise NotImplementedError

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        """Write the places and amounts that describe a position, finished or not; return how many."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """The methods to compile; their arguments depend on the game."""
        return {"viewer": (), "describe": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]


class LinearValue(NamedTuple):
    """A learned value function and its workspace."""

    features: Any
    weights: Any
    after: Any  # [the position after a move]
    places: Any
    amounts: Any
    shares: Any


def new_value_function(game: Game, features: Features, weights: Sequence[float]) -> LinearValue:
    """A value function with these weights."""
    copied = numbers(len(weights), "f8")
    copied[:] = weights
    most = features.most(game)
    return LinearValue(
        features=features,
        weights=copied,
        after=records(1, game.dtype),
        places=numbers(most, "i8"),
        amounts=numbers(most, "f8"),
        shares=numbers(2, "f8"),
    )


@compiled
def best_move(game: Any, value: LinearValue, s: Any, moves: Any, count: int, player: int) -> int:
    """The move with the highest score for the player; ties go to the first."""
    best = 0
    highest = -2 * CERTAIN
    for i in range(count if count > 1 else 0):
        value.after[0] = s
        game.play(value.after[0], moves[i])
        worth = score(game, value, value.after[0], player)
        if worth > highest:
            best = i
            highest = worth
    return moves[best]


@compiled
def score(game: Any, value: LinearValue, s: Any, player: int) -> float:
    """The score of a position for a player, on the scale of the weights."""
    if s.turn == OVER:
        game.normalized_payoff(s, value.shares)
        return CERTAIN * (2.0 * value.shares[player] - 1.0)
    total = 0.0
    for i in range(value.features.describe(game, s, value.places, value.amounts)):
        total += value.weights[value.places[i]] * value.amounts[i]
    return total if value.features.viewer(game, s) == player else -total


def features_for(game: Game, method: str) -> Features:
    """How a game describes its positions to a learning method."""
    known = methods_of(game)
    if not known:
        raise KibitzError(f"{spec_of(game)} cannot be learned: it has no FEATURES that describe its positions.")
    if method not in known:
        raise KibitzError(f"{spec_of(game)} cannot be learned by {method!r}; choose from {', '.join(known)}.")
    return known[method]


def methods_of(game: Game) -> dict[str, Features]:
    """The methods by which a game can be learned, each with its description of positions."""
    return dict(game.extra_mapping("features"))
