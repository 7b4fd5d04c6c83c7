"""The network: sparse features → 64 → 32, or wider → a logit for each legal move and a value for each player.

All numbers are float32. The first layer is a sum of rows, one for each feature that holds, so that it costs what holds,
not what could. Hidden layers are rectified linear units. Values are logistic, seen from the mover's side: the first is
the mover's, the next that of the player to move after, and so on around the table.

Every sum is taken in the same order on every machine: loops run over neighbouring outputs, and dot products in eight
lanes, which is as fast as the compiler could make them by reordering.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.rules.rng import Stream

WIDTHS = 64, 32  # of the hidden layers, usually
LANES = 8  # which divides the widths


class Network(NamedTuple):
    """The weights of a network."""

    features: Any  # [place, first layer]
    first_bias: Any
    second: Any  # [first layer, second layer]
    second_bias: Any
    moves: Any  # [move, second layer]
    move_bias: Any
    values: Any  # [seat after the mover, second layer]
    value_bias: Any


def widths_of(network: Network) -> tuple[int, int]:
    """The widths of a network's hidden layers."""
    return len(network.first_bias), len(network.second_bias)


class Layers(NamedTuple):
    """The workspace of a network."""

    first: Any
    second: Any
    lanes: Any  # of dot products


def shapes(size: int, actions: int, players: int, widths: tuple[int, int] = WIDTHS) -> Network:
    """The shapes of a network's weights."""
    first, second = widths
    hidden = (size, first), (first,), (first, second), (second,)
    return Network(*hidden, (actions, second), (actions,), (players, second), (players,))


def new_network(
    size: int, actions: int, players: int, seed: int | str = 0, widths: tuple[int, int] = WIDTHS
) -> Network:
    """A network with random weights. Its first opinions are nearly the same on all moves and all positions."""
    spread = Network(0.2, 0.0, math.sqrt(2 / widths[0]), 0.0, 0.02, 0.0, 0.02, 0.0)
    start = Network(0.0, 0.05, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0)
    random = np.random.default_rng(Stream(seed, "network").getrandbits(63))
    return Network(
        *(
            (random.normal(size=shape) * width + mean).astype("f4")
            for shape, width, mean in zip(shapes(size, actions, players, widths), spread, start, strict=True)
        )
    )


def as_buffers(network: Network) -> Network:
    """A network in the form that compiled code takes."""
    return Network(*map(as_buffer, network))


def new_layers(network: Network) -> Layers:
    """Room for the layers of a network."""
    return Layers(numbers(len(network.first_bias), "f4"), numbers(len(network.second_bias), "f4"), numbers(LANES, "f4"))


@compiled
def think(network: Network, layers: Layers, places: Any, amounts: Any, count: int) -> None:
    """Compute the hidden layers for a position described by `count` features; `places` has room for one more."""
    first, second = layers.first, layers.second
    if count % 2 == 1:
        places[count] = 0
        amounts[count] = 0.0
    add_features(first, network.first_bias, network.features, places, amounts, count)
    add_layer(second, network.second_bias, network.second, first)


@compiled
def add_features(layer: Any, bias: Any, rows: Any, places: Any, amounts: Any, count: int) -> None:
    """The first layer, before it is rectified."""
    width = len(layer)
    for j in range(width):
        layer[j] = bias[j]
    for i in range(0, count, 2):  # two at a time: half as many passes over the layer
        p, q = places[i], places[i + 1]
        a, b = np.float32(amounts[i]), np.float32(amounts[i + 1])
        for j in range(width):
            layer[j] += a * rows[p, j] + b * rows[q, j]


@compiled
def add_layer(layer: Any, bias: Any, rows: Any, before: Any) -> None:
    """A rectified layer, given the one before it, which need not be rectified."""
    width = len(layer)
    for j in range(width):
        layer[j] = bias[j]
    for i in range(len(before)):
        x = before[i]
        if x > 0:
            for j in range(width):
                layer[j] += x * rows[i, j]
    for j in range(width):
        layer[j] = max(layer[j], np.float32(0.0))


@compiled
def dot(rows: Any, row: int, layer: Any, lanes: Any) -> Any:
    """The dot product of a row and a layer, in eight lanes, which are added up at the end."""
    for k in range(LANES):
        lanes[k] = np.float32(0.0)
    for j in range(0, len(layer), LANES):
        for k in range(LANES):
            lanes[k] += rows[row, j + k] * layer[j + k]
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


@compiled
def move_priors(network: Network, layers: Layers, moves: Any, count: int, priors: Any) -> None:
    """Write the probabilities of the legal moves, after `think`."""
    rows, bias, layer, lanes = network.moves, network.move_bias, layers.second, layers.lanes
    highest = np.float32(-1e30)
    for i in range(count):
        priors[i] = dot(rows, moves[i], layer, lanes) + bias[moves[i]]
        highest = max(highest, priors[i])
    total = np.float32(0.0)
    for i in range(count):
        priors[i] = exponential(priors[i] - highest)
        total += priors[i]
    for i in range(count):
        priors[i] /= total


@compiled
def seat_values(network: Network, layers: Layers, mover: int, values: Any) -> None:
    """Write the value to each player, after `think`; the mover's is the first that the network gives."""
    players = len(values)
    for seat in range(players):
        x = dot(network.values, seat, layers.second, layers.lanes) + network.value_bias[seat]
        e = exponential(-abs(x))
        player = mover + seat if mover + seat < players else mover + seat - players
        values[player] = (1.0 if x >= 0 else e) / (1.0 + e)


@compiled
def exponential(x: Any) -> Any:
    """e to the power of x, which is not positive: good to four digits, and the same on every machine."""
    scaled = max(x * np.float32(1.4426950408889634), np.float32(-60.0))
    whole = math.floor(scaled)
    rest = np.float32(scaled - whole)
    power = np.float32(1.0) + rest * (
        np.float32(0.6951786) + rest * (np.float32(0.2276442) + rest * np.float32(0.0771771))
    )
    return np.float32(power / np.float32(1 << int(-whole)))
