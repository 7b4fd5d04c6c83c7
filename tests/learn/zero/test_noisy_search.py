"""The noise of self-play: gamma samples, priors with noise, and which move is played."""

import numpy as np
import pytest

from kibitz.compiler import numbers, records
from kibitz.learn.zero.noisy_search import RootMoves, add_noise, gamma, pick_child, sort_unvisited, weigh_visits
from kibitz.learn.zero.puct import GUIDED_NODE
from kibitz.rules.rng import Stream


def root(priors, visits=(), worths=()):
    """Nodes 1, 2, … with these priors, visits and total values, as the children of node 0, and room for their moves."""
    count = len(priors)
    nodes = records(count + 1, GUIDED_NODE)
    moves = RootMoves(numbers(count, "i8"), *(numbers(count, "f8") for _ in range(3)))
    for i, prior in enumerate(priors):
        moves.children[i] = i + 1
        nodes[i + 1]["prior"] = prior
        nodes[i + 1]["move"] = 10 * i
        nodes[i + 1]["visits"] = visits[i] if visits else 0
        nodes[i + 1]["worth"] = worths[i] if worths else 0.0
    return nodes, moves


def priors_of(nodes, count):
    return [float(nodes[i]["prior"]) for i in range(1, count + 1)]


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.0])
def test_gamma_samples_have_the_mean_and_variance_of_their_shape(shape):
    words = Stream(1, "gamma").words
    samples = np.array([gamma(words, shape) for _ in range(20_000)])
    assert samples.min() >= 0.0
    assert samples.mean() == pytest.approx(shape, rel=0.05)
    assert samples.var() == pytest.approx(shape, rel=0.1)


def test_noise_keeps_the_sum_of_the_priors_and_its_share():
    nodes, moves = root([0.7, 0.2, 0.1])
    add_noise(nodes, moves, 3, 0.25, Stream(1, "noise").words)
    noisy = priors_of(nodes, 3)
    assert sum(noisy) == pytest.approx(1.0, abs=1e-5)
    assert noisy != pytest.approx([0.7, 0.2, 0.1])
    assert all(after >= 0.75 * before - 1e-6 for after, before in zip(noisy, [0.7, 0.2, 0.1], strict=True))


def test_unvisited_children_are_sorted_and_visited_ones_stay():
    nodes, moves = root([0.1, 0.2, 0.3, 0.4], visits=[5, 0, 0, 0])
    sort_unvisited(nodes, moves.children, 4, True)
    assert priors_of(nodes, 4) == pytest.approx([0.1, 0.4, 0.3, 0.2])
    assert [int(nodes[i]["move"]) for i in range(1, 5)] == [0, 30, 20, 10]


def test_the_policy_is_the_share_of_the_visits_and_proven_moves_count_as_such():
    nodes, moves = root([0.5, 0.3, 0.2], visits=[6, 3, 1], worths=[3.0, 2.0, 0.2])
    exact = np.zeros((4, 2))
    weigh_visits(nodes, exact, 0, moves, 3)
    assert list(moves.policy) == pytest.approx([0.6, 0.3, 0.1])
    assert list(moves.values) == pytest.approx([0.5, 2 / 3, 0.2])
    nodes[1]["proven"] = 1  # lost
    weigh_visits(nodes, exact, 0, moves, 3)
    assert moves.policy[0] < 0.02
    nodes[3]["proven"] = 1
    exact[3, 0] = 1.0
    weigh_visits(nodes, exact, 0, moves, 3)
    assert list(moves.policy) == [0.0, 0.0, 1.0]


def test_the_move_is_drawn_by_the_policy_or_the_most_visited_one():
    _, moves = root([0.5, 0.3, 0.2])
    moves.policy[:] = [0.2, 0.0, 0.8]
    words = Stream(1, "pick").words
    assert {int(pick_child(moves, 3, False, words)) for _ in range(20)} == {3}
    drawn = [int(pick_child(moves, 3, True, words)) for _ in range(2000)]
    assert drawn.count(2) == 0
    assert drawn.count(3) / 2000 == pytest.approx(0.8, abs=0.05)
