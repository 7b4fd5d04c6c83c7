"""Bots for the simulator CamelAI play here unchanged, and their faults only cost them the game."""

import copy
import random
import sys
from pathlib import Path

import pytest
from processes import LONG

import kibitz
from kibitz.adapters import camelai_simulator as camelup
from kibitz.adapters.camelai import CamelaiBot, action_of, state_of
from kibitz.games.camelup.rules import FREE_TURNS, CamelUp
from kibitz.games.camelup.track import FACES
from kibitz.players.roster import bots_for, resolve
from kibitz.records.log import Log
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine

FILES = Path(__file__).parent / "camelai_bots"
GAME = CamelUp(rules="camelai")
MODULES = "camelup", "actionids", "playerinterface"
CONSTANTS = {
    "NUM_CAMELS": 5,
    "CAMELS": ["c_0", "c_1", "c_2", "c_3", "c_4"],
    "NUM_PLAYERS": 4,
    "BOARD_SIZE": 16,
    "MOVE_RANGE": (1, 3),
    "FIRST_PLACE_ROUND_PAYOUT": (5, 3, 2),
    "SECOND_PLACE_ROUND_PAYOUT": (1, 1, 1),
    "THIRD_OR_WORSE_PLACE_ROUND_PAYOUT": -1,
    "GAME_END_PAYOUT": (8, 5, 3),
    "BAD_GAME_END_BET": -1,
}


def good(name):
    return f"camelai:{FILES}/bots.py:{name}"


def faulty(name):
    return f"camelai:{FILES}/faulty.py:{name}"


def play(table, *names):
    for name in names:
        table.play(table.parse(name))
    return table


def lined_up(*more):
    """A game with c_1 on top of c_0 on square 0, c_2 on square 1 and c_4 on top of c_3 on square 2; then more moves."""
    starts = (f"c_{camel} starts on {square}" for camel, square in enumerate((0, 0, 1, 2, 2)))
    return play(kibitz.Table(GAME, deal=False), *starts, *more)


def state(track, **fields):
    """A state with these stacks by square."""
    g = camelup.GameState()
    g.camel_track = [list(track.get(square, [])) for square in range(2 * g.BOARD_SIZE)]
    for name, value in fields.items():
        setattr(g, name, value)
    return g


def rolling(monkeypatch, camel, distance):
    """Fix the next roll."""
    monkeypatch.setattr(camelup.random, "choice", lambda _: camel)
    monkeypatch.setattr(camelup, "roll_dice", lambda _: distance)


def stacks(g):
    return {square: stack for square, stack in enumerate(g.camel_track) if stack}


SPREAD = {0: ["c_0"], 1: ["c_1"], 2: ["c_2"], 3: ["c_3"], 4: ["c_4"]}


# ------------------------------------------------------------------ the state they are given


def test_the_state_has_camels_tiles_bets_and_coins():
    table = lined_up("oasis 5", "leg c_4", "mirage 9", "winner c_2", "leg c_1", "loser c_3", "roll", "c_1 moves 1")
    g = state_of(table.view(3))
    assert stacks(g) == {0: ["c_0"], 1: ["c_2", "c_1"], 2: ["c_3", "c_4"]}
    assert {square: trap for square, trap in enumerate(g.trap_track) if trap} == {5: [1, 0], 9: [-1, 2]}
    assert len(g.camel_track) == len(g.trap_track) == 32
    assert g.round_bets == [["c_4", 1], ["c_1", 0]]
    assert g.game_winner_bets == [["c_2", 3]]
    assert g.game_loser_bets == [[None, None]]
    assert g.player_money_values == [2, 2, 3, 2]
    assert g.camel_yet_to_move == [True, False, True, True, True]
    assert (g.active_game, g.game_winner) == (True, [])


