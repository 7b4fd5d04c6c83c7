"""Kibitz's games pass OpenSpiel's own tests, agree with kibitz ply by ply, and are played by OpenSpiel's algorithms."""

import copy
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation
from toys import DiceRace, HighCard, Nim, SampledDiceRace

import kibitz
from kibitz.adapters.openspiel import pyspiel_game
from kibitz.errors import IllegalMove, KibitzError
from kibitz.learn import watched_features, watched_games
from kibitz.learn.method_features import features_for
from kibitz.rules.contract import CHANCE

SOAK = bool(os.environ.get("KIBITZ_SOAK"))  # set by `make soak`
LEDUC = f"{Path(__file__).parents[2] / 'examples' / 'leduc.py'}:Leduc"
SMALL = [
    "kibitz_camelup(players=2,camels=2,squares=4)",
    "kibitz_connect_four(columns=4,rows=4)",
    "kibitz_hexplode(side=2,damage=0.3)",
    "kibitz_mexican_train(players=3,highest=3,hand=2,rounds=1)",
    "kibitz_separo(size=5)",
    "kibitz_ur(pieces=1)",
]
Kind = pyspiel.GameType


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    """The rules as plain Python, and features from three games instead of 200: small games need no compilation."""
    monkeypatch.setattr(watched_games, "WATCHED_GAMES", 3)
    watched_features._watched_features.cache_clear()
    with kibitz.plain():
        yield
    watched_features._watched_features.cache_clear()


def state_after(game, *actions):
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


# ------------------------------------------------------------------ OpenSpiel's own tests


@pytest.mark.parametrize("name", SMALL)
def test_a_game_passes_the_tests_of_openspiel(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(
    "game", [Nim(heap=9), DiceRace(), HighCard(), LEDUC], ids=["Nim", "DiceRace", "HighCard", "Leduc"]
)
def test_a_game_of_ones_own_passes_them_too(game):
    pyspiel.random_sim_test(pyspiel_game(game), num_sims=5, serialize=True, verbose=False)


@pytest.mark.skipif(not SOAK, reason="games by the dozen: see make soak")
@pytest.mark.parametrize("name", [*SMALL, *(name.partition("(")[0] for name in SMALL)])
def test_compiled_games_pass_them_many_times(name):
    with kibitz.compiler.running_in("compiled"):
        pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=20, serialize=True, verbose=False)


# ------------------------------------------------------------------ the same game as in kibitz


def check_same(state, table):
    """Compare a state of OpenSpiel with a table that waits for chance."""
    assert state.is_terminal() == table.over
    if table.over:
        assert state.returns() == table.payoff()
        return
    assert state.is_chance_node() == (table.turn == CHANCE)
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert sorted(names) == sorted(table.names)
    if table.turn != CHANCE:
        assert (state.current_player(), state.legal_actions()) == (table.turn, sorted(table.moves))
    for player in range(table.game.players):
        view = table.view(player)
        seen = " ".join(f"{'chance' if turn == CHANCE else turn}:{move}" for turn, move in view.history)
        assert state.information_state_string(player) == f"player {player}: {seen}"
        assert state.observation_string(player) == f"player {player}: {view.state.to_text()}"


@pytest.mark.parametrize("name", [*SMALL, "HighCard"])
def test_random_games_are_the_same_in_both_libraries(name):
    game = pyspiel_game(HighCard()) if name == "HighCard" else pyspiel.load_game(name)
    for seed in range(20 if SOAK else 2):
        dice, state = np.random.default_rng(seed), game.new_initial_state()
        table = kibitz.Table(game.game, seed, deal=False)
        while not table.over:
            check_same(state, table)
            move = int(dice.choice(table.moves))
            name = table.name(move)
            state.apply_action(state.string_to_action(name) if table.turn == CHANCE else move)
            table.play(move)
        check_same(state, table)


def test_chance_outcomes_have_the_probabilities_of_the_rules_with_or_without_a_sampler():
    for game in (DiceRace(faces=4), SampledDiceRace(faces=4)):
        state = state_after(pyspiel_game(game), 1)
        assert state.chance_outcomes() == [(0, 0.4), (1, 0.2), (2, 0.2), (3, 0.2)]
        assert [state.action_to_string(action) for action in state.legal_actions()] == [
            f"rolled {face}" for face in (1, 2, 3, 4)
        ]
        state.apply_action(2)
        assert list(state.position.state.at) == [3, 0]


