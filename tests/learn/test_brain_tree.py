"""The tree of brains: which brain it tries next, what it counts, and which brain it settles on."""

import math

import numpy as np
import pytest

import kibitz
from kibitz.compiler import numbers
from kibitz.games.ur.rules import Ur
from kibitz.learn import train
from kibitz.learn.brain_tree import NONE, SIZE, Node, back_up, best_node, lower_bound, new_tree, triangular, try_another
from kibitz.rules.rng import Stream

GAMES = 60
ROSETTES = "greedy:values=rosettes"


def grown(games=GAMES, step=2.0):
    """A tree grown by results that favour brains with a high first weight, and the steps of its growth."""
    root = [0.0, 1.0, 2.0]
    tree = new_tree(root, numbers(3, "f8"), games, Stream(5, "brains"))
    luck = Stream(5, "luck")
    steps = []
    for _ in range(games):
        back_up(tree, float(luck.random() < 1 / (1 + math.exp(-tree.playing[0]))))
        before = int(tree.place[SIZE]), tree.wins.copy(), tree.games.copy()
        try_another(tree, step)
        steps.append((*before, int(tree.parent[before[0]])))
    return tree, steps


def test_the_brain_with_the_highest_bound_of_the_whole_tree_gets_a_child():
    tree, steps = grown()
    for size, wins, games, chosen in steps:
        above = [games[0] if node == 0 else games[tree.parent[node]] for node in range(size)]
        bounds = [wins[i] / games[i] + math.sqrt(2 * math.log(above[i]) / games[i]) for i in range(size)]
        assert bounds[chosen] == pytest.approx(max(bounds))


def test_every_game_counts_for_the_brain_that_played_and_all_above_it():
    tree, _ = grown()
    children = {node: [c for c in range(GAMES) if tree.parent[c] == node] for node in range(GAMES)}
    for node, below in children.items():
        assert tree.games[node] == 1 + sum(tree.games[child] for child in below)
        assert 0 <= tree.wins[node] - sum(tree.wins[child] for child in below) <= 1
    assert tree.games[0] == GAMES
    assert tree.parent[0] == NONE


def test_a_child_differs_from_its_parent_in_one_weight_by_at_most_the_step():
    tree, _ = grown(step=2.0)
    for child in range(1, GAMES + 1):
        change = np.abs(tree.brains[child] - tree.brains[tree.parent[child]])
        assert np.count_nonzero(change) == 1
        assert change.max() <= 2.0
    assert np.array_equal(tree.playing, tree.brains[GAMES])


def test_small_changes_are_more_likely_than_large_ones():
    stream = Stream(1, "steps")
    drawn = np.array([triangular(stream.words, 3.0) for _ in range(20_000)])
    assert np.abs(drawn).max() <= 3.0
    assert drawn.mean() == pytest.approx(0, abs=0.05)
    assert drawn.var() == pytest.approx(9 / 6, rel=0.05)


def test_the_final_brain_is_not_just_a_lucky_one():
    root, lucky, proven, few = Node(0, -1, 500, 1000), Node(1, 0, 24, 30), Node(2, 0, 280, 400), Node(3, 2, 20, 20)
    nodes = [root, lucky, proven, few]
    assert best_node(nodes) is proven
    assert best_node(nodes, raw=True) is lucky
    assert best_node([Node(0, -1, 1, 2), Node(1, 0, 1, 1)]).number == 0  # with so few games, the root is enough


def test_the_lower_bound_approaches_the_win_rate_with_more_games():
    bounds = [lower_bound(Node(0, -1, 0.6 * games, games)) for games in (10, 100, 1000, 100_000)]
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(0.6, abs=0.005)


def test_training_is_reproducible_and_the_same_in_plain_python():
    compiled = train(Ur(pieces=2), games=12, seed=3)
    with kibitz.plain():
        assert train(Ur(pieces=2), games=12, seed=3).nodes == compiled.nodes
    assert train(Ur(pieces=2), games=12, seed=3).brain == compiled.brain
    assert train(Ur(pieces=2), games=12, seed=4).nodes != compiled.nodes


def test_an_interrupted_training_keeps_what_was_learned():
    def press(done, total):
        if done >= 400:
            raise KeyboardInterrupt

    training = train("ur", games=100_000, progress=press)
    assert training.brain.games == 400
    assert training.nodes[0].games == 400
    assert len(training.brain.weights) == 16


def test_a_learner_can_play_against_a_bot():
    training = train("ur", games=2000, opponent="random", seed=1)
    assert training.nodes[0].wins / training.nodes[0].games > 0.7
    with pytest.raises(kibitz.KibitzError, match="is not a compiled player"):
        train("ur", games=10, opponent="mc")


def test_ten_thousand_games_are_enough_to_beat_random_and_greedy(tmp_path):
    train("ur", seed=1).brain.write(tmp_path / "brain.json")
    result = kibitz.arena("ur", [f"learned:file={tmp_path}/brain.json", "random", ROSETTES], games=12_000, seed=1)
    assert result.pair(0, 1).share > 0.88
    assert result.pair(0, 2).share > 0.62


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"game": "connect_four"}, "has no FEATURES for a tree"),
        ({"method": "magic"}, "cannot be learned by 'magic'; choose from tree, td"),
        ({"games": 0}, "number of games must be a whole number of at least 1"),
        ({"step": 0}, "must be more than 0"),
    ],
)
def test_what_cannot_be_trained_is_rejected(options, sentence):
    with pytest.raises(kibitz.KibitzError, match=sentence):
        train(**{"game": "ur", **options})
