"""A linear value function: the sum of the weights at the places that describe a position, each times its amount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers, records
from kibitz.learn.features import Features
from kibitz.rules.contract import OVER, Game

CERTAIN = 1e9  # the score of a won game, beyond that of any position


class LinearValue(NamedTuple):
    """A learned value function and its workspace."""

    features: Any
    weights: Any
    after: Any  # [the position after a move]
    places: Any
    amounts: Any
    shares: Any


def not_learnable(game: Game) -> str | None:
    """Why no linear value function can be learned for a game; None if one can."""
    if game.players != 2:
        return f"it is for two players, not {game.players}."
    return None if game.is_constant_sum else "the utilities have no constant sum."


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