def test_others_see_only_the_number_of_race_cards():
    table = lined_up("winner c_2", "winner c_0", "loser c_2", "roll", "c_0 moves 1")
    for player, known in enumerate(([["c_2", 0], [None, None]], [[None, None], ["c_0", 1]], [[None, None]] * 2)):
        assert state_of(table.view(player)).game_winner_bets == known


def test_bets_of_an_earlier_leg_are_gone():
    rolls = [name for camel in range(5) for name in ("roll", f"c_{camel} moves 1")]
    table = lined_up("leg c_4", "leg c_4", *rolls, "leg c_0", "leg c_4")
    assert state_of(table.view(0)).round_bets == [["c_0", 3], ["c_4", 0]]


def test_bets_older_than_the_history_come_first():
    table = lined_up("leg c_4", "leg c_0", "leg c_4")
    later = kibitz.Table(GAME, position=table.state)
    play(later, "leg c_0", "leg c_2")
    assert state_of(later.view(1)).round_bets == [["c_0", 1], ["c_4", 0], ["c_4", 2], ["c_0", 3], ["c_2", 0]]


def test_the_final_state_names_the_winners():
    table = kibitz.Table(GAME, 3)
    while not table.over:
        table.play(table.moves[0])
    g = state_of(table.view(0))
    assert not g.active_game
    assert g.game_winner == [player for player, share in enumerate(table.payoff()) if share]


@pytest.mark.slow
def test_the_state_has_the_variants_players_camels_and_squares():
    game = CamelUp(players=2, rules="camelai", camels=3, squares=10)
    g = state_of(kibitz.Table(game).view(0))
    assert (g.NUM_PLAYERS, g.NUM_CAMELS, g.CAMELS, g.BOARD_SIZE) == (2, 3, ["c_0", "c_1", "c_2"], 10)
    assert len(g.camel_track) == 20


@pytest.mark.parametrize(("name", "value"), CONSTANTS.items())
def test_constants_are_written_once(name, value):
    g = state_of(kibitz.Table(GAME).view(0))
    assert getattr(g, name) == value
    with pytest.raises(TypeError, match=name):
        setattr(g, name, value)


def test_copies_are_deep_and_can_be_played_on():
    g = state(SPREAD)
    other = copy.deepcopy(g)
    camelup.move_camel(other, 0)
    assert stacks(g) == SPREAD
    assert other.player_money_values == [3, 2, 2, 2]


# ------------------------------------------------------------------ the simulator and the rules


@pytest.mark.parametrize("seed", range(12))
def test_the_simulator_plays_by_the_rules_of_camelai(seed, monkeypatch):
    """Random games are the same at a table and in the simulator, move by move: legal moves and their effects."""
    bot, table, chance = kibitz.bot("random", GAME), kibitz.Table(GAME, seed, deal=False), random.Random(seed)
    outcomes = Engine(GAME).outcomes
    while table.turn == CHANCE:
        table.play(chance.choice(outcomes(table.state))[0])
    g = state_of(table.view(0))
    while not table.over:
        player = table.turn
        legal = [action_of(GAME, move) for move in table.moves]
        assert camelup.get_valid_moves(g, player) == legal
        seen = state_of(table.view(player))
        assert vars(seen) == vars(g.get_player_copy(player))
        assert camelup.get_valid_moves(seen, player) == legal
        move = bot.choose(table.view(player))
        action = action_of(GAME, move)
        table.play(move)
        if table.turn == CHANCE:
            outcome = chance.choice(outcomes(table.state))[0]
            rolling(monkeypatch, f"c_{outcome // FACES}", outcome % FACES + 1)
            table.play(outcome)
        camelup._play(g, player, action)
    end = state_of(table.view(0))
    assert g.player_money_values == end.player_money_values == table.score()
    assert g.game_winner == end.game_winner
    assert not g.active_game
    assert g.camel_track == end.camel_track


