"""Bots for the original Hexplode server play here unchanged, and their faults only cost them the game."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from processes import LONG

import kibitz
from kibitz.adapters import hexplode_algo
from kibitz.adapters.hexplode_algo import AlgoBot, board_of
from kibitz.games.hexplode.rules import Hexplode
from kibitz.players.roster import bots_for, resolve
from kibitz.players.turns import tell_end

ALGOS = Path(__file__).parent / "algos"
CORNERS = f"hexplode-algo:{ALGOS}/corners.py:Corners"
PLAIN = f"hexplode-algo:{ALGOS}/corners.py:Plain"
THREE, DAMAGED = Hexplode(side=3), Hexplode(side=3, damage=0.2)
STEPS = {"N": (0, -1), "S": (0, 1), "NE": (1, -1), "SE": (1, 0), "NW": (-1, 0), "SW": (-1, 1)}  # on the axes q and r


def faulty(name):
    return f"hexplode-algo:{ALGOS}/faulty.py:{name}"


def play_out(game, specs, seed=1):
    """Play a game in this process, and call the bots' hooks at the end."""
    table, players = kibitz.Table(game, seed), [kibitz.bot(spec, game) for spec in specs]
    while not table.over:
        table.play(players[table.turn].choose(table.view(table.turn)))
    tell_end(table, dict(enumerate(players)), table.payoff())
    return table, players


def memory(player):
    """What a bot's file remembers of its games."""
    return sys.modules[player._algo.function.__module__].seen


# ------------------------------------------------------------------ what they are given


def test_the_board_has_every_tile_in_order():
    table = kibitz.Table(THREE)
    for name in ("tile_0_0", "tile_2_2", "tile_0_0"):
        table.play(table.parse(name))
    board = board_of(table.view(1))
    assert list(board) == [table.board.name(THREE, table.state, tile) for tile in range(19)]
    assert board["tile_0_0"] == {"counters": 2, "player": 0, "neighbours": ["tile_0_1", "tile_1_0", "tile_1_1"]}
    assert (board["tile_2_2"]["counters"], board["tile_2_2"]["player"]) == (1, 1)
    assert (board["tile_1_1"]["counters"], board["tile_1_1"]["player"]) == (None, None)


@pytest.mark.parametrize("side", [2, 3, 4, 5])
def test_neighbours_come_in_the_order_of_the_original(side):
    """N, S, then west of the centre NE, SE, NW, SW; east of it NW, SW, NE, SE; in the centre column NW, NE, SW, SE."""
    with kibitz.plain():
        board = board_of(kibitz.Table(Hexplode(side=side)).view(0))
    places = {}
    for tile in board:
        i, j = map(int, tile.split("_")[1:])
        places[i - (side - 1), j - min(i, side - 1)] = tile
    for (q, r), tile in places.items():
        beside = ("NW", "NE", "SW", "SE") if q == 0 else ("NE", "SE", "NW", "SW") if q < 0 else ("NW", "SW", "NE", "SE")
        around = [(q + STEPS[way][0], r + STEPS[way][1]) for way in ("N", "S", *beside)]
        assert board[tile]["neighbours"] == [places[place] for place in around if place in places]


def test_damage_is_negative_and_belongs_to_nobody():
    table = kibitz.Table(DAMAGED, deal=False)
    for units in [3, *[0] * 18]:
        table.play(units)
    assert board_of(table.view(0))["tile_0_0"] == {
        "counters": -3,
        "player": None,
        "neighbours": ["tile_0_1", "tile_1_0", "tile_1_1"],
    }


def test_a_repaired_tile_has_zero_counters_until_it_hexplodes():
    table = kibitz.Table(Hexplode(side=2, damage=0.2), deal=False)
    for units in (1, 0, 0, 0, 0, 0, 0):
        table.play(units)
    seen = []
    for move in (0, 6, 0, 6, 0, 5, 0):
        table.play(move)
        there = board_of(table.view(table.turn))["tile_0_0"]
        seen.append((there["counters"], there["player"]))
    assert seen == [(0, None), (0, None), (1, 0), (1, 0), (2, 0), (2, 0), (None, None)]


def test_a_board_from_the_middle_of_a_game_has_no_repaired_tiles():
    table = kibitz.Table(DAMAGED, seed=1)
    table.play(table.moves[0])
    later = kibitz.Table(DAMAGED, position=table.state)
    later.play(later.moves[0])
    assert all(there["counters"] != 0 for there in board_of(later.view(0)).values())


def test_hooks_are_called_once_per_game_with_the_right_arguments():
    table, (first, second) = play_out(THREE, [CORNERS, CORNERS])
    ours = [memory(player)[player._game_id] for player in (first, second)]
    assert [game["side"] for game in ours] == [3, 3]
    assert sum(game["moves"] for game in ours) == len(table.history)
    assert [game["won"] for game in ours] == [share == 1.0 for share in table.payoff()]


