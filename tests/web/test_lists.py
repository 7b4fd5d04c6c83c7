"""Lists of tables: what is in them, in memory and in databases, how they are paged, and what they never tell."""

import asyncio
import dataclasses
import itertools
import json
import re
import sqlite3

import pytest
import sqlalchemy as sa
from stores import using
from visitors import bearing, serving, toy_catalogue

from kibitz.errors import KibitzError
from kibitz.web.access import Access, Grant, new_token, visitor_with
from kibitz.web.database import FILE, open_folder
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.events import Closed
from kibitz.web.limits import TooOften
from kibitz.web.playthrough import Phase
from kibitz.web.store import DAY, UNFINISHED, MemoryStore, Retention, TableQuery

ADA, BOB = "a" * 64, "b" * 64
OPEN, RUNNING, FINISHED = (TableQuery((phase,)) for phase in (Phase.GATHERING, Phase.PLAYING, Phase.OVER))


@pytest.fixture(scope="module")
def snapshot(client):
    """A game in progress, which is nobody's and not listed."""
    answer = client.ready_table("nim:heap=7", "you", "beginner")
    return dataclasses.replace(client.run(client.room(answer["id"]).snapshot), grants=())


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def new_store(request, tmp_path):
    """Makes a store, once, with a clock that the test moves."""
    now = itertools.count(1_000_000_000.25)

    def make(**retention):
        if request.param == "memory":
            return MemoryStore(Retention(**retention), now=lambda: next(now))
        if request.param == "sqlite":
            store = open_folder(tmp_path / "tables", Retention(**retention))
        else:
            from kibitz.web.database import open_postgresql

            address = request.getfixturevalue("postgres").new_database()
            store = open_postgresql(address, Retention(**retention))
        store._now = lambda: next(now)
        return store

    return make


def table(snapshot, key, *, listed=True, over=False, host=None, guest=None, game=None):
    """A variation of a snapshot."""
    grants = [Grant(host, (0,), True)] if host else []
    grants += [Grant(guest, (1,), False)] if guest else []
    ending = {"ending": Ending(EndingKind.CLOSED, None, ""), "events": (*snapshot.events, Closed())} if over else {}
    return dataclasses.replace(
        snapshot, id=key, is_listed=listed, grants=tuple(grants), game=game or snapshot.game, **ending
    )


async def ids(store, query, before=None, most=100):
    return [listing.id for listing in await store.find(query, before, most)]


async def save_all(store, *tables):
    for one in tables:
        await store.save(one, None)


def test_lists_show_what_is_listed_by_phase_and_game_the_latest_first(new_store, snapshot):
    async def main(store):
        waiting = dataclasses.replace(snapshot.seats[1], bot=None, is_open=True)
        wanted = dataclasses.replace(table(snapshot, "open"), seats=(snapshot.seats[0], waiting))
        await save_all(
            store,
            table(snapshot, "first"),
            table(snapshot, "hidden", listed=False),
            table(snapshot, "over", over=True),
            table(snapshot, "other", game="dicerace"),
            wanted,
        )
        assert await ids(store, RUNNING) == ["other", "first"]
        assert await ids(store, FINISHED) == ["over"]
        assert await ids(store, OPEN) == ["open"]
        assert await ids(store, dataclasses.replace(RUNNING, game="nim")) == ["first"]
        assert await ids(store, dataclasses.replace(RUNNING, game="chess")) == []
        assert await ids(store, TableQuery(UNFINISHED)) == ["open", "other", "first"]
        assert await store.counts((OPEN, RUNNING, FINISHED), 1) == [1, 1, 1]
        assert await store.counts([RUNNING], 100) == [2]
        (listing,) = await store.find(FINISHED, None, 100)
        assert (listing.phase, listing.summary, listing.access) == (Phase.OVER, snapshot.summary, Access())

    using(new_store(), main)


def test_a_table_keeps_its_place_until_its_phase_changes(new_store, snapshot):
    async def main(store):
        await save_all(store, table(snapshot, "first"), table(snapshot, "second"))
        (before,) = await store.find(RUNNING, (await store.find(RUNNING, None, 1))[0].place, 1)
        moved = dataclasses.replace(table(snapshot, "first"), version=snapshot.version + 1)
        await store.save(moved, snapshot.version)
        assert await ids(store, RUNNING) == ["second", "first"]
        await store.save(
            dataclasses.replace(table(snapshot, "first", over=True), version=moved.version + 1), moved.version
        )
        (over,) = await store.find(FINISHED, None, 1)
        assert over.since > before.since

    using(new_store(), main)