def test_a_mirage_moves_camels_back_and_underneath(monkeypatch):
    g = state({3: ["c_0", "c_1"], 4: ["c_2"], 7: ["c_3", "c_4"]})
    g.trap_track[5] = [-1, 2]
    rolling(monkeypatch, "c_0", 2)
    assert camelup.move_camel(g, 0) == ("c_0", 1)
    assert stacks(g) == {4: ["c_0", "c_1", "c_2"], 7: ["c_3", "c_4"]}
    assert g.player_money_values == [3, 2, 3, 2]


def test_an_oasis_moves_camels_on_and_on_top(monkeypatch):
    g = state({3: ["c_0", "c_1"], 6: ["c_2"], 7: ["c_3", "c_4"]})
    g.trap_track[5] = [1, 0]
    rolling(monkeypatch, "c_1", 2)
    assert camelup.move_camel(g, 0) == ("c_1", 3)
    assert stacks(g) == {3: ["c_0"], 6: ["c_2", "c_1"], 7: ["c_3", "c_4"]}
    assert g.player_money_values == [4, 2, 2, 2]


def test_places_count_from_the_top_of_the_leading_stack():
    g = state({3: ["c_0", "c_1"], 5: ["c_4", "c_2"], 16: ["c_3"]})
    assert [camelup.find_camel_in_nth_place(g, n) for n in range(1, 6)] == ["c_3", "c_2", "c_4", "c_1", "c_0"]
    for n in (0, 6):
        with pytest.raises(ValueError, match="no place"):
            camelup.find_camel_in_nth_place(g, n)


def test_the_end_of_a_round_pays_every_bet_and_begins_another():
    bets = [["c_4", 0], ["c_3", 1], ["c_4", 2], ["c_0", 3], ["c_4", 3]]
    g = state(SPREAD, round_bets=bets, camel_yet_to_move=[False] * 5)
    camelup.end_of_round(g)
    assert g.player_money_values == [7, 3, 5, 3]
    assert g.round_bets == []
    assert g.camel_yet_to_move == [True] * 5


def test_the_end_of_the_game_pays_winner_and_loser_bets_to_the_last_one():
    winners = [["c_4", 0], ["c_1", 1], ["c_4", 2]]
    losers = [["c_4", 1], ["c_0", 0], ["c_0", 3], ["c_0", 1], ["c_0", 2]]
    g = state(SPREAD, game_winner_bets=winners, game_loser_bets=losers)
    camelup.end_of_game(g)
    assert g.player_money_values == [2 + 8 + 8, 2 - 1 - 1 + 3, 2 + 5 + 1, 2 + 5]
    assert (g.active_game, g.game_winner) == (False, [0])


def test_hidden_race_cards_are_left_out_of_the_end():
    g = state(SPREAD, game_winner_bets=[["c_4", 0], ["c_4", 1]]).get_player_copy(1)
    assert g.game_winner_bets == [[None, None], ["c_4", 1]]
    camelup.end_of_game(g)
    assert g.player_money_values == [2, 10, 2, 2]


def test_players_traps_and_bets_can_be_queried():
    g = state(SPREAD)
    camelup.move_trap(g, 1, 8, 2)
    camelup.place_game_bet(g, "c_0", "win", 2)
    camelup.place_game_bet(g, "c_1", "lose", 2)
    assert [g.has_player_placed_trap(player) for player in range(4)] == [False, False, True, False]
    assert g.get_player_bets(2) == ["c_0", "c_1"]
    assert g.get_player_bets(0) == []
    assert [g.get_game_bets_payout(index) for index in range(5)] == [8, 5, 3, 1, 1]


def test_a_tile_is_moved_rather_than_duplicated():
    g = state(SPREAD)
    camelup.move_trap(g, 1, 8, 2)
    camelup.move_trap(g, -1, 9, 2)
    assert {square: trap for square, trap in enumerate(g.trap_track) if trap} == {9: [-1, 2]}


