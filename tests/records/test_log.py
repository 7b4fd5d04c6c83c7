"""The log of a tournament: what is written can be read again, whatever happens in between."""

import contextlib
import errno
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from logged_games import HIGH_CARD, TOYS, as_games, equal, invented, play, tournament, write_all, write_until_killed

from kibitz import CHANCE, KibitzError, Table
from kibitz.records import log as log_module
from kibitz.records.games import Games
from kibitz.records.log import Log, LogWriter
from kibitz.rules.registry import find_game


def test_games_come_back_as_they_were(tmp_path):
    games = invented(1000)
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(games.rows(games.game % 2 == 1))
        log.write(games.rows(games.game % 2 == 0))
    log = Log(tmp_path / "log")
    assert equal(log.games(), games)
    assert log.finished().tolist() == games.game.tolist()
    assert log.tournament == tournament()


def test_many_parts_and_reads_give_the_same_games(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "PART_BYTES", 50_000)
    monkeypatch.setattr(log_module, "READ_AT_ONCE", 70)
    games = invented(1000)
    order = np.random.default_rng(1).permutation(1000)
    with LogWriter(tmp_path / "log", tournament()) as log:
        for batch in np.split(order, 20):
            log.write(games.rows(np.sort(batch)))
    assert len(list((tmp_path / "log").glob("*.parquet"))) > 3
    assert equal(Log(tmp_path / "log").games(), games)


def test_a_part_is_sealed_when_it_is_old_enough(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "PART_SECONDS", -1.0)
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(invented(3))
        assert [path.name for path in (tmp_path / "log").glob("games-*")] == ["games-000001.parquet"]


def test_games_can_be_read_while_the_log_is_written(tmp_path):
    games = invented(20)
    with LogWriter(tmp_path / "log", tournament()) as log:
        assert Log(tmp_path / "log").finished().tolist() == []
        log.write(games.rows(np.arange(7)))
        log.write(games.rows(np.arange(0)))
        assert equal(Log(tmp_path / "log").games(), games.rows(np.arange(7)))


def test_a_log_without_games_knows_the_number_of_players(tmp_path):
    LogWriter(tmp_path / "log", tournament(HIGH_CARD)).close()
    assert equal(Log(tmp_path / "log").games(), Games.empty(0, 3))


def test_without_pyarrow_a_sentence_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "kibitz.records.columns")
    monkeypatch.delattr("kibitz.records.columns")
    with pytest.raises(KibitzError, match=r'pip install "kibitz\[logs\]"'):
        LogWriter(tmp_path / "log", tournament())
    assert not (tmp_path / "log").exists()


def test_text_that_is_not_unicode_does_not_stop_the_log(tmp_path):
    games = invented(1)
    games.fault[0] = "bad \udcff byte"
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(games)
    assert Log(tmp_path / "log").games().fault == ["bad ? byte"]


@pytest.mark.parametrize("game", [tournament()["game"], HIGH_CARD])
def test_every_game_replays_bit_for_bit(tmp_path, game):
    what = tournament(game, bots=("random", "mc:sims=5", "greedy")[: find_game(game).players], games=6)
    tables = play(what)
    with LogWriter(tmp_path / "log", what) as log:
        log.write(as_games(tables))
    log = Log(tmp_path / "log")
    for number, table in enumerate(tables):
        record = log.record(number)
        assert record == table.record()
        assert Table.replay(record).state == table.state
        again = Table(find_game(record.game), record.seed, luck=record.luck)  # the seed determines chance
        for turn, move in zip(record.turns, record.moves, strict=True):
            if turn != CHANCE:
                again.play(move, turn)
        assert again.history == table.history


def test_a_game_ended_by_a_fault_replays_up_to_the_fault(tmp_path):
    what = tournament(games=1)
    (table,) = play(what)
    games = as_games([table])
    games.turns[0], games.moves[0] = games.turns[0][:4], games.moves[0][:4]
    games.outcome[0], games.fault_seat[0], games.fault[0] = 3, 0, "too slow"
    with LogWriter(tmp_path / "log", what) as log:
        log.write(games)
    record = Log(tmp_path / "log").record(0)
    assert not record.over
    assert record.payoff == ()
    assert Table.replay(record).history == table.history[:4]


