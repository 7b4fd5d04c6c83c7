"""Logs as one file and as tables of all plies."""

import csv

import numpy as np
import pytest
from logged_games import CONNECT_FOUR, HIGH_CARD, TOYS, as_games, equal, invented, play, tournament

import kibitz
from kibitz import CHANCE, KibitzError
from kibitz.records import log as log_module
from kibitz.records.export import PLY, export_csv, merge
from kibitz.records.log import Log, LogWriter
from kibitz.rules.registry import find_game


def logged(folder, game=CONNECT_FOUR, games=4):
    """A log of games played at random, and their tables."""
    bots = ("random", "mc:sims=5", "greedy")[: find_game(game).players]
    what = tournament(game, bots, games=games)
    tables = play(what)
    with LogWriter(folder, what) as log:
        log.write(as_games(tables))
    return tables


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_a_merged_log_has_the_games_of_all_parts_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "PART_BYTES", 20_000)
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 64)
    games = invented(500)
    with LogWriter(tmp_path / "log", tournament()) as log:
        for batch in np.split(np.random.default_rng(1).permutation(500), 10):
            log.write(games.rows(batch))
    path = merge(tmp_path / "log")
    assert path == tmp_path / "log.parquet"
    merged = Log(path)
    assert equal(merged.games(), games)
    assert merged.tournament == tournament()
    assert merged.row(123).game.tolist() == [123]


def test_the_progress_of_merging_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 2)
    logged(tmp_path / "log", games=5)
    told = []
    merge(tmp_path / "log", progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 5), (4, 5), (5, 5)]


def test_a_log_without_moves_cannot_be_exported_as_csv(tmp_path):
    LogWriter(tmp_path / "log", tournament() | {"keep_moves": False}).close()
    with pytest.raises(KibitzError, match="does not contain the moves of its games"):
        export_csv(tmp_path / "log")
    assert not (tmp_path / "log-csv").exists()


def test_an_existing_file_is_not_overwritten(tmp_path):
    logged(tmp_path / "log", games=1)
    (tmp_path / "mine").write_text("x")
    for export in (merge, export_csv):
        with pytest.raises(KibitzError, match="already exists"):
            export(tmp_path / "log", tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "x"


def test_other_parquet_files_are_not_logs(tmp_path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"game": [1]}), tmp_path / "other.parquet")
    with pytest.raises(KibitzError, match="is a Parquet file, but not a kibitz log"):
        Log(tmp_path / "other.parquet")


def test_connect_four_has_a_row_per_move_and_a_file_per_game(tmp_path):
    tables = logged(tmp_path / "log")
    folder = export_csv(tmp_path / "log")
    assert folder == tmp_path / "log-csv"
    assert sorted(path.name for path in folder.iterdir()) == [f"game-{number}.csv" for number in range(4)]
    for number, table in enumerate(tables):
        header, *rows = rows_of(folder / f"game-{number}.csv")
        assert header == [*PLY, "discs_0", "discs_1", "plies", "turn", "winner"]
        assert [row[6] for row in rows] == table.history_names
        assert [(int(row[2]), int(row[5])) for row in rows] == list(table.history)
        assert [row[:2] for row in rows] == [[str(number), str(ply)] for ply in range(1, len(rows) + 1)]
        assert all(row[3] == table.seats[int(row[2])] and row[4] == "move" for row in rows)
        state = table.state
        assert [int(cell) for cell in rows[-1][7:]] == [*state.discs, state.plies, state.turn, state.winner]


def test_hidden_cards_and_chance_outcomes_are_exported(tmp_path):
    tables = logged(tmp_path / "log", HIGH_CARD)
    header, *rows = rows_of(export_csv(tmp_path / "log", tmp_path / "out.csv", merged=True))
    assert header[7:9] == ["where_0", "where_1"]
    assert not [name for name in header if "_pool" in name]
    assert [row[6] for row in rows] == [name for table in tables for name in table.history_names]
    deals = [row for row in rows if row[4] == "chance"]
    assert len(deals) == sum(ply.turn == CHANCE for table in tables for ply in table.history) == 24
    assert all(row[2:4] == [str(CHANCE), ""] for row in deals)
    assert {len(row) for row in rows} == {len(header)}
    assert [row[0] for row in rows] == [str(n) for n, table in enumerate(tables) for _ in table.history]


GAME = f"""
import sys
sys.path.insert(0, {str(TOYS.parent)!r})
import kibitz
from toys import Nim as Plain


class Board(kibitz.Board):
    def columns(self, game, s):
        return COLUMNS


@kibitz.game
class Nim(Plain):
    board = Board
"""


def test_a_board_can_define_its_own_columns(tmp_path):
    (tmp_path / "nim.py").write_text(GAME.replace("COLUMNS", '{"heap": f"{s.left} left", "move": 0.5}'))
    logged(tmp_path / "log", f"{tmp_path / 'nim.py'}:Nim:heap=2", games=1)
    header, first, *_ = rows_of(export_csv(tmp_path / "log", tmp_path / "out.csv", merged=True))
    assert header[7:] == ["heap", "state_move"]  # next to kibitz's own column `move`
    left = 2 - 1 - int(first[5])
    assert first[7:] == [f"{left} left", "0.5"]


def test_columns_that_come_and_go_are_refused(tmp_path):
    (tmp_path / "nim.py").write_text(GAME.replace("COLUMNS", "{str(s.left): 1}"))
    logged(tmp_path / "log", f"{tmp_path / 'nim.py'}:Nim:heap=2", games=1)
    with pytest.raises(KibitzError, match="must always return the same columns"):
        export_csv(tmp_path / "log", tmp_path / "out.csv", merged=True)
    assert not (tmp_path / "out.csv").exists()


def test_an_array_of_arrays_has_a_column_per_cell():
    dtype = np.dtype([("board", "i1", (2, 2)), ("turn", "i1"), ("_scratch", "i1")])
    state = kibitz.State(np.zeros(1, dtype)[0])
    state.board[1, 0] = 5
    assert kibitz.Board().columns(None, state) == {
        "board_0_0": 0,
        "board_0_1": 0,
        "board_1_0": 5,
        "board_1_1": 0,
        "turn": 0,
    }


def test_progress_is_reported_after_every_game(tmp_path):
    logged(tmp_path / "log", games=3)
    reported = []
    export_csv(tmp_path / "log", progress=lambda done, total: reported.append((done, total)))
    assert reported == [(1, 3), (2, 3), (3, 3)]
