"""Layouts of exported tables that a game adds: those of Camel Up's CamelAI."""

import csv
import itertools
import random
import re

import pytest
from logged_games import as_games, play, tournament

import kibitz
from kibitz.adapters import camelai_simulator as simulator
from kibitz.cli import main
from kibitz.records.export import export_csv, layout_of
from kibitz.records.log import LogWriter
from kibitz.rules.registry import find_game

CAMELAI = "camelup:rules=camelai"
COLUMNS = """
    round_id active_player action_type bet_type camel
    camel_c_0_location camel_c_0_stack_location camel_c_1_location camel_c_1_stack_location camel_c_2_location
    camel_c_2_stack_location camel_c_3_location camel_c_3_stack_location camel_c_4_location camel_c_4_stack_location
    distance
    player_0_coins player_0_trap_location player_0_trap_type player_1_coins player_1_trap_location player_1_trap_type
    player_2_coins player_2_trap_location player_2_trap_type player_3_coins player_3_trap_location player_3_trap_type
    trap_location trap_type
"""
WORDS = {"action_type", "bet_type", "camel"}


def logged(folder, game=CAMELAI, games=4):
    """A log of games played at random, and their tables."""
    what = tournament(game, ["random"] * find_game(game).players, games=games)
    tables = play(what)
    with LogWriter(folder, what) as log:
        log.write(as_games(tables))
    return tables


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def header_of(path):
    return path.read_text().partition("\n")[0].split(",")


def test_every_game_has_a_file_with_the_same_columns(tmp_path):
    logged(tmp_path / "log", games=12)
    folder = export_csv(tmp_path / "log", layout="camelai")
    assert {path.name for path in folder.iterdir()} == {f"game_{number}.csv" for number in range(12)}
    assert all(header_of(path) == COLUMNS.split() for path in folder.iterdir())


def test_the_merged_table_has_the_same_rows_with_the_games_number_first(tmp_path):
    logged(tmp_path / "log", games=3)
    folder = export_csv(tmp_path / "log", layout="camelai")
    path = export_csv(tmp_path / "log", layout="camelai", merged=True)
    assert header_of(path) == ["game_id", *COLUMNS.split()]
    single = [{"game_id": str(n), **row} for n in range(3) for row in rows_of(folder / f"game_{n}.csv")]
    assert rows_of(path) == single


def test_integers_are_integers_and_missing_values_are_empty(tmp_path):
    logged(tmp_path / "log")
    for row in rows_of(export_csv(tmp_path / "log", layout="camelai", merged=True)):
        for name in row.keys() - WORDS:
            assert re.fullmatch(r"-?\d+|", row[name]), (name, row[name])
        assert (row["round_id"] == "0") == (row["active_player"] == "")
        assert (row["action_type"] == "move_camel") == (row["distance"] != "")
        assert (row["action_type"] == "game_bet") == (row["bet_type"] != "")
        assert (row["action_type"] == "move_trap") == (row["trap_location"] != "") == (row["trap_type"] != "")


def test_rows_describe_what_happened(tmp_path):
    tables = logged(tmp_path / "log")
    folder = export_csv(tmp_path / "log", layout="camelai")
    for number, table in enumerate(tables):
        start, *turns = rows_of(folder / f"game_{number}.csv")
        decisions = [name for name, ply in zip(table.history_names, table.history, strict=True) if ply.turn != -1]
        assert [int(row["round_id"]) for row in turns] == list(range(1, len(decisions) + 1))
        assert [described(row) for row in turns] == decisions
        assert [int(row["active_player"]) for row in turns] == [turn % 4 for turn in range(len(turns))]
        assert all(int(start[f"camel_c_{camel}_location"]) in (0, 1, 2) for camel in range(5))
        assert [int(turns[-1][f"player_{player}_coins"]) for player in range(4)] == table.score()
        assert max(int(turns[-1][f"camel_c_{camel}_location"]) for camel in range(5)) >= 16


def described(row):
    """What a row tells, in kibitz's notation."""
    match row["action_type"]:
        case "move_camel":
            return "roll"
        case "move_trap":
            return f"{'oasis' if row['trap_type'] == '1' else 'mirage'} {row['trap_location']}"
        case "round_winner_bet":
            return f"leg {row['camel']}"
        case "game_bet":
            return f"{ {'win': 'winner', 'lose': 'loser'}[row['bet_type']] } {row['camel']}"


def test_distances_are_net(tmp_path):
    logged(tmp_path / "log", games=8)
    moved_by_tiles = 0
    for path in export_csv(tmp_path / "log", layout="camelai").iterdir():
        rows = rows_of(path)
        for before, after in itertools.pairwise(rows):
            if after["distance"]:
                where = f"camel_{after['camel']}_location"
                assert int(after["distance"]) == int(after[where]) - int(before[where])
                moved_by_tiles += int(after["distance"]) in (0, 4)
    assert moved_by_tiles  # a mirage after a 1, or an oasis after a 3


def test_the_simulator_itself_logs_the_same_columns(tmp_path):
    class Anything(simulator.PlayerInterface):
        @staticmethod
        def move(active_player, game_state):
            moves = simulator.get_valid_moves(game_state, active_player)
            kind = random.choice([move[0] for move in moves[:1] + moves])
            return random.choice([move for move in moves if move[0] == kind])

    random.seed(1)
    log, _ = simulator.play_game([Anything] * 4)
    assert {name for row in log for name in row} == set(COLUMNS.split())


@pytest.mark.slow
def test_a_game_for_two_has_columns_for_two(tmp_path):
    logged(tmp_path / "log", "camelup:players=2", games=2)
    path = export_csv(tmp_path / "log", layout="camelai", merged=True)
    assert not [name for name in header_of(path) if "player_2" in name]
    assert "player_1_coins" in header_of(path)


@pytest.mark.slow
def test_crazy_camels_have_no_columns(tmp_path):
    logged(tmp_path / "log", "camelup:rules=second", games=1)
    with pytest.raises(kibitz.KibitzError, match="crazy camels"):
        export_csv(tmp_path / "log", layout="camelai")
    assert not (tmp_path / "log-csv").exists()


def test_a_layout_that_does_not_exist_is_refused():
    with pytest.raises(kibitz.SpecError, match="Did you mean camelai"):
        layout_of(find_game(CAMELAI), "camelia")
    with pytest.raises(kibitz.SpecError, match="plies"):
        layout_of(find_game("connect_four"), "camelai")


def test_the_command_line_knows_layouts(tmp_path, capsys):
    logged(tmp_path / "log", games=2)
    for more in ([], ["--merged"]):
        with pytest.raises(SystemExit) as end:
            main(["logs", "export", str(tmp_path / "log"), "--csv", "--layout", "camelai", *more])
        assert not end.value.code
    assert header_of(tmp_path / "log-csv" / "game_1.csv") == COLUMNS.split()
    assert header_of(tmp_path / "log.csv") == ["game_id", *COLUMNS.split()]