def test_a_missing_game_is_named(tmp_path):
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(invented(3))
    with pytest.raises(KibitzError, match="Game 7 is not in the log"):
        Log(tmp_path / "log").record(7)


def test_a_game_logged_without_its_moves_cannot_be_replayed(tmp_path):
    games = as_games(play(tournament(games=1)))
    games.turns, games.moves = [np.zeros(0, "i1")], [np.zeros(0, "i4")]
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(games)
    with pytest.raises(KibitzError, match="does not contain the moves of game 0"):
        Log(tmp_path / "log").record(0)


@pytest.mark.slow
def test_twenty_kills_neither_lose_nor_duplicate_a_game(tmp_path):
    folder, games, luck = tmp_path / "log", invented(2000), random.Random(1)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kibitz.records.columns"])
    for _ in range(20):
        reports, theirs = context.Pipe(duplex=False)
        moment = luck.randrange(90), luck.random() * 0.005
        writer = context.Process(target=write_until_killed, args=(folder, tournament(), games, theirs, *moment))
        writer.start()
        theirs.close()
        with contextlib.suppress(EOFError, OSError):
            while True:  # until the writer is dead
                written = reports.recv()
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
        finished = Log(folder).finished()
        assert len(finished) >= written  # every game whose write returned is there
        assert equal(Log(folder).games(), games.rows(finished))
    assert len(finished) < len(games)
    last = context.Process(target=write_all, args=(folder, tournament(), games))
    last.start()
    last.join()
    assert last.exitcode == 0
    assert equal(Log(folder).games(), games)
    assert {path.suffix for path in folder.glob("games-*")} == {".parquet"}


def journal_of(folder, games):
    """A log whose writer died: its games are still in the journal. Returns the journal."""
    log = LogWriter(folder, tournament())
    for number in range(len(games)):
        log.write(games.rows(np.array([number])))
    log._abandon()
    (journal,) = folder.glob("*.journal")
    return journal


def test_a_torn_journal_entry_is_a_game_that_was_never_finished(tmp_path):
    folder, games = tmp_path / "log", invented(5)
    journal = journal_of(folder, games)
    os.truncate(journal, journal.stat().st_size - 1)
    assert equal(Log(folder).games(), games.rows(np.arange(4)))
    with LogWriter(folder, tournament(), resume=True) as log:
        log.write(games.rows(np.array([4])))
    assert equal(Log(folder).games(), games)


def test_a_journal_that_was_already_sealed_does_not_count(tmp_path):
    folder, games = tmp_path / "log", invented(5)
    journal = journal_of(folder, games)
    content = journal.read_bytes()
    LogWriter(folder, tournament(), resume=True).close()
    journal.write_bytes(content)  # the writer died between the part and the end of the journal
    assert equal(Log(folder).games(), games)
    LogWriter(folder, tournament(), resume=True).close()
    assert not journal.exists()
    assert equal(Log(folder).games(), games)


def test_an_empty_journal_leaves_nothing_behind(tmp_path):
    journal = journal_of(tmp_path / "log", invented(1))
    os.truncate(journal, 0)
    LogWriter(tmp_path / "log", tournament(), resume=True).close()
    assert not list((tmp_path / "log").glob("games-*"))


def test_a_damaged_journal_is_named_and_kept(tmp_path):
    journal = journal_of(tmp_path / "log", invented(5))
    content = bytearray(journal.read_bytes())
    content[len(content) // 2] ^= 1
    journal.write_bytes(content)
    for attempt in (
        lambda: Log(tmp_path / "log").games(),
        lambda: LogWriter(tmp_path / "log", tournament(), resume=True),
    ):
        with pytest.raises(KibitzError, match=r"games-000001\.journal is damaged"):
            attempt()
    assert journal.read_bytes() == content


def test_a_tail_of_zeros_costs_only_the_last_games(tmp_path):
    folder, games = tmp_path / "log", invented(5)
    journal = journal_of(folder, games)
    whole = journal.read_bytes()
    for kept in range(len(whole) - 40, len(whole), 7):
        journal.write_bytes(whole[:kept].ljust(len(whole) + 4096, b"\0"))
        assert len(Log(folder).finished()) >= 4
    journal.write_bytes(whole[:-300].ljust(len(whole), b"\0"))
    assert equal(Log(folder).games(), games.rows(np.arange(4)))
    with LogWriter(folder, tournament(), resume=True) as log:
        log.write(games.rows(np.array([4])))
    assert equal(Log(folder).games(), games)


def test_a_part_is_on_the_disk_before_its_journal_is_deleted(tmp_path, monkeypatch):
    done = []
    for name in ("fsync", "replace"):
        original = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, n=name, f=original: (done.append(n), f(*args)))
    unlink = Path.unlink
    monkeypatch.setattr(Path, "unlink", lambda path, **more: (done.append(path.suffix), unlink(path, **more)))
    log = LogWriter(tmp_path / "log", tournament())
    log.write(invented(5))
    done.clear()
    log.close()
    # the journal; the part and, once it has its name, its folder; only then is the journal superfluous
    assert done == ["fsync", "fsync", "replace", "fsync", ".journal"]


