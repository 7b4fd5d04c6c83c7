"""Tables in a database, SQLite and PostgreSQL: what is saved survives, and two servers never overwrite each other."""

import asyncio
import dataclasses
import sqlite3

import pytest
from stores import using
from visitors import serving, toy_catalogue

from kibitz.errors import KibitzError
from kibitz.web.database import FILE, default_folder, open_folder, open_postgresql
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import SavedElsewhere


@pytest.fixture(scope="module")
def snapshot(client):
    answer = client.ready_table("dicerace", "you", "you", seed=3)
    return client.run(client.room(answer["id"]).snapshot)


def later(snapshot, versions=1, **changes):
    return dataclasses.replace(snapshot, version=snapshot.version + versions, **changes)


def test_what_is_saved_is_there_when_the_store_is_opened_again(reopen, snapshot):
    async def save(store):
        assert await store.load(snapshot.id) is None
        await store.save(snapshot, None)
        await store.save(later(snapshot), snapshot.version)

    using(reopen(), save)
    assert using(reopen(), lambda store: store.load(snapshot.id)) == later(snapshot)
    assert using(reopen(), lambda store: store.load("another")) is None


def test_a_snapshot_that_does_not_follow_the_last_one_is_refused(reopen, snapshot):
    async def main(store):
        with pytest.raises(SavedElsewhere):
            await store.save(snapshot, 7)  # of what does not exist
        await store.save(snapshot, None)
        with pytest.raises(SavedElsewhere):
            await store.save(later(snapshot), None)  # of what exists
        await store.save(later(snapshot, 2), snapshot.version)
        with pytest.raises(SavedElsewhere):
            await store.save(later(snapshot, 3), snapshot.version)
        assert await store.load(snapshot.id) == later(snapshot, 2)

    using(reopen(), main)


def test_saves_at_the_same_time_are_all_saved(reopen, snapshot):
    tables = [dataclasses.replace(snapshot, id=f"table-{number}") for number in range(50)]

    async def main(store):
        await asyncio.gather(*[store.save(table, None) for table in tables])
        await asyncio.gather(*[store.save(later(table), table.version) for table in tables])
        return [await store.load(table.id) for table in tables]

    assert using(reopen(), main) == [later(table) for table in tables]


def test_one_that_fails_does_not_keep_the_others_from_being_saved(reopen, snapshot):
    class Unwritable(RoomSnapshot):
        def to_json(self):
            raise ValueError("not today")

    broken = Unwritable(**{**vars(snapshot), "id": "broken"})
    tables = [dataclasses.replace(snapshot, id=f"table-{number}") for number in range(3)]

    async def main(store):
        work = [store.save(table, None) for table in (tables[0], broken, *tables[1:])]
        results = await asyncio.gather(*work, return_exceptions=True)
        assert [type(result) for result in results] == [type(None), ValueError, type(None), type(None)]
        return [await store.load(table.id) for table in (*tables, broken)]

    assert using(reopen(), main) == [*tables, None]


def test_whoever_stops_waiting_for_a_save_disturbs_nobody(reopen, snapshot):
    other = dataclasses.replace(snapshot, id="other")

    async def main(store):
        given_up, patient = (asyncio.create_task(store.save(table, None)) for table in (snapshot, other))
        await asyncio.sleep(0)
        given_up.cancel()
        await patient
        return await store.load("other")

    assert using(reopen(), main) == other


def test_time_is_kept_and_never_goes_back(reopen):
    async def main(store):
        await store.keep_time(12.5)
        await store.keep_time(3.0)

    assert using(reopen(), lambda store: store.load_time()) == 0
    using(reopen(), main)
    assert using(reopen(), lambda store: store.load_time()) == 12.5


def test_a_game_goes_on_in_another_server_with_the_same_database(reopen):
    with serving(toy_catalogue(), reopen()) as client:
        with client.playing("dicerace", "you", "beginner", seed=8) as browser:
            browser.play(1)
            log = browser.my_turn()["log"]
            answer = {"id": browser.id, "token": browser.token}
        now = client.server.clock.now()
    with serving(toy_catalogue(), reopen()) as client:
        assert client.server.clock.now() >= now
        with client.at(answer) as browser:
            assert browser.table["log"] == log
            browser.play_on()


def test_what_another_server_has_saved_first_counts(reopen):
    """Only PostgreSQL is meant for two servers, but in either of them nothing may get lost."""
    store = reopen()
    with serving(toy_catalogue(), store) as client, client.playing("nim", "you", "you") as browser:
        elsewhere = later(client.run(client.room(browser.id).snapshot), 5)
        client.run(store.save, elsewhere, elsewhere.version - 5)
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "The table has changed in the meantime."
        assert browser.settled()["version"] == elsewhere.version
        assert browser.table["plies"] == 0
        assert browser.play(0)["plies"] == 1


# ------------------------------------------------------------------ what cannot be opened


def test_a_folder_serves_one_server_at_a_time(tmp_path):
    store = open_folder(tmp_path)
    with pytest.raises(KibitzError, match=r"^The tables in .* are being served by process \d+; wait for it to end\.$"):
        open_folder(tmp_path)
    asyncio.run(store.close())
    asyncio.run(open_folder(tmp_path).close())


def test_only_its_owner_can_look_into_the_folder(tmp_path):
    asyncio.run(open_folder(tmp_path / "deep" / "tables").close())
    assert (tmp_path / "deep" / "tables").stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_database_is_reported_in_a_sentence(tmp_path):
    (tmp_path / FILE).write_text("This is a poem, and longer than the header of a database would have to be. " * 20)
    with pytest.raises(KibitzError, match=r"^The database .*tables\.sqlite cannot be used \(.*not a database\)\.$"):
        open_folder(tmp_path)
    with pytest.raises(KibitzError, match="not a database"):  # and the folder is free again
        open_folder(tmp_path)


def test_a_folder_that_is_a_file_is_reported_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(KibitzError, match=r"^Tables cannot be kept in .*file \(File exists\)\.$"):
        open_folder(tmp_path / "file")


def test_the_database_of_a_newer_version_is_left_alone(tmp_path):
    asyncio.run(open_folder(tmp_path).close())
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(KibitzError, match="was written by a newer version of kibitz"):
        open_folder(tmp_path)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nonsense", "--database needs an address like postgresql://"),
        ("mysql://somewhere/tables", "--database needs PostgreSQL"),
        ("postgresql://me:password@/tables?host=/nowhere", "cannot be used"),
    ],
)
def test_a_database_that_cannot_be_reached_is_reported_without_its_password(address, words):
    with pytest.raises(KibitzError, match=words) as error:
        open_postgresql(address)
    assert "password" not in str(error.value)
    assert "\n" not in str(error.value)


def test_the_usual_folder_belongs_to_the_user():
    assert default_folder().is_absolute()
    assert default_folder().name == "kibitz"
