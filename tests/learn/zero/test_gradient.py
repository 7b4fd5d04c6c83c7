"""Gradients: the same as by tiny steps, and they lead downhill."""

import numpy as np
import pytest
from nets import random_network
from toys import Nim

from kibitz.learn.method_features import features_for
from kibitz.learn.zero.examples import joined
from kibitz.learn.zero.gradient import AdamLearner, add_gradients
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.self_play import Manner, play_batch

NIM = Nim(heap=9)


@pytest.fixture(scope="module")
def examples():
    features = features_for(NIM, "zero")
    return play_batch(NIM, features, random_network(NIM), Manner(simulations=8), 1, 0, 6)


def new_learner(seed=2):
    return AdamLearner(random_network(NIM, seed), features_for(NIM, "zero").most(NIM), NIM.max_moves)


def loss(network, examples, which):
    """The mean loss of some examples, in double precision."""
    w = {name: weights.astype("f8") for name, weights in network._asdict().items()}
    total = 0.0
    for i in which:
        places = slice(*examples.place_starts[i : i + 2])
        moves = slice(*examples.move_starts[i : i + 2])
        x = (w["features"][examples.places[places]] * examples.amounts[places][:, None]).sum(0)
        first = np.maximum(x + w["first_bias"], 0)
        second = np.maximum(first @ w["second"] + w["second_bias"], 0)
        logits = w["moves"][examples.moves[moves]] @ second + w["move_bias"][examples.moves[moves]]
        total += np.log(np.exp(logits).sum()) - (examples.policy[moves] * logits).sum()
        values = 1 / (1 + np.exp(-(w["values"] @ second + w["value_bias"])))
        target = examples.values[i]
        total -= (target * np.log(values) + (1 - target) * np.log(1 - values)).sum()
    return total / len(which)


def test_gradients_are_those_of_tiny_steps(examples):
    learner = new_learner()
    which = np.arange(examples.size)
    gradient = Network(*map(np.zeros_like, learner.network))
    add_gradients(learner.network, gradient, learner._errors, examples, which)
    random = np.random.default_rng(0)
    for name in Network._fields:
        weights, slopes = getattr(learner.network, name), getattr(gradient, name) / len(which)
        steep = np.argsort(-np.abs(slopes), axis=None)[:10]
        for place in [np.unravel_index(k, weights.shape) for k in random.choice(steep, 4)]:
            kept, h = weights[place], np.float32(1e-3)
            weights[place] = kept + h
            above = loss(learner.network, examples, which)
            weights[place] = kept - h
            below = loss(learner.network, examples, which)
            weights[place] = kept
            assert slopes[place] == pytest.approx((above - below) / (2 * h), rel=0.05, abs=1e-3), name


def test_learning_lowers_the_loss(examples):
    learner = new_learner()
    which = np.arange(examples.size)
    before = loss(learner.network, examples, which)
    reported = [sum(learner.learn(examples, which, rate=0.003)) for _ in range(60)]
    assert reported[0] == pytest.approx(before, rel=1e-3)
    assert loss(learner.network, examples, which) < 0.8 * before


def test_the_same_examples_give_the_same_network_bit_for_bit(examples):
    learners = [new_learner(), new_learner()]
    for learner in learners:
        for _ in range(5):
            learner.learn(examples, np.arange(examples.size), rate=0.003)
    first, second = (learner.network for learner in learners)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def test_examples_can_be_cut_and_joined(examples):
    parts = [examples.cut(5), examples.cut(examples.size, 5)]
    for array, whole in zip(joined(parts), examples, strict=True):
        assert np.array_equal(array, whole)