@pytest.fixture
def part(tmp_path):
    """The only part of a closed log."""
    with LogWriter(tmp_path / "log", tournament()) as log:
        log.write(invented(500))
    return tmp_path / "log" / "games-000001.parquet"


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_truncated_part_is_named_and_kept(part, share):
    os.truncate(part, int(part.stat().st_size * share))
    content = part.read_bytes()
    for attempt in (
        lambda: Log(part.parent).finished(),
        lambda: Log(part.parent).games(),
        lambda: LogWriter(part.parent, tournament(), resume=True),
    ):
        with pytest.raises(KibitzError, match=r"games-000001\.parquet is damaged or incomplete"):
            attempt()
    assert part.read_bytes() == content


def test_a_changed_byte_in_a_part_is_noticed(part):
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    with pytest.raises(KibitzError, match=r"games-000001\.parquet is damaged"):
        Log(part.parent).games()


FLIPS = 400 if os.environ.get("KIBITZ_SOAK") else 100


@pytest.mark.parametrize("checksum", [True, False], ids=["as written", "by an earlier version"])
def test_a_flipped_bit_is_noticed_or_harmless(part, checksum, monkeypatch):
    games, luck = invented(500), random.Random(7)
    if not checksum:
        monkeypatch.setattr("kibitz.records.columns.is_damaged", lambda path: False)
    content = part.read_bytes()
    harmless, sentences = 0, []
    for _ in range(FLIPS):
        damaged = bytearray(content)
        # Three of four in the last part of the file, which only the checksum of the whole file protects.
        place = (
            luck.randrange(len(content)) if luck.random() < 0.25 else luck.randrange(len(content) - 6000, len(content))
        )
        damaged[place] ^= 1 << luck.randrange(8)
        part.write_bytes(damaged)
        try:
            log = Log(part.parent)
            assert len(log.finished()) and log.row(3)
            same = equal(log.games(), games)
        except KibitzError as error:
            sentences.append(str(error))
        else:
            harmless += 1
            assert same or not checksum
    assert harmless < FLIPS / 2 or not checksum
    assert all("games-000001.parquet" in sentence and "\n" not in sentence for sentence in sentences)


def test_a_part_of_an_earlier_version_has_no_checksum_and_can_be_read(part, monkeypatch):
    content = part.read_bytes()
    begin = content.index(b"kibitz sha-256: ")
    part.write_bytes(content[:begin] + content[begin + 48 :])
    assert equal(Log(part.parent).games(), invented(500))


def test_other_tools_read_a_part_as_any_parquet_file(part):
    assert pq.read_table(part)["game"].to_pylist() == list(range(500))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xff"])
def test_a_damaged_index_is_named_and_kept(part, content):
    index = part.with_name("tournament.json")
    index.write_bytes(content)
    for attempt in (lambda: Log(part.parent), lambda: LogWriter(part.parent, tournament(), resume=True)):
        with pytest.raises(KibitzError, match=r"tournament\.json"):
            attempt()
    assert index.read_bytes() == content


def test_a_log_of_another_schema_is_refused(part):
    index = json.loads(part.with_name("tournament.json").read_text())
    part.with_name("tournament.json").write_text(json.dumps(index | {"schema": 99}))
    with pytest.raises(KibitzError, match="was written by a version of kibitz whose logs this version cannot read"):
        Log(part.parent)