def test_a_list_is_read_page_by_page_without_gaps_or_repetitions(new_store, snapshot):
    async def main(store):
        store._now = lambda: 1e9 + 0.123456  # all at once: only the ids tell them apart
        keys = [f"table-{number:02}" for number in range(25)]
        await save_all(store, *[table(snapshot, key) for key in keys])
        pages, before = [], None
        while page := await store.find(RUNNING, before, 7):
            pages.append([listing.id for listing in page])
            before = page[-1].place
        assert [len(page) for page in pages] == [7, 7, 7, 4]
        assert sorted(itertools.chain(*pages)) == keys

    using(new_store(), main)


def test_own_tables_are_those_that_one_has_set_up_or_plays_at(new_store, snapshot):
    async def main(store):
        await save_all(
            store,
            table(snapshot, "mine", host=ADA, listed=False),
            table(snapshot, "joined", host=BOB, guest=ADA),
            table(snapshot, "theirs", host=BOB),
            table(snapshot, "done", host=ADA, over=True),
        )
        own = TableQuery(UNFINISHED, visitor=ADA, own=True)
        found = await store.find(own, None, 100)
        assert [(listing.id, listing.access) for listing in found] == [
            ("joined", Access((1,), host=False)),
            ("mine", Access((0,), host=True)),
        ]
        assert await store.counts([own], 100) == [2]
        assert await ids(store, dataclasses.replace(FINISHED, visitor=ADA, own=True)) == ["done"]
        assert await ids(store, dataclasses.replace(own, visitor=None)) == []
        everyone = dataclasses.replace(RUNNING, visitor=BOB)
        assert [(found.id, found.access) for found in await store.find(everyone, None, 100)] == [
            ("theirs", Access((0,), host=True)),
            ("joined", Access((0,), host=True)),
        ]
        assert [found.access for found in await store.find(RUNNING, None, 100)] == [Access(), Access()]
        left = dataclasses.replace(
            table(snapshot, "joined", host=BOB), version=snapshot.version + 1
        )  # a bot has taken the seat
        await store.save(left, snapshot.version)
        assert await ids(store, own) == ["mine"]

    using(new_store(), main)


def test_what_is_deleted_is_gone(new_store, snapshot):
    async def main(store):
        await save_all(store, table(snapshot, "gone", host=ADA), table(snapshot, "kept", host=ADA))
        await store.delete("gone")
        await store.delete("never there")
        assert await store.load("gone") is None
        assert await ids(store, TableQuery(UNFINISHED, visitor=ADA, own=True)) == ["kept"]
        later = dataclasses.replace(table(snapshot, "gone"), version=snapshot.version + 1)
        with pytest.raises(KibitzError, match="Another server has changed this table"):
            await store.save(later, snapshot.version)

    using(new_store(), main)


# ------------------------------------------------------------------ what is dropped


def test_a_full_store_drops_the_finished_table_that_was_opened_longest_ago(new_store, snapshot):
    async def main(store):
        await save_all(
            store,
            table(snapshot, "going-on"),
            table(snapshot, "looked-at", over=True),
            table(snapshot, "old", over=True),
            table(snapshot, "new", over=True),
        )
        now = store._now()
        store._now = lambda: now + 2 * DAY
        assert await store.load("looked-at")
        await store.save(table(snapshot, "another"), None)
        assert [await store.load(key) is not None for key in ("going-on", "looked-at", "old", "new", "another")] == [
            True, True, False, True, True,
        ]  # fmt: skip

    using(new_store(tables=4), main)


def test_a_full_store_refuses_another_table_but_no_change(new_store, snapshot):
    async def main(store):
        await store.save(table(snapshot, "first"), None)
        with pytest.raises(KibitzError, match="All tables of this server are in use"):
            await store.save(table(snapshot, "another"), None)
        await store.save(dataclasses.replace(table(snapshot, "first"), version=99), snapshot.version)
        assert (await store.load("first")).version == 99
        assert await store.load("another") is None

    using(new_store(tables=1), main)


