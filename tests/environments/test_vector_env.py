"""Many tables of one game, stepped at once."""

import numpy as np
import pytest
from card_tables import RULES, TABLES, new_env, random_game

import kibitz
from kibitz.environments import NEW_GAME, WAIT
from kibitz.rules.contract import OVER, game


def copied(env):
    return [array.copy() for array in env.situation]


def assert_same(first, second):
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def played(env, table, episodes):
    """The random games of a table: for each the moves of the players, and the rewards."""
    moves = []
    while episodes:
        actions = env.random_actions()
        moves.append((env.turns[table], actions[table]))
        env.step(actions)
        if env.done[table]:
            yield moves, env.rewards[table].tolist()
            moves, episodes = [], episodes - 1


# ------------------------------------------------------------------ games


@pytest.mark.parametrize("table", [0, 4])
def test_random_actions_play_the_games_of_random_bots(table):
    env = new_env()
    assert env.seed_and_number(table) == (3, table << 32)
    expected = [random_game(3, (table << 32) + episode) for episode in range(3)]
    assert list(played(env, table, 3)) == expected
    assert env.seed_and_number(table) == (3, (table << 32) + 3)


def test_a_seed_for_each_table_gives_the_games_of_that_seed():
    env = new_env(seed=["a", "b", 7, 8, 9])
    assert env.seed_and_number(1) == ("b", 0)
    assert list(played(env, 1, 2)) == [random_game("b", 0), random_game("b", 1)]


def test_threads_and_plain_python_play_the_same_games():
    one, three = new_env(), new_env(threads=3)
    with kibitz.plain():
        plain = new_env()
    for _ in range(40):
        actions = one.random_actions()
        one.step(actions)
        for other in (three, plain):
            np.testing.assert_array_equal(other.random_actions(), actions)
            assert_same(other.step(actions), one.situation)
    three.close()


def test_a_reset_begins_the_next_game_and_with_a_seed_the_first():
    env = new_env()
    first = copied(env)
    env.step(env.random_actions())
    env.reset()
    assert env.seed_and_number(2) == (3, (2 << 32) + 1)
    assert not np.array_equal(env.observations, first[0])
    assert_same(env.reset(seed=3), first)


def test_without_a_seed_every_environment_has_a_fresh_one(monkeypatch):
    monkeypatch.setattr("kibitz.rules.rng.fresh_seed", lambda: 77)
    assert new_env(seed=None).seed_and_number(0) == (77, 0)


# ------------------------------------------------------------------ arrays


def test_the_arrays_show_who_acts_what_they_see_and_may_do():
    env = new_env()
    for _ in range(10):
        for table in range(TABLES):
            state = env.state(table)
            at_table = kibitz.Table(RULES, position=state)
            assert env.turns[table] == state.turn
            assert np.flatnonzero(env.masks[table]).tolist() == at_table.moves
            np.testing.assert_array_equal(env.observations[table], env.observe(table, state.turn))
        env.step(env.random_actions())


def test_masks_and_observations_are_optional():
    env, quick = new_env(), new_env(masks=False, observations=False)
    assert quick.masks.shape == quick.observations.shape == (TABLES, 0)
    for _ in range(20):
        actions = env.random_actions()
        np.testing.assert_array_equal(quick.random_actions(), actions)
        assert_same(quick.step(actions)[2:], env.step(actions)[2:])


def test_rewards_and_done_are_cleared_by_the_next_step():
    env = new_env()
    while not env.done.any():
        assert not env.rewards.any()
        env.step(env.random_actions())
    ended = env.done.copy()
    np.testing.assert_array_equal(env.rewards.sum(axis=1), ended.astype(float))
    env.step(env.random_actions())
    assert not env.done[ended].any()
    assert not env.rewards[ended].any()


def test_nobody_can_write_to_what_compiled_code_relies_on():
    env = new_env()
    for array in (env.turns, env.seats):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 99


# ------------------------------------------------------------------ finished tables


