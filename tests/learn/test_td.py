"""Temporal differences, on a game that everybody knows and on Ur."""

from dataclasses import dataclass

import numpy as np
import pytest
from toys import Nim

import kibitz
from kibitz.games.ur.features import FEATURES
from kibitz.games.ur.rules import Ur
from kibitz.learn import train
from kibitz.learn.features import Features, best_move, new_mind, score
from kibitz.learn.td import Course, logistic
from kibitz.rng import Stream
from kibitz.solve import values_of


@dataclass(init=False, eq=False)
class Heap(Features):
    """How much is left, seen by who is to move."""

    def size(self, game):
        return game.heap + 1

    def most(self, game):
        return 1

    def viewer(self, game, s):
        return s.turn

    def describe(self, game, s, places, amounts):
        places[0] = s.left
        amounts[0] = 1.0
        return 1


def test_any_game_for_two_can_be_learned():
    course = Course(Nim(heap=7), Heap(), games=2000, seed=1, opponent="self")
    for _ in range(40):
        course.study(50)
    mind, table = course.mind, kibitz.Table(course.game)
    moves = np.array(table.moves())
    assert best_move(course.game, mind, table.state.record, moves, len(moves), 0) == 2  # which leaves four
    assert course.weights()[4] < -1  # lost for who is to move


def test_estimates_come_close_to_the_exact_values():
    game = Ur(pieces=1)
    course = Course(game, FEATURES["td"], games=4000, seed=1, opponent="self")
    for _ in range(80):
        course.study(50)
    mind, values = new_mind(game, FEATURES["td"], course.weights()), values_of(game)
    errors = []
    for seed in range(200):
        table = kibitz.Table(game, seed=seed, deal=False)
        while not table.over:
            if table.turn == kibitz.CHANCE:
                state = table.state
                estimate = logistic(float(score(game, mind, state.record, state.mover)))
                errors.append(estimate - values.value(state, state.mover))
            table.play(Stream(seed, len(table.history)).choice(table.moves()))
    assert np.abs(errors).mean() < 0.05


def test_training_is_reproducible_and_the_same_in_plain_python():
    compiled = train(Ur(pieces=1), games=4, seed=3, method="td").brain
    with kibitz.plain():
        assert train(Ur(pieces=1), games=4, seed=3, method="td").brain.weights == pytest.approx(compiled.weights)
    assert train(Ur(pieces=1), games=4, seed=3, method="td").brain == compiled


def test_it_learns_ur_better_than_values_of_steps_can(tmp_path):
    brain = train("ur", games=3000, seed=1, method="td").brain
    brain.write(tmp_path / "brain.json")
    result = kibitz.arena("ur", [f"learned:file={tmp_path}/brain.json", "learned"], games=4000, seed=1)
    assert result.pair(0, 1).share > 0.52


def test_what_is_kept_is_an_average_of_the_second_half():
    course = Course(Ur(pieces=1), FEATURES["td"], games=4, seed=1, opponent="self")
    course.study(2)
    early = course.weights()
    assert np.array_equal(early, course.mind.weights)
    course.study(1)
    third = np.array(course.mind.weights)
    course.study(1)
    assert np.allclose(course.weights(), (third + course.mind.weights) / 2)