def test_nobody_keeps_more_than_their_share(new_store, snapshot):
    async def main(store):
        await save_all(
            store,
            table(snapshot, "other", host=BOB, guest=ADA, over=True),  # which counts for Bob
            table(snapshot, "done", host=ADA, over=True),
            table(snapshot, "playing", host=ADA),
            table(snapshot, "next", host=ADA),
        )
        assert await store.load("done") is None
        assert await store.load("other") is not None
        with pytest.raises(TooOften, match="You have 2 unfinished games here"):
            await store.save(table(snapshot, "too-many", host=ADA), None)
        await store.save(table(snapshot, "hers", host=BOB), None)

    using(new_store(tables_each=2), main)


def test_what_has_not_been_used_for_long_is_dropped(new_store, snapshot):
    async def main(store):
        await save_all(
            store,
            table(snapshot, "left"),
            table(snapshot, "watched"),
            table(snapshot, "done", over=True),
            table(snapshot, "opened", over=True),
        )
        now = store._now()
        store._now = lambda: now + 29 * DAY
        assert await store.drop_expired([]) == 0
        store._now = lambda: now + 31 * DAY
        assert await store.drop_expired(["watched", "not here"]) == 1
        assert await store.load("left") is None
        assert await store.load("opened")
        store._now = lambda: now + 60 * DAY
        assert await store.drop_expired([]) == 0
        store._now = lambda: now + 366 * DAY
        assert await store.drop_expired([]) == 2
        assert await ids(store, TableQuery((*UNFINISHED, Phase.OVER))) == ["opened"]

    using(new_store(), main)


def test_many_old_tables_are_dropped_some_at_a_time(new_store, snapshot, monkeypatch):
    monkeypatch.setattr("kibitz.web.database.MOST_DROPPED", 3)

    async def main(store):
        await save_all(store, *[table(snapshot, str(number), host=ADA) for number in range(8)])
        store._now = lambda: 2e9
        assert await store.drop_expired([]) == 8
        assert await store.counts([TableQuery(UNFINISHED, visitor=ADA, own=True)], 100) == [0]

    using(new_store(), main)


def test_a_server_drops_old_tables_when_it_starts(snapshot):
    store = MemoryStore(now=lambda: 0.0)
    asyncio.run(store.save(snapshot, None))
    store._now = lambda: 31 * DAY
    with serving(toy_catalogue(), store) as client:
        client.wait_for(lambda: len(store) == 0)


# ------------------------------------------------------------------ in a database


@pytest.mark.parametrize(
    ("query", "plan"),
    [
        (
            TableQuery((Phase.OVER,), visitor=ADA, game="nim"),
            ["SEARCH rooms USING INDEX rooms_in_lists_by_game", "SEARCH room_owners USING INDEX"],
        ),
        (
            TableQuery((Phase.OVER,), visitor=ADA),
            ["SEARCH rooms USING INDEX rooms_in_lists", "SEARCH room_owners USING INDEX"],
        ),
        (
            TableQuery((Phase.OVER,), visitor=ADA, own=True),
            ["SEARCH room_owners USING INDEX", "SEARCH rooms USING INDEX", "USE TEMP B-TREE FOR ORDER BY"],
        ),
    ],
)
def test_lists_are_read_from_an_index(tmp_path, query, plan):
    plans = []

    async def main(store):
        with sqlite3.connect(tmp_path / FILE) as database:

            def explain(connection, cursor, statement, parameters, context, many):
                if statement.startswith("SELECT rooms.id"):
                    plans.extend(row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))

            sa.event.listen(store._engine.sync_engine, "before_cursor_execute", explain)
            await store.find(query, (1e9, "x"), 10)

    using(open_folder(tmp_path), main)
    found = [re.sub(r" (sqlite_autoindex_\w+ )?\(.*| LEFT-JOIN", "", step) for step in plans]
    assert found == plan


