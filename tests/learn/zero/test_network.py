"""The network: the same numbers as a textbook implementation."""

import math

import numpy as np
import pytest
from nets import random_network
from toys import HighCard, Nim

import kibitz
from kibitz.compiler import numbers
from kibitz.learn.method_features import features_for
from kibitz.learn.zero.evaluator import judge, look, new_evaluator
from kibitz.learn.zero.network import exponential


def by_the_book(network, x, moves):
    """The priors of the moves and the values by seat, in double precision."""
    w = network._asdict()
    w = {name: weights.astype("f8") for name, weights in w.items()}
    first = np.maximum(x @ w["features"] + w["first_bias"], 0)
    second = np.maximum(first @ w["second"] + w["second_bias"], 0)
    logits = w["moves"][moves] @ second + w["move_bias"][moves]
    priors = np.exp(logits - logits.max())
    return priors / priors.sum(), 1 / (1 + np.exp(-(w["values"] @ second + w["value_bias"])))


@pytest.mark.parametrize("mode", ["compiled", "plain"])
def test_priors_and_values_are_those_of_a_textbook_network(mode):
    game = Nim(heap=9)
    with kibitz.plain() if mode == "plain" else kibitz.compiler.running_in(mode):
        features, network = features_for(game, "zero"), random_network(game)
        by = new_evaluator(game, features, network)
        table = kibitz.Table(game)
        table.play(1)
        s = table.state if mode == "plain" else table.state.record
        moves, values = numbers(3, "i8"), numbers(2, "f8")
        moves[:] = [0, 1, 2]
        judge(game, by, s, moves, 3, values)
        x = np.zeros(features.size(game))
        for i in range(look(game, features, s, None, None, by.places, by.amounts)):
            x[by.places[i]] += by.amounts[i]
        priors, seats = by_the_book(network, x, [0, 1, 2])
    assert by.priors[:].tolist() == pytest.approx(priors.tolist(), rel=1e-3)
    mover = 1  # whose value comes first
    expected = seats[::-1] / seats.sum()  # scaled alike, so that they sum to 1
    assert values[:].tolist() == pytest.approx(expected.tolist(), rel=1e-3)
    assert values[mover] == pytest.approx(expected[1], rel=1e-3)


def test_the_exponential_is_good_to_four_digits():
    for x in np.linspace(-20, 0, 101):
        assert exponential(np.float32(x)) == pytest.approx(math.exp(x), rel=2e-4)
    assert exponential(np.float32(-1000)) < 1e-15


def test_what_is_hidden_does_not_change_what_the_network_says():
    game = HighCard()
    by = new_evaluator(game, features_for(game, "zero"), random_network(game))
    told = {}
    for seed in range(60):
        table = kibitz.Table(game, seed=seed)
        values = np.zeros(3)
        moves = np.array(table.moves)
        judge(game, by, table.state.record, moves, len(moves), values)
        told.setdefault(str(table.view(0).state), set()).add((tuple(by.priors), tuple(values)))
    assert len(told) < 60  # some of the deals look the same to the first player
    assert all(len(opinions) == 1 for opinions in told.values())
    assert len({opinion for opinions in told.values() for opinion in opinions}) > 1
