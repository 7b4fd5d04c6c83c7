"""Shows positions to a network, as the player to act may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.learn.features import Features
from kibitz.learn.zero.network import Layers, Network, as_buffers, move_priors, new_layers, seat_values, think
from kibitz.rules.contract import Game
from kibitz.search.leaf_values import LeafValues
from kibitz.search.move_priors import MovePriors


class Evaluator(NamedTuple):
    """A network, what it sees and its workspace."""

    network: Network
    features: Any
    layers: Layers
    places: Any
    amounts: Any
    priors: Any  # of the legal moves, after `judge`
    total: float  # what the values of all players sum to; below 0: nothing in particular
    known: Any  # [what the player to act may know] in a game with hidden information; else None
    scratch: Any  # the words of `known` that hold its scratch fields; else None


def new_evaluator(game: Game, features: Features, network: Network) -> Evaluator:
    """An evaluator of the positions of a game."""
    view = np.zeros(1, game.dtype)
    hidden = game.has_hidden_information
    most = features.most(game)
    total = game.players * float(game.normalized(game.utility_sum / game.players)) if game.is_constant_sum else -1.0
    return Evaluator(
        network=as_buffers(network),
        features=features,
        layers=new_layers(network),
        places=numbers(most + 1, "i8"),
        amounts=numbers(most + 1, "f8"),
        priors=numbers(game.max_moves, "f4"),
        total=total,
        known=as_buffer(view) if hidden else None,
        scratch=as_buffer(view.view("u8")[game.public_words :]) if hidden else None,
    )


@dataclass(eq=False)
class NetworkValues(LeafValues):
    """The values of a network, for searches that know nothing of networks; the memory is an Evaluator."""

    def evaluate(self, game: Any, s: Any, memory: Any, out: Any) -> None:
        judge_value(game, memory, s, out)


@dataclass(eq=False)
class NetworkPriors(MovePriors):
    """The move probabilities of a network, for searches that know nothing of networks; the memory is an Evaluator."""

    def rate(self, game: Any, s: Any, moves: Any, count: int, memory: Any, out: Any) -> None:
        judge_moves(game, memory, s, moves, count)
        for i in range(count):
            out[i] = memory.priors[i]


@compiled
def judge_moves(game: Any, by: Evaluator, s: Any, moves: Any, count: int) -> None:
    """Write the prior of each of `count` legal moves to by.priors."""
    count_seen = look(game, by.features, s, by.known, by.scratch, by.places, by.amounts)
    think(by.network, by.layers, by.places, by.amounts, count_seen)
    move_priors(by.network, by.layers, moves, count, by.priors)


@compiled
def judge_value(game: Any, by: Evaluator, s: Any, values: Any) -> None:
    """Write the value of a position to each player."""
    count_seen = look(game, by.features, s, by.known, by.scratch, by.places, by.amounts)
    think(by.network, by.layers, by.places, by.amounts, count_seen)
    seat_values(by.network, by.layers, s.turn, values)
    if by.total >= 0.0:
        share_out(values, by.total)


@compiled
def judge(game: Any, by: Evaluator, s: Any, moves: Any, count: int, values: Any) -> None:
    """Write the prior of each of `count` legal moves to by.priors, and the value to each player to `values`."""
    judge_value(game, by, s, values)
    move_priors(by.network, by.layers, moves, count, by.priors)


@compiled
def share_out(values: Any, total: float) -> None:
    """Scale the values of all players alike, so that they have the sum they must have."""
    found = 0.0
    for player in range(len(values)):
        found += values[player]
    for player in range(len(values)):
        values[player] = min(values[player] * total / found, 1.0)


@compiled
def look(game: Any, features: Any, s: Any, view: Any, scratch: Any, places: Any, amounts: Any) -> int:
    """Describe a position as the player to act sees it; return the number of features."""
    if view is None:
        return features.describe(game, s, places, amounts)
    else:  # noqa: RET505  (numba drops the branch that does not apply)
        view[0] = s
        scratch[:] = 0  # scratch fields may leak hidden information
        game.redact(view[0], s.turn)
        return features.describe(game, view[0], places, amounts)