def test_the_tables_of_the_first_version_are_brought_up_to_date(tmp_path, snapshot):
    old = table(snapshot, "old", host=ADA)
    asyncio.run(open_folder(tmp_path).close())
    document = json.loads(old.to_json()) | {"format": 5}
    del document["is_listed"], document["summary"]
    with sqlite3.connect(tmp_path / FILE) as database:
        for index in ("rooms_in_lists", "rooms_in_lists_by_game", "rooms_by_use"):
            database.execute(f"DROP INDEX {index}")
        database.execute("DROP TABLE room_owners")
        for column in ("since", "is_listed", "summary"):
            database.execute(f"ALTER TABLE rooms DROP COLUMN {column}")
        database.execute("ALTER TABLE rooms RENAME COLUMN used_at TO saved_at")
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        values = ("old", old.version, "nim", "playing", 1e9, json.dumps(document))
        insert = "INSERT INTO rooms (id, version, game, phase, saved_at, snapshot) VALUES (?, ?, ?, ?, ?, ?)"
        database.execute(insert, values)
        database.execute(insert, ("unreadable", 1, "nim", "playing", 1e9, '{"format": 2}'))

    async def main(store):
        (listing,) = await store.find(TableQuery(UNFINISHED, visitor=ADA, own=True), None, 10)
        assert (listing.id, listing.since, listing.access) == ("old", 1e9, Access((0,), host=True))
        assert await ids(store, RUNNING) == []
        found = await store.load("old")
        assert dataclasses.replace(found, summary=old.summary) == dataclasses.replace(old, is_listed=False)
        assert [seat.name for seat in found.summary.seats] == ["Player 1", "Beginner"]

    using(open_folder(tmp_path), main)


# ------------------------------------------------------------------ over HTTP


@pytest.fixture
def server():
    with serving(toy_catalogue()) as client:
        yield client