@pytest.mark.parametrize(
    "move",
    [
        lambda g: camelup.move_trap(g, 1, 0, 0),
        lambda g: camelup.move_trap(g, 1, 4, 0),
        lambda g: camelup.move_trap(g, 1, 16, 0),
        lambda g: camelup.move_trap(g, 2, 9, 0),
        lambda g: camelup.move_trap(g, 1, 11, 0),
        lambda g: camelup.move_trap(g, -1, 10, 1),
        lambda g: camelup.place_game_bet(g, "c_0", "lose", 0),
        lambda g: camelup.place_game_bet(g, "c_9", "win", 0),
        lambda g: camelup.place_game_bet(g, "c_1", "second", 0),
        lambda g: camelup.place_round_winner_bet(g, "c_3", 0),
    ],
)
def test_illegal_moves_are_refused(move):
    g = state(SPREAD, round_bets=[["c_3", 0]] * 3, game_winner_bets=[["c_0", 0]])
    g.trap_track[10] = [1, 1]
    before = copy.deepcopy(vars(g))
    with pytest.raises(camelup.IllegalMoveException):
        move(g)
    assert vars(g) == before


class Roller(camelup.PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return camelup.get_valid_moves(game_state, active_player)[0]


class Cheat(camelup.PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return 1, 1, 0


def test_whole_games_are_played_and_logged():
    log, g = camelup.play_game([Roller, Roller, Roller])
    assert not g.active_game
    assert [row["round_id"] for row in log] == list(range(len(log)))
    assert "active_player" not in log[0]
    assert [row["active_player"] for row in log[1:4]] == [0, 1, 2]
    assert {row["action_type"] for row in log[1:]} == {"move_camel"}
    assert max(log[-1][f"camel_{camel}_location"] for camel in g.CAMELS) >= 16
    assert [log[-1][f"player_{player}_coins"] for player in range(3)] == g.player_money_values
    assert sum(g.player_money_values) == 6 + len(log) - 1


def test_an_illegal_move_ends_a_game_of_the_simulator():
    with pytest.raises(camelup.IllegalMoveException):
        camelup.play_game([Roller, Cheat])


def test_a_bot_without_a_move_method_raises():
    with pytest.raises(NotImplementedError, match="static method move"):
        camelup.PlayerInterface.move(0, camelup.GameState())


# ------------------------------------------------------------------ modules and random numbers


def test_its_modules_exist_only_for_its_bots():
    bot = CamelaiBot(f"{FILES}/bots.py", "AheadBot")
    bot.choose(kibitz.Table(GAME).view(0))
    assert not [name for name in MODULES if name in sys.modules]


def test_other_modules_of_the_same_names_are_restored(monkeypatch):
    monkeypatch.setitem(sys.modules, "camelup", sys)
    CamelaiBot(f"{FILES}/bots.py", "AheadBot").choose(kibitz.Table(GAME).view(0))
    assert sys.modules["camelup"] is sys


def test_they_can_import_every_name(tmp_path):
    moves = "get_valid_moves, move_camel, move_trap, place_game_bet, place_round_winner_bet"
    others = "play_game, end_of_round, end_of_game, find_camel_in_nth_place, GameState, IllegalMoveException"
    ids = "MOVE_CAMEL_ACTION_ID, MOVE_TRAP_ACTION_ID, ROUND_BET_ACTION_ID, GAME_BET_ACTION_ID"
    (tmp_path / "curious.py").write_text(
        f"from camelup import {moves}, {others}\nfrom actionids import {ids}\nfrom playerinterface import *\n"
        f"class Curious(PlayerInterface):\n    ids = {ids}\n    move = staticmethod(lambda player, state: (0,))\n"
    )
    bot = CamelaiBot(f"{tmp_path}/curious.py", "Curious")
    assert bot._class.ids == (0, 1, 2, 3)
    assert bot.choose(kibitz.Table(GAME).view(0)) == 0


def test_random_numbers_depend_on_the_seed_and_leave_the_global_state_alone():
    bot = CamelaiBot(f"{FILES}/bots.py", "RandomBot")
    random.seed(5)
    moves = [bot.choose(kibitz.Table(GAME, seed).view(0)) for seed in [*range(20), *range(20)]]
    assert moves[:20] == moves[20:]
    assert len(set(moves)) > 5
    after = random.random()
    random.seed(5)
    assert after == random.random()


def test_a_bot_that_changes_its_state_changes_nothing_else():
    table, bot = lined_up(), CamelaiBot(f"{FILES}/bots.py", "LeaderBot")
    view = table.view(0)
    before = view.state.to_text()
    assert table.name(bot.choose(view)) == "leg c_4"
    assert view.state.to_text() == before


def test_a_bot_that_never_rolls_has_to_eventually():
    table, bot = lined_up(), CamelaiBot(f"{FILES}/bots.py", "NeverRolls")
    late = table.state
    late.turns = FREE_TURNS
    assert bot.choose(kibitz.Table(GAME, position=late).view(0)) == 0
    assert bot.choose(table.view(0)) != 0


# ------------------------------------------------------------------ specs


def test_they_do_not_ship_with_kibitz_and_have_ten_seconds_per_move():
    assert not resolve(good("RandomBot"), GAME).is_shipped
    assert resolve(good("RandomBot"), GAME).move_seconds == 10.0


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        (good("RandmBot"), "camelup:rules=camelai", "Did you mean RandomBot"),
        (f"camelai:{FILES}/nowhere.py:RandomBot", "camelup:rules=camelai", "There is no file"),
        (faulty("Motionless"), "camelup:rules=camelai", "needs a static method move"),
        (good("RandomBot"), "camelup", "only play camelup:rules=camelai"),
        (good("RandomBot"), "connect_four", "only play camelup:rules=camelai"),
        (f"{good('RandomBot')}:depth=3", "camelup:rules=camelai", "takes no options"),
    ],
)
def test_invalid_specs_are_refused(spec, game, words):
    with pytest.raises(kibitz.SpecError, match=words):
        kibitz.bot(spec, kibitz.game(game))


