"""Bots that play against a learner at many tables."""

from dataclasses import dataclass

import numpy as np
import pytest
from card_tables import RULES, new_env, random_game
from toys import Cups

import kibitz
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.rules.contract import OVER


def test_the_learner_and_random_opponents_play_the_games_of_random_bots():
    env = new_env(opponents="random", seat=None)
    assert env.seats.tolist() == [0, 1, 2, 0, 1]  # another seat at every table, and in every game
    for table in (1, 2):
        seat, number = int(env.seats[table]), env.seed_and_number(table)[1]
        moves, payoff = random_game(3, number)
        for turn, move in moves:
            if turn == seat:
                assert env.turns[table] == seat
                actions = env.random_actions()
                assert actions[table] == move
                env.step(actions)
        assert env.done[table]
        assert env.rewards[table].tolist() == payoff
        assert env.seats[table] == (seat + 1) % 3
        env.reset(seed=3)


def test_the_opponents_sit_in_the_order_in_which_they_are_given():
    @dataclass(frozen=True)
    class Bids(CompiledPlayer):
        what: int = 0

        def pick(self, game, s, moves, count, player, memory, rng):
            return moves[self.what if moves[0] >= 7 else 0]

    env = new_env(opponents=[Bids(1), Bids(0)], seat=1, tables=1)
    env.step(env.random_actions())  # the bids of seats 0, 1 and 2
    assert env.state(0).bid.tolist()[2] == 1
    assert env.state(0).bid.tolist()[0] == 0


def test_a_game_that_ends_before_the_learners_turn_is_followed_by_the_next():
    with kibitz.plain():
        env = kibitz.VectorEnv(Cups(), tables=1, seed=1, opponents="random", seat=1)
        for _ in range(30):
            assert env.turns[0] == 1
            env.step(env.random_actions())
    assert env.seed_and_number(0)[1] > 31


def test_the_final_position_is_seen_from_the_learners_seat():
    env = new_env(opponents="random", seat=2, autoreset=False)
    while not env.done.all():
        env.step(env.random_actions())
    assert (env.turns == OVER).all()
    np.testing.assert_array_equal(env.observations[0], env.observe(0, 2))


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        (["random"] * 3, "needs 2 opponents, or one that plays all other seats, not 3"),
        ("mc:sims=10", "mc:sims=10 does not play in compiled code, as the opponents at many tables must"),
        ("some/file.py:Bot", "some/file.py:Bot does not ship with kibitz and would run here with your rights"),
        ("cmd:./program", "cmd:./program does not ship with kibitz"),
        ("nobody", "There is no bot for .* called 'nobody'"),
    ],
)
def test_opponents_that_cannot_play_here_are_refused(opponents, message):
    with pytest.raises(kibitz.SpecError, match=message):
        kibitz.VectorEnv(RULES, tables=2, opponents=opponents)
