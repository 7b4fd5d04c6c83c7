"""Games as environments of Gymnasium: one seat for the learner, bots in all others."""

import os
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from toys import HighCard

import kibitz
from kibitz.adapters.gymnasium import GAMES, SeatEnv
from kibitz.adapters.gymnasium_vector import SeatVectorEnv
from kibitz.rules.rng import Stream

SOAK = bool(os.environ.get("KIBITZ_SOAK"))  # set by `make soak`


class Highest:
    """Plays the last legal move, and remembers what it got."""

    ends = ()

    def choose(self, view):
        return view.moves[-1]

    def game_over(self, view, payoff):
        Highest.ends = (*Highest.ends, payoff[view.player])


def check(id, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The features of a game's own are numbers without bounds.
        warnings.filterwarnings("ignore", r".*A Box observation space \w+ value is -?infinity")
        check_env(gymnasium.make(id, **options).unwrapped)


def play(env, seed, games=1):
    """Random games of the learner; every observation, reward and end."""
    stream, (observation, _) = Stream(seed), env.reset(seed=seed)
    seen = [(observation, 0.0, False)]
    while games:
        action = stream.choice(np.flatnonzero(observation["action_mask"]).tolist())
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        assert not info
        seen.append((observation, reward, terminated))
        if terminated:
            games -= 1
            observation, _ = env.reset()
            seen.append((observation, 0.0, False))
    return seen


def assert_same(first, second):
    for (one, *rest), (other, *others) in zip(first, second, strict=True):
        np.testing.assert_array_equal(one["observation"], other["observation"])
        np.testing.assert_array_equal(one["action_mask"], other["action_mask"])
        assert rest == others


# ------------------------------------------------------------------ one table


def test_gymnasiums_own_checks_pass(capsys):
    check("kibitz/Ur-v0", opponents=["greedy"], seat=1)


@pytest.mark.skipif(not SOAK, reason="every game: see make soak")
@pytest.mark.parametrize("id", GAMES)
@pytest.mark.parametrize("seat", [0, 1, None])
def test_gymnasiums_own_checks_pass_in_every_game(id, seat, capsys):
    check(id, opponents="random", seat=seat)


def test_every_game_is_registered():
    assert len(GAMES) == len(kibitz.game_names())
    assert {"kibitz/Ur-v0", "kibitz/ConnectFour-v0", "kibitz/MexicanTrain-v0"} <= {*GAMES} <= {*gymnasium.registry}


def test_bots_play_until_it_is_the_learners_turn():
    env = SeatEnv(HighCard(), opponents=[Highest, "random"], seat=1)
    Highest.ends = ()
    seen = play(env, seed=4, games=3)
    table = kibitz.Table(HighCard(), 4)
    bot = kibitz.bot("random", table.game)
    table.play(bot.choose(table.view(0)))
    np.testing.assert_array_equal(seen[0][0]["observation"], env.observer.see(table.state, 1))
    rewards = [reward for _, reward, terminated in seen if terminated]
    assert len(rewards) == len(Highest.ends) == 3
    assert all(reward + end <= 1.0 for reward, end in zip(rewards, Highest.ends, strict=True))


def test_the_same_seed_gives_the_same_games():
    first = play(SeatEnv(HighCard(), seat=None), seed=9, games=3)
    assert_same(first, play(SeatEnv(HighCard(), seat=None), seed=9, games=3))


def test_without_a_seat_the_learner_has_another_one_in_every_game():
    env = SeatEnv(HighCard(), seat=None)
    seats = []
    for _ in range(4):
        env.reset()
        seats.append(env.seat)
    assert seats == [0, 1, 2, 0]


def test_an_illegal_action_forfeits_the_game():
    env = SeatEnv(HighCard())
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info == {"illegal": "0 is not a legal move; legal moves: 7 (bid none), 8 (bid some)."}
    with pytest.raises(kibitz.KibitzError, match=r"call reset\(\)"):
        env.step(7)


def test_an_illegal_action_can_be_an_error_that_changes_nothing():
    env = SeatEnv(HighCard(), illegal="raise")
    env.reset(seed=1)
    with pytest.raises(kibitz.IllegalMove, match="0 is not a legal move"):
        env.step(0)
    assert not env.step(7)[2]
    with pytest.raises(
        kibitz.KibitzError, match="An illegal action can forfeit the game or raise an error, not 'pass'"
    ):
        SeatEnv(HighCard(), illegal="pass")


def test_bots_of_strangers_do_not_play_here():
    with pytest.raises(kibitz.SpecError, match="does not ship with kibitz and would run here with your rights"):
        SeatEnv(HighCard(), opponents="some/file.py:Bot")


def test_the_position_is_drawn_as_the_learner_sees_it():
    env = SeatEnv(HighCard(), seat=2, render_mode="ansi")
    with pytest.raises(kibitz.KibitzError, match="There is nothing to draw before reset"):
        env.render()
    env.reset(seed=1)
    assert sorted(eval(env.render().split("where = ")[1].splitlines()[0])) == [2, 2, 5, 5, 5, 5, 5]


# ------------------------------------------------------------------ many tables


class FirstOfMany:
    """The first of many tables as an environment of its own; at the others, the learner plays at random."""

    def __init__(self, envs):
        self.envs = envs

    def reset(self, seed=None):
        if seed is not None:
            return self._first(self.envs.reset(seed=[seed] * self.envs.num_envs)[0]), {}
        return self.step(0)[0], {}  # a game that has ended is followed by the next, whatever the action

    def step(self, action):
        actions = self.envs.tables.random_actions()
        actions[0] = action
        seen, rewards, terminations, truncations, infos = self.envs.step(actions)
        return self._first(seen), rewards[0], terminations[0], truncations[0], infos

    def _first(self, seen):
        return {key: array[0] for key, array in seen.items()}


def test_many_tables_play_the_games_of_one():
    options = {"opponents": "random", "seat": None}
    many = FirstOfMany(SeatVectorEnv(HighCard(), num_envs=2, **options))
    assert_same(play(many, seed=6, games=4), play(SeatEnv(HighCard(), **options), seed=6, games=4))


def test_many_tables_are_made_by_gymnasium():
    envs = gymnasium.make_vec("kibitz/Ur-v0", num_envs=6, opponents=["greedy"])
    seen, _ = envs.reset(seed=3)
    assert envs.observation_space.contains(seen)
    rewards, ends = np.zeros(6), np.zeros(6)
    for _ in range(160):
        seen, reward, terminations, _, infos = envs.step(envs.tables.random_actions())
        assert envs.observation_space.contains(seen)
        assert not infos
        rewards += reward
        ends += terminations
    assert ends.min() > 0
    assert rewards.sum() < 0.4 * ends.sum()  # greedy is better than random
    envs.close()


def test_illegal_actions_at_some_tables_forfeit_their_games():
    envs = SeatVectorEnv(HighCard(), num_envs=3)
    envs.reset(seed=3)
    _, rewards, terminations, _, infos = envs.step(np.array([7, 0, 99]))
    assert terminations.tolist() == infos["illegal"].tolist() == [False, True, True]
    assert rewards.tolist() == [0.0, 0.0, 0.0]
    before = [envs.tables.seed_and_number(table)[1] & 0xFF for table in range(3)]
    actions = envs.tables.random_actions()
    actions[1:] = 55  # ignored: the next games begin
    _, _, terminations, _, infos = envs.step(actions)
    assert not terminations.any()
    assert not infos
    assert [envs.tables.seed_and_number(table)[1] & 0xFF for table in range(3)] == [
        before[0],
        before[1] + 1,
        before[2] + 1,
    ]


def test_illegal_actions_at_many_tables_can_be_an_error():
    envs = SeatVectorEnv(HighCard(), num_envs=3, illegal="raise")
    envs.reset(seed=3)
    with pytest.raises(kibitz.IllegalMove, match="Table 1: 0 is not a legal move"):
        envs.step(np.array([7, 0, 99]))


@pytest.mark.parametrize("actions", [[7, 7], np.zeros(3), "777"])
def test_actions_are_whole_numbers_one_for_each_table(actions):
    envs = SeatVectorEnv(HighCard(), num_envs=3)
    envs.reset(seed=3)
    with pytest.raises(kibitz.IllegalMove, match="The actions are 3 whole numbers, one for each table"):
        envs.step(actions)


def test_some_tables_can_be_reset():
    envs = SeatVectorEnv(HighCard(), num_envs=3)
    envs.reset(seed=3)
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert [envs.tables.seed_and_number(table)[1] & 0xFF for table in range(3)] == [1, 0, 1]
