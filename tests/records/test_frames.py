"""Logs as polars frames that are read when they are needed."""

import sys

import polars as pl
import pytest
from logged_games import invented, tournament

from kibitz import KibitzError
from kibitz.records import log as log_module
from kibitz.records.log import Log, LogWriter


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A log of several parts, of which one is still being written, in the order in which games ended."""
    monkeypatch.setattr(log_module, "PART_BYTES", 20_000)
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 70)
    games = invented(500)
    writer = LogWriter(tmp_path / "log", tournament())
    writer.write(games.rows(games.game % 2 == 1))
    writer.write(games.rows(games.game % 2 == 0))
    yield Log(tmp_path / "log")
    writer.close()


def test_a_scan_gives_all_games_in_order(log):
    frame = log.scan().collect()
    assert frame["game"].to_list() == log.finished().tolist()
    assert frame["payoff"].to_list() == log.games().payoff.tolist()
    assert frame["moves"].to_list() == [moves.tolist() for moves in log.games().moves]


def test_a_query_reads_only_the_columns_it_needs(log, monkeypatch):
    read = []
    tables = Log.tables
    monkeypatch.setattr(Log, "tables", lambda self, columns=None: read.append(columns) or tables(self, columns))
    found = log.scan().filter(pl.col("game") >= 490).select("outcome").collect()
    assert [set(columns) for columns in read] == [{"game", "outcome"}]
    assert found.height == (log.finished() >= 490).sum()


def test_a_query_stops_when_it_has_what_it_wants(log):
    assert log.scan().head(3).collect()["game"].to_list() == log.finished()[:3].tolist()
    sevenths = [number for number in log.finished().tolist() if number % 7 == 0]
    assert log.scan().filter(pl.col("game") % 7 == 0).head(30).collect()["game"].to_list() == sevenths[:30]


def test_a_scan_sees_games_that_are_finished_later(tmp_path):
    games = invented(20)
    with LogWriter(tmp_path / "log", tournament()) as writer:
        writer.write(games.rows(slice(0, 10)))
        scan = Log(tmp_path / "log").scan()
        assert scan.collect().height == 10
        writer.write(games.rows(slice(10, 20)))
        assert scan.collect().height == 20


def test_a_damaged_part_is_named(tmp_path):
    with LogWriter(tmp_path / "log", tournament()) as writer:
        writer.write(invented(50))
    part = tmp_path / "log" / "games-000001.parquet"
    content = bytearray(part.read_bytes())
    content[len(content) // 3] ^= 1
    part.write_bytes(content)
    with pytest.raises(Exception, match=r"games-000001\.parquet is damaged"):
        Log(tmp_path / "log").scan().select("payoff").collect()


def test_without_polars_a_sentence_says_what_to_install(log, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(KibitzError, match=r"kibitz\[frames\]"):
        log.scan()