def test_the_list_of_bots_mentions_them_for_games_they_can_play():
    assert "camelai:file.py:name" in bots_for(GAME)
    assert "camelai:file.py:name" not in bots_for(CamelUp())


# ------------------------------------------------------------------ tournaments


@pytest.mark.slow
def test_their_tournaments_are_reproducible():
    specs = [good("RandomBot"), good("LeaderBot"), good("AheadBot"), "random"]
    results = [kibitz.arena(GAME, specs, games=4, seed=2, workers=1) for _ in range(2)]
    assert results[0].played == 4
    assert not any(standing.faults for standing in results[0].ranking)
    shares = [{standing.bot: standing.share for standing in result.ranking} for result in results]
    assert shares[0] == shares[1]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Raises", "exception", "IndexError in line 11: list index out of range"),
        ("ChangesTheRules", "exception", "TypeError in line 41: BOARD_SIZE is a constant of the game"),
        ("OnTheStart", "illegal move", "played an illegal move: '(1, 1, 0)'"),
        ("Numbers", "illegal move", "played an illegal move: '0'"),
        ("Lists", "illegal move", "played an illegal move: '[0]'"),
        ("Sleeps", "timeout", "took more than 0.5 s for a move"),
    ],
)
def test_a_fault_forfeits_the_game_and_is_in_the_log(name, kind, words, tmp_path):
    game = CamelUp(players=2, rules="camelai")
    move_time = 0.5 if kind == "timeout" else LONG
    result = kibitz.arena(
        game, [faulty(name), "random"], games=1, workers=1, move_time=move_time, log=tmp_path / "log", seed=0
    )
    (standing,) = (standing for standing in result.ranking if standing.faults)
    assert (standing.bot, standing.faults, standing.share.share) == (faulty(name), {kind: 1}, 0.0)
    assert words in Log(tmp_path / "log").row(0).fault[0]
