"""Games of a teacher: what a network learns from before it plays against itself."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from toys import HighCard, Nim

import kibitz
from kibitz.learn.method_features import ZERO, features_for
from kibitz.learn.zero import matches, training
from kibitz.learn.zero.self_play import Manner
from kibitz.learn.zero.teacher_games import play_taught_batch
from kibitz.learn.zero.training import train_zero
from kibitz.players.compiled_player import CompiledPlayer

NIM = Nim(heap=10)


@dataclass(frozen=True)
class First(CompiledPlayer):
    """Plays the first legal move."""

    def pick(self, game, s, moves, count, player, memory, rng):
        return moves[0]


@dataclass(frozen=True)
class Peeker(CompiledPlayer):
    """Plays the first legal move, unless it sees somebody else's card."""

    def pick(self, game, s, moves, count, player, memory, rng):
        for card in range(len(s.where)):
            if s.where[card] >= 0 and s.where[card] < 3 and s.where[card] != player:
                return moves[count - 1]
        return moves[0]


def taught(game, teacher, number=0, games=30):
    return play_taught_batch(game, features_for(game, ZERO), teacher, Manner(thorough=1.0), 1, number, games)


def chosen_moves(examples):
    """Which of the legal moves is the target of the policy, in every example."""
    starts = examples.move_starts
    return [examples.policy[begin:end].tolist().index(1.0) for begin, end in itertools.pairwise(starts)]


def test_a_batch_is_reproducible_and_every_batch_is_another():
    first, again, other = taught(NIM, First()), taught(NIM, First()), taught(NIM, First(), number=1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.places, other.places)


def test_examples_are_the_moves_of_the_teacher_and_the_results():
    found = taught(NIM, First())
    assert set(chosen_moves(found)) == {0}
    assert len(found.policy) == found.move_starts[-1] > found.size  # all legal moves are there
    assert set(found.values.ravel().tolist()) == {0.0, 1.0}


def test_the_teacher_sees_only_what_the_player_to_act_may_see():
    found = taught(HighCard(), Peeker())
    assert set(chosen_moves(found)) == {0}
    assert max(np.diff(found.move_starts)) > 1  # it could have chosen another move


def test_a_network_learns_from_the_teacher_first(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "GATES", 0)
    monkeypatch.setattr(matches, "MOST_GAMES", 4)
    seen = []
    done = train_zero(
        NIM, tmp_path / "net.npz", games=400, teacher="random", progress=lambda now, part: seen.append(now.games)
    )
    assert seen == [160, 320, 360, 400]  # two large batches of the teacher, then self-play
    assert done.progress.teacher == "random"


def test_only_compiled_players_teach(tmp_path):
    with pytest.raises(kibitz.KibitzError, match="uct:sims=10 cannot teach, because it is not a compiled player"):
        train_zero(NIM, tmp_path / "net.npz", games=40, teacher="uct:sims=10")