def test_a_folder_without_a_log_is_named(tmp_path):
    with pytest.raises(KibitzError, match="There is no log in"):
        Log(tmp_path)


def test_a_log_is_not_overwritten(part):
    before = part.read_bytes()
    with pytest.raises(KibitzError, match="already contains the log of a tournament"):
        LogWriter(part.parent, tournament())
    assert part.read_bytes() == before


def test_a_folder_with_other_files_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(KibitzError, match="is not empty"):
        LogWriter(tmp_path, tournament(), resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_cannot_be_a_log_folder(tmp_path):
    (tmp_path / "log").write_text("x")
    with pytest.raises(KibitzError, match=r"Cannot write the log .*: file exists"):
        LogWriter(tmp_path / "log", tournament())


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (tournament(seed=2), "seed: 1, not 2"),
        (tournament(seed="1"), 'seed: 1, not "1"'),
        (tournament(bots=("random", "greedy")), r'bots: \["random", "random"\], not \["random", "greedy"\]'),
        (tournament() | {"paired": True}, "paired: absent, not true"),
        ({"game": "connect_four", "seed": 1, "bots": []}, "game: "),
    ],
)
def test_another_tournament_cannot_continue_a_log(part, other, sentence):
    with pytest.raises(KibitzError, match=sentence):
        LogWriter(part.parent, other, resume=True)
    assert equal(Log(part.parent).games(), invented(500))


def test_resuming_a_tournament_that_was_never_begun_begins_it(tmp_path):
    with LogWriter(tmp_path / "log", tournament(), resume=True) as log:
        log.write(invented(2))
    assert Log(tmp_path / "log").finished().tolist() == [0, 1]


def test_a_log_has_one_writer(tmp_path):
    first = LogWriter(tmp_path / "log", tournament())
    with pytest.raises(KibitzError, match=f"is being written by process {os.getpid()}"):
        LogWriter(tmp_path / "log", tournament(), resume=True)
    first.close()
    LogWriter(tmp_path / "log", tournament(), resume=True).close()


def test_a_closed_log_accepts_no_games(tmp_path):
    log = LogWriter(tmp_path / "log", tournament())
    log.close()
    log.close()
    with pytest.raises(KibitzError, match="is closed"):
        log.write(invented(1))


def test_a_full_disk_is_reported_in_one_sentence_and_loses_nothing(tmp_path, monkeypatch):
    games = invented(10)
    log = LogWriter(tmp_path / "log", tournament())
    log.write(games.rows(np.arange(4)))

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(KibitzError, match=r"Cannot write the log .*: the disk is full; the games in it are safe"):
        log.write(games.rows(np.arange(4, 10)))
    with pytest.raises(KibitzError, match="the disk is full"):  # as another thread would, which came too late
        log.write(games.rows(np.arange(4, 10)))
    log.close()  # does not raise again
    assert equal(Log(tmp_path / "log").games(), games.rows(np.arange(4)))
    monkeypatch.undo()
    with LogWriter(tmp_path / "log", tournament(), resume=True) as log:
        log.write(games.rows(np.arange(4, 10)))
    assert equal(Log(tmp_path / "log").games(), games)


LIMITED = """
import resource, sys
import numpy as np
from logged_games import invented, tournament
from kibitz import KibitzError
from kibitz.records import columns
from kibitz.records.log import LogWriter

log = LogWriter(sys.argv[1], tournament())
games = invented(2000)
log.write(games.rows(np.arange(1000)))
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
try:
    log.close() if sys.argv[2] == "close" else log.write(games.rows(np.arange(1000, 2000)))
except KibitzError as error:
    print(error)
log.close()
"""


@pytest.mark.parametrize("moment", ["write", "close"])
def test_a_limit_on_file_size_is_reported_and_loses_nothing(tmp_path, moment):
    folder = tmp_path / "log"
    path = os.pathsep.join([str(TOYS.parent), os.getcwd()])
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, folder, moment],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    assert run.stdout.count("\n") == 1
    assert ": file too large; the games in it are safe" in run.stdout
    assert equal(Log(folder).games(), invented(2000).rows(np.arange(1000)))
    assert not list(folder.glob("*.aside"))
    LogWriter(folder, tournament(), resume=True).close()
    assert equal(Log(folder).games(), invented(2000).rows(np.arange(1000)))
