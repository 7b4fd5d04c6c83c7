"""Games as environments of PettingZoo."""

import importlib
import itertools
import os
import pickle
import random
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test
from toys import HighCard, Nim

import kibitz
from kibitz.adapters import pettingzoo
from kibitz.learn import watched_features, watched_games
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

SOAK = bool(os.environ.get("KIBITZ_SOAK"))  # set by `make soak`
COUNTS = {"camelup": range(2, 9), "mexican_train": range(2, 9)}  # of players, where they vary
VARIANTS = [
    spec
    for name in kibitz.game_names()
    for spec in ([f"{name}:players={players}" for players in COUNTS[name]] if name in COUNTS else [name])
]
soak = pytest.mark.skipif(not SOAK, reason="every game with every number of players: see make soak")


@pytest.fixture
def quick_clock(monkeypatch):
    """PettingZoo's benchmark runs for five seconds; by this clock, every look takes one."""
    seconds = itertools.count()
    module = sys.modules[performance_benchmark.__module__]
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(seconds)))


class Shifted(pettingzoo.TableEnv):
    """The seed 0 of PettingZoo's tests stands for another one, and so do its random actions."""

    shift = 0

    def reset(self, seed=None, options=None):
        super().reset(None if seed is None else seed + self.shift, options)
        for space in self.action_spaces.values():
            space.seed(self.shift)


