"""`kibitz backup`: all tables in one file, copied while a server runs, and back again, from and to either database."""

import asyncio
import dataclasses
import re
import sqlite3

import pytest
from visitors import serving, toy_catalogue

from kibitz.errors import KibitzError
from kibitz.web import backup
from kibitz.web.database import FILE, open_folder, open_postgresql, postgresql_url, sqlite_url
from kibitz.web.playthrough import Phase
from kibitz.web.store import TableQuery


class Place:
    """Somewhere to keep tables: its option on the command line, its URL, and how to open it."""

    def __init__(self, kind, request, folder):
        if kind == "sqlite":
            self.option, self.url, self.open = (
                ["--data", str(folder)],
                sqlite_url(folder / FILE),
                lambda: open_folder(folder),
            )
        else:
            address = request.getfixturevalue("postgres").new_database()
            self.option, self.url = ["--database", address], postgresql_url(address)
            self.open = lambda: open_postgresql(address)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    return Place(request.param, request, tmp_path / "tables")


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request, tmp_path):
    return Place(request.param, request, tmp_path / "other")


def nobody(done, total):
    pass


def contents(file):
    with sqlite3.connect(file) as database:
        return {
            table: sorted(database.execute(f"SELECT * FROM {table}").fetchall())
            for table in ("rooms", "room_owners", "server_time", "alembic_version")
        }


def test_a_game_goes_on_after_its_database_was_lost(run, place, other, tmp_path):
    file = tmp_path / "backup.sqlite"
    with (
        serving(toy_catalogue(), place.open()) as client,
        client.playing("dicerace", "you", "beginner", seed=8) as browser,
    ):
        browser.play(1)
        log = browser.my_turn()["log"]
        outcome = run("backup", str(file), *place.option)  # while the server runs
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith(f"Wrote 1 table to {file} (0.")
        browser.play(1)  # which is lost
        answer = {"id": browser.id, "token": browser.token}
    assert file.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["backup.sqlite"]
    outcome = run("backup", str(file), "--restore", *other.option)
    assert (outcome.code, outcome.out) == (0, f"Restored 1 table from {file}.\n")
    with serving(toy_catalogue(), other.open()) as client, client.at(answer) as browser:
        assert browser.table["log"] == log
        browser.play_on()
        own = client.http.get(
            "/api/tables/mine?stage=finished", headers={"authorization": f"Bearer {answer['token']}"}
        ).json()
        assert [table["id"] for table in own["tables"]] == [answer["id"]]


def test_a_backup_of_a_restored_backup_is_the_same(place, other, client, tmp_path):
    snapshot = client.run(client.room(client.ready_table("nim", "you", "beginner")["id"]).snapshot)

    store = place.open()

    async def fill():
        for number in range(7):
            await store.save(dataclasses.replace(snapshot, id=f"table-{number}"), None)
        await store.keep_time(12.5)
        await store.close()

    asyncio.run(fill())
    steps = []
    assert backup.back_up(place.url, tmp_path / "first", lambda *step: steps.append(step)) == 7
    assert steps[-1] == (7, 7)
    asyncio.run(other.open().close())
    assert backup.restore(tmp_path / "first", other.url, nobody) == 7
    backup.back_up(other.url, tmp_path / "second", nobody)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")
    with pytest.raises(KibitzError, match=r"^There are tables already; restore a backup into an empty"):
        backup.restore(tmp_path / "first", other.url, nobody)


def test_what_is_saved_during_a_backup_is_not_in_it(place, client, tmp_path, monkeypatch):
    """Neither as a whole nor in part: the copy is of one moment."""
    monkeypatch.setattr(backup, "ROWS_AT_ONCE", 2)
    snapshot = client.run(client.room(client.ready_table("nim", "you", "beginner")["id"]).snapshot)
    tables = [dataclasses.replace(snapshot, id=f"table-{number}") for number in range(6)]
    with serving(toy_catalogue(), place.open()) as running:
        for table in tables:
            running.run(running.server.store.save, table, None)

        def meanwhile(done, total):
            if done == 2:
                for table in tables:
                    later = dataclasses.replace(table, version=table.version + 1)
                    running.run(running.server.store.save, later, table.version)
                running.run(running.server.store.save, dataclasses.replace(snapshot, id="new"), None)
                running.run(running.server.store.delete, "table-0")

        assert backup.back_up(place.url, tmp_path / "backup", meanwhile) == 6
    rooms = contents(tmp_path / "backup")["rooms"]
    assert [row[:2] for row in rooms] == [(table.id, table.version) for table in tables]