def test_every_game_and_seat_has_an_id_of_its_own():
    ids = {player._game_id for seed in range(3) for player in play_out(THREE, [CORNERS, CORNERS], seed)[1]}
    assert len(ids) == 6


def test_the_same_seed_gives_the_same_ids():
    ids = [[player._game_id for player in play_out(THREE, [PLAIN, PLAIN])[1]] for _ in range(2)]
    assert ids[0] == ids[1]


def test_a_bot_that_changes_its_board_changes_nothing_else():
    table, _ = play_out(THREE, [CORNERS, PLAIN])
    assert table.over


def test_the_module_of_the_decorator_exists_only_while_a_file_loads():
    AlgoBot(f"{ALGOS}/corners.py", "Corners")
    assert hexplode_algo.MODULE not in sys.modules


def test_they_play_on_damaged_boards_too():
    table, _ = play_out(DAMAGED, [CORNERS, PLAIN])
    assert table.over


# ------------------------------------------------------------------ specs


def test_they_do_not_ship_with_kibitz_and_have_five_seconds_per_move():
    assert not resolve(CORNERS, THREE).is_shipped
    assert resolve(CORNERS, THREE).move_seconds == 5.0
    assert resolve("random", THREE).move_seconds == math.inf


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        (f"hexplode-algo:{ALGOS}/corners.py:Cornrs", "hexplode", "Did you mean Corners"),
        (f"hexplode-algo:{ALGOS}/nowhere.py:Corners", "hexplode", "There is no file"),
        (f"hexplod-algo:{ALGOS}/corners.py:Corners", "hexplode", "Did you mean hexplode-algo"),
        (CORNERS, "connect_four", "only play hexplode"),
        (f"{CORNERS}:depth=3", "hexplode", "takes no options"),
    ],
)
def test_invalid_specs_are_refused(spec, game, words):
    with pytest.raises(kibitz.SpecError, match=words):
        kibitz.bot(spec, kibitz.game(game))


def test_a_file_that_cannot_be_loaded_is_refused(tmp_path):
    (tmp_path / "broken.py").write_text("from hexplode import algo_player, something_else\n")
    with pytest.raises(kibitz.SpecError, match="line 1: ImportError: cannot import name 'something_else'"):
        kibitz.bot(f"hexplode-algo:{tmp_path}/broken.py:X", THREE)


def test_the_list_of_bots_mentions_them_for_games_they_can_play():
    assert "hexplode-algo:file.py:name" in bots_for(THREE)
    assert "hexplode-algo:file.py:name" not in bots_for(kibitz.game("connect_four"))


# ------------------------------------------------------------------ tournaments


def test_two_of_them_play_a_tournament(tmp_path):
    result = kibitz.arena("hexplode:side=3", [CORNERS, PLAIN], games=4, opening=2, workers=1, seed=0)
    assert result.played == 4
    assert not any(standing.faults for standing in result.ranking)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Raises", "exception", "KeyError in line 10: 'tile_99_99'"),
        ("Robs", "illegal move", "played an illegal move: 'tile_4_1'"),
        ("Numbers", "illegal move", "played an illegal move: '3'"),
        ("Sleeps", "timeout", "took more than 0.5 s for a move"),
    ],
)
def test_a_fault_forfeits_the_game_and_is_reported(name, kind, words):
    move_time = 0.5 if kind == "timeout" else LONG
    result = kibitz.arena(
        "hexplode:side=3", [faulty(name), "random"], games=1, workers=1, move_time=move_time, opening=2, seed=0
    )
    (standing,) = (standing for standing in result.ranking if standing.faults)
    assert standing.bot == faulty(name)
    assert standing.faults == {kind: 1}
    assert standing.share.share == 0.0
    assert words in str(result.tally.fault_words)


def test_a_fault_after_the_end_changes_nothing():
    result = kibitz.arena("hexplode:side=3", [faulty("Grumbles"), "random"], games=2, workers=1, seed=0)
    assert result.played == 2
    assert not any(standing.faults for standing in result.ranking)


def test_they_can_be_watched():
    command = [sys.executable, "-m", "kibitz", "watch", "hexplode:side=3", CORNERS, PLAIN, "--moves-only"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONG)
    assert "tile_0_0" in shown.stdout
    assert "game over: " in shown.stderr


def test_they_can_be_played_against():
    command = [sys.executable, "-m", "kibitz", "play", "hexplode:side=3", "--vs", CORNERS, "--seed", "1"]
    shown = subprocess.run(command, input="tile_2_2\nquit\n", capture_output=True, text=True, check=True, timeout=LONG)
    assert "Blue: a3" in shown.stdout
