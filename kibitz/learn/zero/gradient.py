"""Learning from examples: gradients by hand, and Adam (Kingma and Ba, 2015).

The loss of an example is the cross-entropy of the policy over the legal moves, plus that of each player's value.
Gradients are summed in compiled code, which touches only the features that hold and the moves that are legal; always in
the same order, so that the same examples give the same network.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.network import Layers, Network, as_buffers, dot, move_priors, new_layers, think

MEAN_DECAY, SQUARE_DECAY, NUDGE = 0.9, 0.999, 1e-8  # of Adam
WEIGHT_DECAY = 1e-5
SMALL = 1e-7


class Errors(NamedTuple):
    """The workspace of backpropagation, and the losses."""

    layers: Layers
    places: Any
    amounts: Any
    moves: Any
    priors: Any
    second: Any  # the gradient by the second layer …
    first: Any  # … and by the first
    losses: Any  # [policy, values], summed


@compiled
def add_gradients(network: Network, gradient: Network, errors: Errors, examples: Examples, which: Any) -> None:
    """Add the gradients of some examples, and their losses to errors.losses."""
    for number in range(len(which)):
        i = which[number]
        start, known = examples.place_starts[i], examples.place_starts[i + 1] - examples.place_starts[i]
        for k in range(known):
            errors.places[k] = examples.places[start + k]
            errors.amounts[k] = examples.amounts[start + k]
        think(network, errors.layers, errors.places, errors.amounts, known)
        errors.second[:] = np.float32(0.0)
        add_policy_gradient(network, gradient, errors, examples, i)
        add_value_gradient(network, gradient, errors, examples.values[i])
        add_layer_gradients(network, gradient, errors, known)


@compiled
def add_policy_gradient(network: Network, gradient: Network, errors: Errors, examples: Examples, i: int) -> None:
    """Add the gradient of the policy of example `i`, also to that by the second layer."""
    start = examples.move_starts[i]
    count = examples.move_starts[i + 1] - start
    for k in range(count):
        errors.moves[k] = examples.moves[start + k]
    move_priors(network, errors.layers, errors.moves, count, errors.priors)
    for k in range(count):
        wanted = examples.policy[start + k]
        errors.losses[0] -= wanted * math.log(errors.priors[k] + SMALL)
        move = errors.moves[k]
        error = errors.priors[k] - wanted
        gradient.move_bias[move] += error
        add_products(gradient.moves, move, network.moves, errors.layers.second, errors.second, error)


@compiled
def add_value_gradient(network: Network, gradient: Network, errors: Errors, wanted: Any) -> None:
    """Add the gradient of the values, also to that by the second layer."""
    for seat in range(len(wanted)):
        x = dot(network.values, seat, errors.layers.second, errors.layers.lanes) + network.value_bias[seat]
        value = 1.0 / (1.0 + math.exp(-x))
        target = wanted[seat]
        errors.losses[1] -= target * math.log(value + SMALL) + (1.0 - target) * math.log(1.0 - value + SMALL)
        error = np.float32(value - target)
        gradient.value_bias[seat] += error
        add_products(gradient.values, seat, network.values, errors.layers.second, errors.second, error)


@compiled
def add_products(gradient: Any, row: int, weights: Any, layer: Any, by_layer: Any, error: Any) -> None:
    """Add the gradients of one output by its weights and by the layer before it."""
    for j in range(len(layer)):
        gradient[row, j] += error * layer[j]
        by_layer[j] += error * weights[row, j]


@compiled
def add_layer_gradients(network: Network, gradient: Network, errors: Errors, known: int) -> None:
    """Add the gradients of the hidden layers, from that by the second layer."""
    first, second, by_first, by_second = errors.layers.first, errors.layers.second, errors.first, errors.second
    for j in range(len(second)):
        if second[j] <= 0:
            by_second[j] = np.float32(0.0)
        gradient.second_bias[j] += by_second[j]
    for i in range(len(first)):
        by_first[i] = np.float32(0.0)
        if first[i] > 0:
            by_first[i] = dot(network.second, i, by_second, errors.layers.lanes)
            add_row(gradient.second, i, by_second, first[i])
        gradient.first_bias[i] += by_first[i]
    for k in range(known):
        add_row(gradient.features, errors.places[k], by_first, np.float32(errors.amounts[k]))


@compiled
def add_row(gradient: Any, row: int, by_layer: Any, amount: Any) -> None:
    for j in range(len(by_layer)):
        gradient[row, j] += amount * by_layer[j]


class AdamLearner:
    """A network, and what Adam remembers of its gradients."""

    def __init__(self, network: Network, most_places: int, most_moves: int) -> None:
        self.network = network
        self.means = Network(*map(np.zeros_like, network))
        self.squares = Network(*map(np.zeros_like, network))
        self.steps = 0
        self._add: Callable[..., None] | None = None
        self._gradient = Network(*map(np.zeros_like, network))
        self._errors = Errors(
            layers=new_layers(network),
            places=numbers(most_places + 1, "i8"),
            amounts=numbers(most_places + 1, "f8"),
            moves=numbers(most_moves, "i8"),
            priors=numbers(most_moves, "f4"),
            second=numbers(len(network.second_bias), "f4"),
            first=numbers(len(network.first_bias), "f4"),
            losses=numbers(2, "f8"),
        )

    def learn(self, examples: Examples, which: np.ndarray, rate: float) -> tuple[float, float]:
        """Take one step of Adam from some of the examples; return the mean losses of their policies and values."""
        for part in self._gradient:
            part[:] = 0
        self._errors.losses[:] = 0.0
        network, gradient = as_buffers(self.network), as_buffers(self._gradient)
        buffers = Examples(*map(as_buffer, examples))
        arguments = network, gradient, self._errors, buffers, as_buffer(which)
        # Bound once: finding out the types of so many arrays takes as long as the rest.
        self._add = self._add or add_gradients.bind(*arguments)  # type: ignore[attr-defined]
        self._add(*arguments)
        self.steps += 1
        scale = math.sqrt(1 - SQUARE_DECAY**self.steps) / (1 - MEAN_DECAY**self.steps)
        for weights, slope, mean, square in zip(self.network, self._gradient, self.means, self.squares, strict=True):
            slope /= np.float32(len(which))
            if weights.ndim == 2:
                slope += np.float32(WEIGHT_DECAY) * weights
            mean *= np.float32(MEAN_DECAY)
            mean += np.float32(1 - MEAN_DECAY) * slope
            square *= np.float32(SQUARE_DECAY)
            square += np.float32(1 - SQUARE_DECAY) * slope * slope
            weights -= np.float32(rate * scale) * mean / (np.sqrt(square) + np.float32(NUDGE))
        policy, values = (float(loss) / len(which) for loss in self._errors.losses[:])
        return policy, values