def test_the_backup_of_an_older_version_is_restored(tmp_path, place):
    (tmp_path / "old").mkdir()
    old = sqlite_url(tmp_path / "old" / FILE)
    asyncio.run(backup.prepare(old, "0001"))
    with sqlite3.connect(tmp_path / "old" / FILE) as database:
        database.execute("INSERT INTO rooms VALUES ('a', 1, 'nim', 'over', 7.5, '{}')")
    backup.back_up(old, tmp_path / "backup", nobody)
    with sqlite3.connect(tmp_path / "backup") as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    before = (tmp_path / "backup").read_bytes()
    store = place.open()
    assert backup.restore(tmp_path / "backup", place.url, nobody) == 1
    assert (tmp_path / "backup").read_bytes() == before

    async def found():
        listings = await store.find(TableQuery((Phase.OVER,)), None, 10)
        await store.close()
        return listings

    assert asyncio.run(found()) == []  # its snapshot cannot be read, but it is not lost


# ------------------------------------------------------------------ what cannot be done


def test_a_file_that_exists_is_not_overwritten(run, tmp_path):
    asyncio.run(open_folder(tmp_path / "tables").close())
    (tmp_path / "backup").write_text("precious")
    outcome = run("backup", str(tmp_path / "backup"), "--data", str(tmp_path / "tables"))
    assert outcome.code == 2
    assert "exists already" in outcome.err
    assert (tmp_path / "backup").read_text() == "precious"


def test_a_backup_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    asyncio.run(open_folder(tmp_path / "tables").close())

    async def fail(*args):
        raise KibitzError("The power is out.")

    monkeypatch.setattr(backup, "_copy", fail)
    with pytest.raises(KibitzError, match="The power is out"):
        backup.back_up(sqlite_url(tmp_path / "tables" / FILE), tmp_path / "backup", nobody)
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["backup", "{}/b", "--data", "{}/nowhere"],
            r"There are no tables in .*/nowhere; --data names another folder\.",
        ),
        (["backup", "{}/no/b", "--data", "{}/tables"], r"The backup cannot be written to .*/no/b \(No such file"),
        (["backup", "{}/b", "--data", "{}/foreign"], r"No server has kept its tables there yet\."),
        (["backup", "{}/b", "--data", "{}/poem"], r"The database .* cannot be used \(.*not a database\)\."),
        (["backup", "{}/b", "--data", "x", "--database", "postgresql:///x"], "not in both"),
        (["backup", "{}/b", "--database", "mysql://x"], "needs PostgreSQL"),
        (["backup", "{}/b", "--database", "postgresql://me:word@/x?host=/nowhere"], "cannot be used"),
        (["backup", "{}/b", "--restore", "--data", "{}/new"], r"There is no file .*/b\."),
        (["backup", "{}/poem/tables.sqlite", "--restore", "--data", "{}/new"], "is not a backup of kibitz"),
        (["backup", "{}/foreign/tables.sqlite", "--restore", "--data", "{}/new"], "is not a backup of kibitz"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, tmp_path, arguments, words):
    asyncio.run(open_folder(tmp_path / "tables").close())
    for name in ("foreign", "poem"):
        (tmp_path / name).mkdir()
    sqlite3.connect(tmp_path / "foreign" / FILE).execute("CREATE TABLE recipes (cake TEXT)").connection.commit()
    (tmp_path / "poem" / FILE).write_text("This is a poem, and longer than the header of a database has to be. " * 20)
    outcome = run(*(argument.format(tmp_path) for argument in arguments))
    assert outcome.code == 2
    assert len(outcome.err.strip().splitlines()) == 1
    assert "word@" not in outcome.err
    assert re.search(words, outcome.err), outcome.err


def test_nothing_is_restored_under_a_running_server(run, tmp_path):
    store = open_folder(tmp_path / "tables")
    backup.back_up(sqlite_url(tmp_path / "tables" / FILE), tmp_path / "backup", nobody)
    outcome = run("backup", str(tmp_path / "backup"), "--restore", "--data", str(tmp_path / "tables"))
    assert outcome.code == 2
    assert "are being served by process" in outcome.err
    asyncio.run(store.close())