def test_an_illegal_action_is_refused_and_changes_nothing():
    state = state_after(pyspiel_game(Nim(heap=2)), 0)
    with pytest.raises(IllegalMove, match="2 is not a legal move; legal moves: take 1"):
        state.apply_action(2)
    assert state.position.state.left == 1


# ------------------------------------------------------------------ what OpenSpiel is told


def test_the_kind_of_a_game_follows_from_its_rules():
    chess_like, dice, cards = (pyspiel_game(game).get_type() for game in (Nim(), DiceRace(), LEDUC))
    assert (chess_like.chance_mode, dice.chance_mode) == (
        Kind.ChanceMode.DETERMINISTIC,
        Kind.ChanceMode.EXPLICIT_STOCHASTIC,
    )
    assert (dice.information, cards.information) == (
        Kind.Information.PERFECT_INFORMATION,
        Kind.Information.IMPERFECT_INFORMATION,
    )
    assert (dice.utility, cards.utility) == (Kind.Utility.CONSTANT_SUM, Kind.Utility.ZERO_SUM)


def test_the_bounds_of_a_game_are_those_of_its_rules():
    game = pyspiel_game(LEDUC)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-13, 13, 0)
    assert (game.num_players(), game.num_distinct_actions(), game.max_chance_outcomes()) == (2, 3, 6)
    assert game.max_game_length() == game.max_chance_nodes_in_history() == 11
    nim = pyspiel_game(Nim(heap=9))
    assert (nim.min_utility(), nim.max_utility(), nim.utility_sum(), nim.max_game_length()) == (0, 1, 1, 9)
    assert nim.max_chance_nodes_in_history() == 0


@kibitz.game
class Generous(Nim):
    """Nim in which both players can gain."""

    min_utility, max_utility, utility_sum = 0, 2, None


def test_utilities_without_a_constant_sum_make_a_general_sum_game():
    game = pyspiel_game(Generous)
    assert (game.get_type().utility, game.utility_sum()) == (Kind.Utility.GENERAL_SUM, None)


def test_variants_are_parameters():
    game = pyspiel.load_game("kibitz_camelup(players=3,rules=second)")
    assert str(game) == "kibitz_camelup(players=3,rules=second)"
    assert kibitz.rules.registry.spec_of(game.game) == "camelup:players=3,rules=second"
    assert str(pyspiel_game("ur:pieces=7,safe=no")) == "kibitz_ur(pieces=7,safe=False)"
    assert str(pyspiel.load_game("kibitz_ur(pieces=4)")) == "kibitz_ur()"


def test_a_game_for_several_numbers_of_players_says_so():
    kind = pyspiel.load_game("kibitz_mexican_train(players=6)").get_type()
    assert (kind.min_num_players, kind.max_num_players) == (2, 8)


def test_a_variant_that_does_not_exist_is_refused_with_a_sentence():
    with pytest.raises(KibitzError, match="Camel Up needs 2 to 8 players, not 9"):
        pyspiel.load_game("kibitz_camelup(players=9)")


def test_a_game_of_openspiel_is_left_as_it_is():
    assert str(pyspiel_game("openspiel:name=breakthrough,rows=6")) == "breakthrough(rows=6)"


def test_two_games_of_one_name_are_told_apart_and_a_file_that_changes_is_not(tmp_path):
    rules = """
import kibitz
from toys import Nim

@kibitz.game
class Other(Nim):
    heap: int = 5
"""
    names = []
    for folder, text in (("a", rules), ("b", rules), ("a", rules.replace("5", "8"))):
        file = tmp_path / folder / "other_nim.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        os.utime(file, ns=(len(names), len(names)))
        names.append(pyspiel_game(f"{file}:Other").get_type().short_name)
    assert names == ["kibitz_other", "kibitz_other_2", "kibitz_other"]
    assert pyspiel.load_game("kibitz_other").max_game_length() == 8


# ------------------------------------------------------------------ states


def test_a_copy_goes_its_own_way():
    state = state_after(pyspiel_game(Nim(heap=9)), 2)
    for other in (state.clone(), copy.deepcopy(state), state.child(0)):
        other.apply_action(1)
        assert (state.position.state.left, state.history()) == (6, [2])
        assert (state.position.state.left, str(other)) != (other.position.state.left, str(state))