def test_without_autoreset_finished_tables_wait():
    env = new_env(autoreset=False)
    while not env.done.all():
        before = copied(env)
        env.step(env.random_actions())
        for table in np.flatnonzero(before[4]):
            assert_same([array[table] for array in env.situation], [array[table] for array in before])
    assert (env.turns == OVER).all()
    np.testing.assert_allclose(env.rewards.sum(axis=1), 1.0)
    np.testing.assert_array_equal(env.observations[1], env.observe(1, 0))
    assert not env.masks.any()
    env.reset(tables=[1, 3])
    assert env.done.tolist() == [True, False, True, False, True]
    assert env.seed_and_number(1) == (3, (1 << 32) + 1)


def test_tables_can_wait_or_begin_again_while_others_play():
    env = new_env()
    actions = env.random_actions()
    before = copied(env)
    actions[1], actions[2] = WAIT, NEW_GAME
    env.step_or_restart(actions)
    assert_same([array[1] for array in env.situation], [array[1] for array in before])
    assert [env.seed_and_number(table)[1] & 0xFFFF for table in range(TABLES)] == [0, 0, 1, 0, 0]


# ------------------------------------------------------------------ mistakes


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = new_env()
    before, actions = copied(env), env.random_actions()
    actions[3] = 0
    with pytest.raises(kibitz.IllegalMove) as error:
        env.step(actions)
    assert str(error.value) == "Table 3: 0 is not a legal move; legal moves: 7 (bid none), 8 (bid some)."
    for action in (NEW_GAME, WAIT, -7, 10**12):
        actions[3] = action
        with pytest.raises(kibitz.IllegalMove, match=f"{action} is not a legal move"):
            env.step(actions)
    assert_same(env.situation, before)


@pytest.mark.parametrize("actions", [[1, 2], 3, np.zeros(TABLES), [None] * TABLES])
def test_actions_are_whole_numbers_one_for_each_table(actions):
    with pytest.raises(kibitz.IllegalMove, match="The actions are 5 whole numbers, one for each table, not "):
        new_env().step(actions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": 0}, "The number of tables must be a whole number of at least 1, not 0."),
        ({"threads": 0}, "The number of threads must be a whole number of at least 1, not 0."),
        ({"seat": 3}, "The seat must be at most 2, not 3."),
        ({"seed": [1, 2]}, "There are 5 tables but 2 seeds; give one for each table."),
        ({"seed": 1.5}, "A seed is a whole number or a text, not 1.5."),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(kibitz.KibitzError) as error:
        new_env(**options)
    assert str(error.value) == message


def test_only_tables_and_players_that_exist_are_reset_or_seen():
    env = new_env()
    with pytest.raises(kibitz.KibitzError, match="numbers from 0 to 4"):
        env.reset(tables=[5])
    with pytest.raises(kibitz.KibitzError, match="There is no table 5; tables count from 0 to 4"):
        env.state(5)
    with pytest.raises(kibitz.KibitzError, match="There is no player 3; players count from 0 to 2"):
        env.observe(0, 3)
    with pytest.raises(kibitz.KibitzError, match="This position is not one of"):
        env.observer.see(kibitz.Table("ur", deal=False).state, 0)


@game
class Circling:
    """A game that never ends, or finds no moves."""

    stuck: bool = False

    players = 2
    actions = 1
    max_moves = 1
    max_plies = 8

    def fields(self):
        return [("turn", "i1")]

    def start(self, s):
        s.turn = 0

    def moves(self, s, out):
        out[0] = 0
        return 0 if self.stuck and s.turn == 1 else 1

    def play(self, s, move):
        s.turn = 1 - s.turn

    def payoff(self, s, out):
        out[:] = 0.5


@pytest.mark.parametrize(
    ("rules", "steps", "message"),
    [
        (Circling(), 8, r"did not end within max_plies = 8 plies .* with seed 4"),
        (Circling(stuck=True), 1, r"Circling\.moves: finds no legal move in"),
    ],
)
def test_rules_that_break_their_promises_are_blamed(rules, steps, message):
    with kibitz.plain():
        env = kibitz.VectorEnv(rules, tables=2, seed=4)
        for _ in range(steps - 1):
            env.step([0, 0])
        with pytest.raises(kibitz.RulesError, match=message):
            env.step([0, 0])
