"""TD(λ), on Nim and on Ur."""

from dataclasses import dataclass

import numpy as np
import pytest
from toys import Nim

import kibitz
from kibitz.games.ur.features import FEATURES
from kibitz.games.ur.rules import Ur
from kibitz.learn import Brain, train
from kibitz.learn.features import Features
from kibitz.learn.linear_value import best_move, new_value_function, score
from kibitz.learn.td import TDTraining, logistic
from kibitz.rules.rng import Stream
from kibitz.solve import values_of


@dataclass(init=False, eq=False)
class Heap(Features):
    """The size of the heap, for the player to move."""

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


def test_any_two_player_game_can_be_learned():
    training = TDTraining(Nim(heap=7), Heap(), games=2000, seed=1, opponent="self")
    for _ in range(40):
        training.study(50)
    value, table = training.value, kibitz.Table(training.game)
    moves = np.array(table.moves)
    assert best_move(training.game, value, table.state.record, moves, len(moves), 0) == 2  # which leaves four
    assert training.weights()[4] < -1  # lost for the player to move


def test_estimates_come_close_to_the_exact_values():
    game = Ur(pieces=1)
    training = TDTraining(game, FEATURES["td"], games=4000, seed=1, opponent="self")
    for _ in range(80):
        training.study(50)
    value, values = new_value_function(game, FEATURES["td"], training.weights()), values_of(game)
    errors = []
    for seed in range(200):
        table = kibitz.Table(game, seed=seed, deal=False)
        while not table.over:
            if table.turn == kibitz.CHANCE:
                state = table.state
                estimate = logistic(float(score(game, value, state.record, state.mover)))
                errors.append(estimate - values.value(state, state.mover))
            table.play(Stream(seed, len(table.history)).choice(table.moves))
    assert np.abs(errors).mean() < 0.05


def test_training_is_reproducible_and_the_same_in_plain_python():
    compiled = train(Ur(pieces=1), games=4, seed=3, method="td").brain
    with kibitz.plain():
        assert train(Ur(pieces=1), games=4, seed=3, method="td").brain.weights == pytest.approx(compiled.weights)
    assert train(Ur(pieces=1), games=4, seed=3, method="td").brain == compiled


def test_it_learns_ur_better_than_one_value_per_square_can(tmp_path):
    brain = train("ur", games=3000, seed=1, method="td").brain
    brain.write(tmp_path / "brain.json")
    result = kibitz.arena("ur", [f"learned:file={tmp_path}/brain.json", "learned"], games=4000, seed=1)
    assert result.pair(0, 1).share > 0.52


def test_the_result_is_the_average_over_the_second_half():
    training = TDTraining(Ur(pieces=1), FEATURES["td"], games=4, seed=1, opponent="self")
    training.study(2)
    early = training.weights()
    assert np.array_equal(early, training.value.weights)
    training.study(1)
    third = np.array(training.value.weights)
    training.study(1)
    assert np.allclose(training.weights(), (third + training.value.weights) / 2)


def test_a_game_without_features_is_learned_from_what_random_games_show(tmp_path):
    brain = train(Nim(heap=7), games=2000, seed=1, method="td").brain
    brain.write(tmp_path / "brain.json")
    read = Brain.read(tmp_path / "brain.json")
    assert read.features == brain.features
    table = kibitz.Table(Nim(heap=7))
    moves = np.array(table.moves)
    value = read.value(table.game)
    assert best_move(table.game, value, table.state.record, moves, len(moves), 0) == 2  # which leaves four
    with pytest.raises(kibitz.KibitzError, match="This brain for Nim:heap=7 was learned from other rules"):
        read.value(Nim(heap=8))