def test_a_state_is_restored_with_all_that_everybody_has_seen():
    state = state_after(pyspiel_game(LEDUC), 1, 2, 1, 2)  # card 1, then the third of those left
    for other in (
        pickle.loads(pickle.dumps(state)),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))[1],
    ):
        assert (str(other), other.history(), other.legal_actions()) == (str(state), state.history(), [0, 1, 2])
        assert [other.information_state_string(p) for p in (0, 1)] == [
            "player 0: chance:1 0:1 1:2",
            "player 1: chance:3 0:1 1:2",
        ]


def test_different_positions_are_different_strings():
    """OpenSpiel takes states with the same string for the same."""
    game = pyspiel_game(LEDUC)
    assert str(state_after(game, 0, 1)) != str(state_after(game, 0, 2))
    assert str(state_after(game, 0, 1)).startswith("First J♠   Second Q♠   Table –")


# ------------------------------------------------------------------ observations


def test_nobody_observes_what_is_hidden():
    game = pyspiel_game(LEDUC)
    ours, theirs = (state_after(game, 0, place, 1) for place in (1, 4))  # the second player has another card
    for see in ("information_state_string", "observation_string", "observation_tensor"):
        assert getattr(ours, see)(0) == getattr(theirs, see)(0)
        assert getattr(ours, see)(1) != getattr(theirs, see)(1)
        assert getattr(ours, see)(0) != getattr(ours, see)(1)


def test_a_tensor_tells_who_observes_and_what_learning_sees():
    game = pyspiel_game("connect_four:columns=4,rows=4")
    observation, state = make_observation(game), state_after(game, 1, 2)
    observation.set_from(state, 1)
    assert observation.dict["player"].tolist() == [0, 1]
    features = features_for(game.game, "zero")
    assert observation.dict["features"].size == features.size(game.game)
    assert set(observation.dict["features"].tolist()) == {0, 1}
    assert observation.tensor.tolist() == state.observation_tensor(1)


def test_a_spectator_observes_what_is_public():
    game = pyspiel_game(LEDUC)
    public = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    observer = make_observation(game, public)
    assert observer.string_from(state_after(game, 4, 2, 1, 2), 0) == "spectator: 0:1 1:2"
    with pytest.raises(KibitzError, match="by a player, or by a spectator"):
        make_observation(game, pyspiel.IIGObservationType(public_info=False, perfect_recall=False))


# ------------------------------------------------------------------ algorithms


def test_cfr_solves_leduc_as_it_does_openspiels_own():
    """The exploitability of the average policy falls, and the value of the game is −0.0856 for the first player."""
    ours, theirs = pyspiel.convert_to_cached_tree(pyspiel_game(LEDUC)), pyspiel.load_game("leduc_poker")
    found = []
    for game in (ours, theirs):
        solver, exploitability = pyspiel.CFRPlusSolver(game), []
        for _ in range(3):
            for _ in range(20):
                solver.evaluate_and_update_policy()
            exploitability.append(pyspiel.exploitability(game, solver.average_policy()))
        value = pyspiel.expected_returns(game.new_initial_state(), solver.average_policy(), -1, True)[0]
        found.append([*exploitability, value, len(solver.tabular_average_policy().policy_table())])
    first, second, third, value, information_sets = found[0]
    assert first > second > third
    assert third < 0.03
    assert value == pytest.approx(-0.0856, abs=0.003)
    assert information_sets == 936
    assert found[0] == pytest.approx(found[1])


def test_the_search_of_openspiel_finds_the_winning_move():
    """In Nim, take what leaves a multiple of four."""
    game = pyspiel_game(Nim(heap=7))
    seeded = np.random.RandomState(1)
    bots = [
        mcts.MCTSBot(game, 1.0, 300, mcts.RandomRolloutEvaluator(1, seeded), random_state=seeded),
        pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.0, 300, 100, True, 1, False),
    ]
    for bot in bots:
        assert bot.mcts_search(game.new_initial_state()).best_child().action == 2


# ------------------------------------------------------------------ the package


def test_a_missing_package_is_reported_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "kibitz.adapters.openspiel")
    with pytest.raises(KibitzError, match=r'OpenSpiel is missing; install it with: pip install "kibitz\[openspiel\]"'):
        importlib.import_module("kibitz.adapters.openspiel")


def test_python_ends_without_a_crash_after_games_were_registered():
    subprocess.run([sys.executable, "-c", "import kibitz.adapters.openspiel"], check=True)
