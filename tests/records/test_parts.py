"""Logs in many parts, read in order and a batch at a time."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from logged_games import equal, invented, tournament

from kibitz import KibitzError
from kibitz.records import columns, parts
from kibitz.records import log as log_module
from kibitz.records.games import Games
from kibitz.records.log import Log, LogWriter

SEALED_AT_ONCE = 1  # byte: every batch that is written becomes a part


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "log"


def write(folder, monkeypatch, games, batches):
    """A log in which each batch, given by the numbers of its games, is a part."""
    monkeypatch.setattr(log_module, "PART_BYTES", SEALED_AT_ONCE)
    with LogWriter(folder, tournament()) as log:
        for batch in batches:
            log.write(games.rows(np.asarray(batch)))
    return folder


def plain_games(count):
    """Games without moves and faults, made quickly."""
    games = Games.empty(count, 2)
    games.game[:] = np.arange(count)
    games.group[:] = games.game // 2
    games.seconds[:] = np.random.default_rng(1).random((count, 2))
    return games


ALL = np.arange(80)
ORDERS = {
    "one after another": np.split(ALL, 8),
    "neighbours swapped": [batch for pair in np.split(ALL, 4) for batch in (pair[10:], pair[:10])],
    "all mixed": np.split(np.random.default_rng(1).permutation(80), 8),
    "gaps filled later": [*np.split(ALL[ALL % 5 > 0], 4), ALL[ALL % 5 == 0]],
    "twice": [*np.split(ALL, 4), ALL[:70], ALL[25:]],
    "the first game last": np.split(np.roll(ALL, -1), 8),
}


@pytest.mark.parametrize("order", ORDERS)
def test_parts_in_any_order_are_read_in_the_order_of_the_games(folder, monkeypatch, order):
    games = invented(80)
    write(folder, monkeypatch, games, ORDERS[order])
    assert len(list(folder.glob("*.parquet"))) == len(ORDERS[order])
    log = Log(folder)
    assert equal(log.games(range(17, 63)), games.rows(slice(17, 63)))
    for at_once, least in ((1, 1), (7, 1), (30, 8), (1000, 1000)):
        monkeypatch.setattr(log_module, "READ_AT_ONCE", at_once)
        monkeypatch.setattr(parts, "LEAST_AT_ONCE", least)
        batches = list(log.batches())
        assert equal(Games.joined(batches), games)
        assert all(at_once <= len(batch) < 2 * at_once for batch in batches[:-1])
        assert equal(log.games(), games)
        assert log.finished().tolist() == ALL.tolist()
        assert log.span() == (80, range(80))


def test_a_journal_is_read_along_with_the_parts(folder, monkeypatch):
    games = invented(100)
    write(folder, monkeypatch, games, [np.arange(10, 60), np.arange(70, 90)])
    monkeypatch.undo()
    writer = LogWriter(folder, tournament(), resume=True)
    for batch in (range(90, 100), range(10), range(60, 70)):
        writer.write(games.rows(np.array(batch)))
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 7)
    assert equal(Log(folder).games(), games)
    assert equal(Log(folder).games(range(5, 95)), games.rows(slice(5, 95)))
    assert equal(Log(folder).row(61), games.rows(slice(61, 62)))
    writer.close()


def test_memory_does_not_depend_on_the_length_of_the_log(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 500)

    def most_in_use(count):
        games = plain_games(count)
        folder = write(tmp_path / str(count), monkeypatch, games, np.split(np.arange(count), count // 1000))
        del games
        before, most = pa.total_allocated_bytes(), 0
        for batch in Log(folder).batches():
            most = max(most, pa.total_allocated_bytes() - before)
            del batch
        return most

    few = most_in_use(3000)
    assert 0 < most_in_use(20_000) < 1.2 * few


def test_of_many_overlapping_parts_only_few_games_each_are_in_memory(folder, monkeypatch):
    """However they overlap, about READ_AT_ONCE games are in memory."""
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 1000)
    monkeypatch.setattr(parts, "LEAST_AT_ONCE", 1)
    order = np.random.default_rng(1).permutation(4000)
    write(folder, monkeypatch, plain_games(4000), np.split(order, 20))
    asked, held = [], {}
    read = parts.parquet_batches

    def watched(path, names, rows):
        asked.append(rows)
        for batch in read(path, names, rows):
            held[path] = len(batch)
            assert sum(held.values()) <= 1000
            yield batch
        del held[path]

    monkeypatch.setattr(parts, "parquet_batches", watched)
    assert [table["game"][0].as_py() for table in Log(folder).tables()][:1] == [0]
    assert asked == [50] * 20


def test_a_game_is_found_without_reading_the_other_parts(folder, monkeypatch):
    games = invented(100)
    write(folder, monkeypatch, games, np.split(np.arange(100), 10))
    opened = []
    check, read = parts.check_parquet, parts.read_parquet
    monkeypatch.setattr(parts, "check_parquet", lambda path: (opened.append(path.name), check(path)))
    monkeypatch.setattr(parts, "read_parquet", lambda path, numbers: (opened.append(path.name), read(path, numbers))[1])
    assert equal(Log(folder).row(73), games.rows(slice(73, 74)))
    assert opened == ["games-000008.parquet"] * 2


def test_only_the_row_groups_that_may_contain_a_game_are_read(folder, monkeypatch):
    monkeypatch.setattr(columns, "GROUP_GAMES", 10)
    games = invented(100)
    (part,) = write(folder, monkeypatch, games, [np.arange(100)]).glob("*.parquet")
    assert pq.read_metadata(part).num_row_groups == 10
    content = bytearray(part.read_bytes())
    place = pq.read_metadata(part).row_group(2).column(0).data_page_offset
    for byte in range(place, place + 20):
        content[byte] ^= 255
    part.write_bytes(content)
    monkeypatch.setattr(parts, "check_parquet", lambda path: None)
    assert equal(Log(folder).row(73), games.rows(slice(73, 74)))
    with pytest.raises(KibitzError, match="is damaged"):
        Log(folder).row(23)


def test_damage_is_not_mistaken_for_a_missing_game(folder, monkeypatch):
    write(folder, monkeypatch, invented(30), np.split(np.arange(30), 3))
    part = folder / "games-000002.parquet"
    content = bytearray(part.read_bytes())
    content[60] ^= 1
    part.write_bytes(content)
    assert Log(folder).row(5).game.tolist() == [5]
    for number in (15, 1000):
        with pytest.raises(KibitzError, match=r"games-000002\.parquet is damaged"):
            Log(folder).row(number)


def test_games_in_the_wrong_order_count_as_damage(folder, monkeypatch):
    write(folder, monkeypatch, invented(10), [np.arange(10)])
    part = folder / "games-000001.parquet"
    table = pq.read_table(part)
    pq.write_table(table.take(pa.array([*range(1, 10), 0])), part)
    with pytest.raises(KibitzError, match=r"games-000001\.parquet is damaged .*not in order"):
        Log(folder).games()


def test_parts_without_statistics_can_be_read(folder, monkeypatch):
    games = invented(20)
    write(folder, monkeypatch, games, np.split(np.arange(20), 2))
    for part in folder.glob("*.parquet"):
        pq.write_table(pq.read_table(part), part, write_statistics=False)
    assert equal(Log(folder).games(), games)
    assert equal(Log(folder).row(13), games.rows(slice(13, 14)))


def test_an_empty_log_has_no_batches(folder):
    LogWriter(folder, tournament()).close()
    assert list(Log(folder).batches()) == []
    assert Log(folder).span() == (0, range(0))
    assert len(Log(folder).games(range(5))) == 0


def test_numbers_must_be_consecutive(folder, monkeypatch):
    write(folder, monkeypatch, invented(4), [np.arange(4)])
    with pytest.raises(KibitzError, match=r"range\(0, 4, 2\)"):
        Log(folder).games(range(0, 4, 2))


def test_without_moves_neither_moves_nor_turns_are_read(folder, monkeypatch):
    games = invented(20)
    write(folder, monkeypatch, games, [np.arange(20)])
    (batch,) = Log(folder).batches(moves=False)
    for row in range(20):
        games.moves[row], games.turns[row] = np.zeros(0, "i4"), np.zeros(0, "i1")
    assert equal(batch, games)