def listed(client, stage, token=None, **more):
    """The tables of a list; with a token, one's own."""
    address, headers = ("/api/tables/mine", bearing(token)) if token else ("/api/tables", {})
    answer = client.http.get(address, params={"stage": stage, **more}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_open_table_is_found_joined_watched_and_replayed(server):
    answer = server.ready_table("nim:heap=3", "you", "open", listed=True)
    (found,) = listed(server, "open")["tables"]
    assert found["id"] == answer["id"]
    assert (found["title"], found["game"], found["plies"]) == ("Nim", "nim:heap=3", 0)
    assert [(seat["name"], seat["open"], seat["you"]) for seat in found["seats"]] == [
        ("Player 1", False, False),
        ("Open seat", True, False),
    ]
    guest = server.join(answer["id"], "Grace")
    assert listed(server, "open")["tables"] == []
    (found,) = listed(server, "running")["tables"]
    assert [seat["name"] for seat in found["seats"]] == ["Player 1", "Grace"]
    (found,) = listed(server, "unfinished", guest["token"])["tables"]
    assert [seat["you"] for seat in found["seats"]] == [False, True]
    with server.at(answer) as browser:
        browser.play(2)
    page = listed(server, "finished")
    assert page["counts"] == {"open": 0, "running": 0, "finished": 1, "mine": 0}
    assert page["next"] is None
    (found,) = page["tables"]
    assert (found["plies"], found["result"]) == (1, "Player 1 wins.")
    assert [seat["won"] for seat in found["seats"]] == [True, False]
    assert 0 <= page["now"] - found["since"] < 600


def test_a_table_is_not_listed_unless_it_was_wished(server):
    answer = server.ready_table("nim", "you", "open")
    assert listed(server, "open")["tables"] == []
    (found,) = listed(server, "unfinished", answer["token"])["tables"]
    assert found["id"] == answer["id"]


def test_records_are_listed_only_for_whoever_opened_them(server):
    answer = server.ready_table("nim:heap=3", "you", "you", listed=True)
    with server.at(answer) as browser:
        browser.play(2)
    record = server.http.get(f"/api/tables/{answer['id']}/record").json()
    server.http.delete(f"/api/tables/{answer['id']}", headers=bearing(answer["token"]))
    token = new_token()
    opened = server.http.post("/api/records", json=record, headers=bearing(token)).json()
    assert listed(server, "finished")["tables"] == []
    (found,) = listed(server, "finished", token)["tables"]
    assert (found["id"], found["may_delete"]) == (opened["id"], True)


def test_a_rematch_is_listed_as_the_first_game_was(server):
    answer = server.ready_table("nim:heap=3", "you", "you", listed=True)
    with server.at(answer) as browser:
        browser.play(2)
        browser.send("rematch")
        again = browser.next("moved")["id"]
    server.wait_for(lambda: server.room(again).phase is Phase.PLAYING and server.room(again).is_published)
    assert [table["id"] for table in listed(server, "running")["tables"]] == [again]


def test_a_list_is_paged_over_http(server):
    for number in range(30):
        server.ready_table(f"nim:heap={number % 2 + 3}", "you", "you", listed=True)
    server.wait_for(lambda: all(server.room(key).is_published for key in list(server.server.lobby._open)))
    first = listed(server, "running")
    rest = listed(server, "running", before=first["next"])
    assert (len(first["tables"]), len(rest["tables"]), rest["next"]) == (24, 6, None)
    assert len({table["id"] for table in first["tables"] + rest["tables"]}) == 30
    assert first["counts"]["running"] == 30
    assert listed(server, "running", game="dicerace")["tables"] == []


@pytest.mark.parametrize(
    "query",
    [
        "", "stage=", "stage=preparing", "stage=unfinished", "stage=open&before=", "stage=open&before=x",
        "stage=open&before=nan_x", "stage=open&before=1e9_x", "stage=open&before=1.0_", "stage=open&before=1.0_a%00",
        f"stage=open&game={'x' * 300}", "stage=open&stage=wrong",
    ],
)  # fmt: skip
def test_a_malformed_query_is_refused_in_one_sentence(client, query):
    answer = client.http.get(f"/api/tables?{query}")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Malformed request: ")
    assert answer.json()["error"].endswith(".")


def test_lists_tell_nothing_that_a_spectator_may_not_know(server):
    answer = server.ready_table("highcard", "you", "you", "beginner", listed=True, seed=424242)
    with server.at(answer) as browser:
        browser.play(browser.table["moves"][0]["move"])
    text = server.http.get("/api/tables?stage=running").text
    (found,) = json.loads(text)["tables"]
    assert set(found) == {
        "id", "game", "title", "phase", "since", "seats", "plies", "result", "clock", "may_delete",
    }  # fmt: skip
    assert set(found["seats"][0]) == {"name", "bot", "open", "you", "won"}
    assert "424242" not in text
    assert answer["token"] not in text
    assert visitor_with(answer["token"]) not in text


# ------------------------------------------------------------------ deleting


def delete(client, answer, token):
    return client.http.delete(f"/api/tables/{answer['id']}", headers=bearing(token) if token else {})


@pytest.mark.parametrize("is_open", [True, False])
def test_a_game_against_bots_is_deleted(server, is_open):
    answer = server.ready_table("nim", "you", "beginner", listed=True)
    if not is_open:
        assert server.run(server.server.lobby.put_away, server.room(answer["id"]))
    assert delete(server, answer, new_token()).status_code == 422
    assert delete(server, answer, None).status_code == 422
    assert delete(server, answer, answer["token"]).status_code == 200
    assert server.room(answer["id"]) is None
    assert listed(server, "running")["tables"] == []
    assert listed(server, "unfinished", answer["token"])["tables"] == []
    assert delete(server, answer, answer["token"]).status_code == 404


def test_who_is_at_a_table_that_is_deleted_is_sent_away(server):
    answer = server.ready_table("nim", "you", "beginner")
    with server.at(answer) as browser:
        assert delete(server, answer, answer["token"]).status_code == 200
        assert browser.session.receive()["code"] == 1012
    with server.http.websocket_connect(f"/ws/{answer['id']}") as session:
        assert "no longer exists" in session.receive_json()["error"]


def test_a_table_with_other_people_is_deleted_only_before_or_after_the_game(server):
    answer = server.ready_table("nim:heap=3", "you", "open")
    guest = server.join(answer["id"], "Grace")
    for token in (answer["token"], guest["token"]):
        (found,) = listed(server, "unfinished", token)["tables"]
        assert not found["may_delete"]
        assert "not while others play" in delete(server, answer, token).json()["error"]
    with server.at(answer) as browser:
        browser.play(2)
    assert delete(server, answer, guest["token"]).status_code == 422
    (found,) = listed(server, "finished", answer["token"])["tables"]
    assert found["may_delete"]
    assert delete(server, answer, answer["token"]).status_code == 200


def test_a_table_that_nobody_has_joined_is_deleted(server):
    answer = server.ready_table("nim", "you", "open")
    assert delete(server, answer, answer["token"]).status_code == 200


def test_a_table_whose_game_is_not_available_any_more_is_deleted():
    store = MemoryStore()
    with serving(toy_catalogue(), store) as client:
        answer = client.ready_table("nim", "you", "beginner")
    with serving(None, store) as client:
        assert client.http.get(f"/api/tables/{answer['id']}/record").status_code == 422
        assert delete(client, answer, answer["token"]).status_code == 200
    assert len(store) == 0