def check(game, seeds, cycles):
    """PettingZoo's own tests; it warns of all observations that are dicts, apart from those of its own games."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = Shifted(game)
        for seed in range(seeds):
            env.shift = seed
            api_test(env, cycles)
            random.seed(seed)  # by which the benchmark chooses
            performance_benchmark(env)
        seed_test(lambda: pettingzoo.env(game), cycles)


def test_pettingzoos_own_tests_pass(quick_clock):
    for game in ("ur", HighCard()):
        check(game, seeds=1, cycles=30)


@soak
@pytest.mark.parametrize("spec", VARIANTS)
def test_pettingzoos_own_tests_pass_in_every_game(spec, quick_clock):
    check(spec, seeds=20, cycles=300)


def test_the_games_are_those_of_a_table():
    env, table, stream = pettingzoo.env(HighCard()), kibitz.Table(HighCard(), 8), Stream(1)
    env.reset(seed=8)
    while not table.over:
        assert env.agent_selection == f"player_{table.turn}"
        observation, reward, termination, _, _ = env.last()
        assert (reward, termination) == (0.0, False)
        assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(table.moves)
        action = stream.choice(table.moves)
        table.play(action)
        env.step(action)
    assert list(env.rewards.values()) == table.payoff()
    for _ in range(3):
        _, reward, termination, _, _ = env.last()
        assert (reward, termination) == (table.payoff()[int(env.agent_selection[-1])], True)
        env.step(None)
    assert env.agents == []


def check_leaks(game, seeds, positions=10**6):
    """Redeal what each agent must not know, all through some games; none of them sees a difference."""
    env = pettingzoo.env(game)
    engine, stream, differed = Engine(env.game), Stream("leaks"), 0
    true = env._tables._arrays.states
    for seed in range(seeds):
        env.reset(seed=seed)
        while positions and not any(env.terminations.values()):
            positions -= 1
            state = env._tables.state(0)
            for player, agent in enumerate(env.agents):
                before, other = env.observe(agent), engine.redacted(state, player)
                engine.redeal(other, player, stream)
                true[0] = other.record
                after = env.observe(agent)
                true[0] = state.record
                np.testing.assert_array_equal(before["observation"], after["observation"])
                if agent == env.agent_selection:
                    assert np.flatnonzero(before["action_mask"]).tolist() == sorted(engine.moves(other))
                else:
                    assert not before["action_mask"].any()
                differed += other != state
            env.step(stream.choice(engine.moves(state)))
    assert differed > 10 * seeds


def test_no_agent_sees_what_it_must_not_know():
    check_leaks(HighCard(), seeds=3)


@pytest.mark.parametrize("spec", ["camelup:players=3", "mexican_train:players=2"])
def test_no_agent_sees_what_it_must_not_know_in_the_games_with_hidden_information(spec, monkeypatch):
    """In plain Python, with the features of a few positions, which is quicker than to compile the games."""
    monkeypatch.setattr(watched_games, "WATCHED_POSITIONS", 200)
    watched_features._watched_features.cache_clear()
    with kibitz.plain():
        check_leaks(spec, seeds=1, positions=25)
    watched_features._watched_features.cache_clear()


@soak
@pytest.mark.parametrize("spec", [spec for spec in VARIANTS if spec.partition(":")[0] in COUNTS])
def test_no_agent_sees_what_it_must_not_know_with_any_number_of_players(spec):
    check_leaks(spec, seeds=10)


# ------------------------------------------------------------------ pictures


def test_positions_are_drawn_as_the_agent_to_act_sees_them(capsys):
    table = kibitz.Table("ur", 5)
    drawn = {}
    for mode in ("ansi", "human", "rgb_array"):
        env = pettingzoo.env("ur", mode)
        env.reset(seed=5)
        drawn[mode] = env.render()
        env.close()
    assert drawn["ansi"] == table.text()
    assert drawn["human"] is None
    assert capsys.readouterr().out.count("hand ○○○○") == 2  # by reset and by render
    assert drawn["rgb_array"].shape == (422, 640, 3)


def test_hidden_cards_are_not_drawn():
    env = pettingzoo.env(HighCard(), "ansi")
    env.reset(seed=5)
    where = eval(env.render().split("where = ")[1].splitlines()[0])
    assert sorted(where) == [0, 0, 5, 5, 5, 5, 5]  # 5: unknown


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(kibitz.KibitzError, match="There is no render_mode 'film'; choose from ansi, human, rgb_array"):
        pettingzoo.env(HighCard(), "film")
    env = pettingzoo.env(HighCard())
    env.reset()
    with pytest.raises(kibitz.KibitzError, match="Nothing is drawn without a render_mode"):
        env.render()
    env = pettingzoo.env(HighCard(), "rgb_array")
    env.reset()
    with pytest.raises(kibitz.KibitzError, match="draws no scene; use render_mode='ansi'"):
        env.render()


# ------------------------------------------------------------------ mistakes


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = pettingzoo.env(HighCard())
    env.reset(seed=1)
    before = env.last()[0]
    for action in (0, 99, -1, None, 1.5, "bid none"):
        with pytest.raises(kibitz.IllegalMove, match=r"is not a legal move; legal moves: 7|is not an action"):
            env.step(action)
    np.testing.assert_array_equal(env.last()[0]["observation"], before["observation"])


def test_an_environment_is_reset_before_it_is_stepped():
    env = pettingzoo.env(HighCard())
    with pytest.raises(kibitz.KibitzError, match=r"The game is over, or has not begun; call reset\(\)"):
        env.step(7)


def test_a_pickled_environment_is_made_again():
    env = pettingzoo.env("ur", render_mode="ansi")
    again = pickle.loads(pickle.dumps(env))
    assert (again.game, again.render_mode) == (env.game, "ansi")


def test_a_variant_is_named_by_options():
    with kibitz.plain():
        assert pettingzoo.env(Nim, heap=5).game.heap == 5
    with pytest.raises(kibitz.SpecError, match="ur has no option 'stones'"):
        pettingzoo.env("ur", stones=2)


@pytest.mark.parametrize("package", ["pettingzoo", "gymnasium"])
def test_a_missing_package_is_named_with_what_to_install(package, monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("pettingzoo", "gymnasium", "gymnasium_vector", "spaces"):
        monkeypatch.delitem(sys.modules, f"kibitz.adapters.{name}", raising=False)
    monkeypatch.setattr("kibitz.adapters.pettingzoo", None, raising=False)
    with pytest.raises(kibitz.KibitzError, match=r'is not installed; install it with: pip install "kibitz\[rl\]"'):
        importlib.import_module("kibitz.adapters.pettingzoo")
