"""Where tables are kept: the store in memory, the lobby of open rooms, and how rooms are saved."""

import asyncio
import dataclasses

import pytest
from slow_store import SlowStore
from visitors import serving, toy_catalogue

from kibitz.errors import KibitzError
from kibitz.web.access import Access
from kibitz.web.lobby import Lobby
from kibitz.web.playthrough import Phase
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import MemoryStore, SavedElsewhere


@pytest.fixture(scope="module")
def snapshots(client):
    """A snapshot of a game in progress and one of a finished game."""
    answer = client.ready_table("nim:heap=3", "you", "you")
    room = client.room(answer["id"])
    going_on = client.run(room.snapshot)
    client.run(room.play, Access((0, 1)), 2, room.version)
    return going_on, client.run(room.snapshot)


# ------------------------------------------------------------------ in memory


def test_a_store_gives_back_the_last_snapshot(snapshots):
    store, (going_on, finished) = MemoryStore(), snapshots
    assert asyncio.run(store.load(going_on.id)) is None
    asyncio.run(store.save(going_on, None))
    asyncio.run(store.save(finished, going_on.version))
    assert asyncio.run(store.load(going_on.id)) == finished
    assert len(store) == 1


# ------------------------------------------------------------------ open rooms


class FakeAudience:
    """Notes what it is told."""

    def __init__(self, watchers):
        self.watchers, self.told = watchers, []

    def notify(self, words):
        self.told.append(words)


class FakeRoom:
    """As much of a room as the lobby needs."""

    def __init__(self, key, watchers=(), last_used=0.0, phase=Phase.PLAYING):
        self.id, self.last_used, self.phase = key, last_used, phase
        self.version, self.closed, self.published = 0, False, []
        self.audience = FakeAudience(watchers)
        self.on_change = lambda: None

    def snapshot(self):
        return FakeSnapshot(self.id, self.version)

    def change(self):
        self.version += 1
        self.on_change()

    def publish(self):
        self.published.append(self.version)

    def close(self):
        self.closed = True


@dataclasses.dataclass(frozen=True)
class FakeSnapshot:
    id: str
    version: int


class FakeStore:
    """A store whose saves wait until the test lets them through, or fail."""

    def __init__(self):
        self.kept, self.begun, self.loads = {}, [], []
        self.gate = asyncio.Event()
        self.gate.set()
        self.error = None

    async def load(self, key):
        self.loads.append(key)
        await asyncio.sleep(0)
        return self.kept.get(key)

    async def save(self, snapshot, after):
        self.begun.append(snapshot.version)
        await self.gate.wait()
        if self.error:
            raise self.error
        before = self.kept.get(snapshot.id)
        if (before and before.version) != after:
            raise SavedElsewhere
        self.kept[snapshot.id] = snapshot


class FakeMaker:
    """Makes rooms of snapshots."""

    async def restore(self, snapshot, leads):
        room = FakeRoom(snapshot.id)
        room.leads = leads
        await self.go_on(room, snapshot)
        return room

    async def go_on(self, room, snapshot):
        await asyncio.sleep(0)
        room.version = snapshot.version


async def turns(count=20):
    """Let everything else in the event loop go on."""
    for _ in range(count):
        await asyncio.sleep(0)


def in_lobby(most=500):
    """Run an async test with a store and a lobby."""

    def run(test):
        async def main():
            store = FakeStore()
            await test(store, Lobby(store, FakeMaker(), most))

        return lambda: asyncio.run(main())

    return run


@in_lobby()
async def test_a_new_room_is_saved_before_anybody_is_told_of_it(store, lobby):
    store.gate.clear()
    adding = asyncio.create_task(lobby.add(FakeRoom("a")))
    await turns()
    assert (store.begun, adding.done(), len(lobby)) == ([0], False, 0)
    store.gate.set()
    await adding
    assert lobby.find("a") is await lobby.get("a")
    assert store.loads == []


@in_lobby()
async def test_a_room_that_cannot_be_saved_is_not_added(store, lobby):
    store.error = KibitzError("All tables are in use.")
    with pytest.raises(KibitzError):
        await lobby.add(FakeRoom("a"))
    assert len(lobby) == 0


@in_lobby()
async def test_what_changes_while_a_new_room_is_being_saved_is_saved_too(store, lobby):
    room = FakeRoom("a")
    store.gate.clear()
    adding = asyncio.create_task(lobby.add(room))
    await turns()
    room.change()
    store.gate.set()
    await adding
    await turns()
    assert store.begun == [0, 1]
    assert store.kept["a"].version == 1


@in_lobby()
async def test_every_change_is_saved(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    for version in (1, 2, 3):
        room.change()
        await turns()
        assert store.kept["a"].version == version
    assert store.begun == [0, 1, 2, 3]


@in_lobby()
async def test_saves_keep_their_order_and_the_last_change_is_never_lost(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    store.gate.clear()
    for _ in range(5):
        room.change()
        await turns()
    assert store.begun == [0, 1]  # one at a time
    assert store.kept["a"].version == 0
    store.gate.set()
    await turns()
    assert store.begun == [0, 1, 5]
    assert store.kept["a"].version == 5


@in_lobby()
async def test_a_save_that_fails_is_reported_and_tried_again(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    store.error = OSError("disk full")
    room.change()
    await turns()
    assert room.audience.told == ["The server could not save this game; it is trying again."]
    assert store.kept["a"].version == 0
    store.error = None
    room.change()
    await lobby.close()
    assert store.kept["a"].version == 2


def test_a_failed_save_is_tried_again_after_a_while(monkeypatch):
    monkeypatch.setattr("kibitz.web.room_saver.RETRY_SECONDS", 0)

    async def main():
        store = FakeStore()
        lobby, room = Lobby(store, FakeMaker()), FakeRoom("a")
        await lobby.add(room)
        store.error = OSError("disk full")
        room.change()
        while len(store.begun) < 4:
            await asyncio.sleep(0)
        assert store.kept["a"].version == 0
        store.error = None
        await turns()
        assert store.kept["a"].version == 1

    asyncio.run(main())


def test_the_log_says_why_a_table_could_not_be_saved(caplog):
    async def main():
        store = FakeStore()
        lobby, room = Lobby(store, FakeMaker()), FakeRoom("a")
        await lobby.add(room)
        store.error = OSError("disk full")
        room.change()
        await turns()

    asyncio.run(main())
    assert "Table a could not be saved." in caplog.text
    assert "disk full" in caplog.text


@in_lobby(most=2)
async def test_a_full_lobby_puts_away_the_room_that_was_deserted_first(store, lobby):
    rooms = [FakeRoom("a", last_used=2.0), FakeRoom("b", last_used=1.0)]
    for room in rooms:
        await lobby.add(room)
    await lobby.add(FakeRoom("c"))
    assert [room.closed for room in rooms] == [False, True]
    assert (lobby.find("b"), len(lobby)) == (None, 2)


@pytest.mark.parametrize("room", [FakeRoom("a", watchers=("me",)), FakeRoom("a", phase=Phase.PREPARING)])
def test_a_room_in_use_is_not_put_away(room):
    async def main():
        store = FakeStore()
        lobby = Lobby(store, FakeMaker(), most=1)
        await lobby.add(room)
        with pytest.raises(KibitzError, match="All tables of this server are in use"):
            await lobby.add(FakeRoom("another"))
        assert lobby.find("a") is room
        assert not room.closed

    asyncio.run(main())


@in_lobby(most=1)
async def test_a_room_is_saved_before_it_is_put_away(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    store.gate.clear()
    room.change()
    adding = asyncio.create_task(lobby.add(FakeRoom("b")))
    await turns()
    assert lobby.find("a") is room
    store.gate.set()
    await adding
    assert store.kept["a"].version == 1
    assert (await lobby.get("a")).version == 1


@in_lobby()
async def test_a_room_that_cannot_be_saved_is_not_put_away(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    store.error = OSError("disk full")
    room.change()
    assert not await lobby.put_away(room)
    assert lobby.find("a") is room


@in_lobby()
async def test_a_room_stays_open_if_somebody_comes_while_it_is_saved(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    store.gate.clear()
    room.change()
    leaving = asyncio.create_task(lobby.put_away(room))
    await turns()
    room.audience.watchers = ("me",)
    store.gate.set()
    assert not await leaving
    assert await lobby.get("a") is room


@in_lobby()
async def test_a_room_that_was_put_away_is_restored_once_for_all_who_ask(store, lobby):
    room = FakeRoom("a")
    await lobby.add(room)
    assert await lobby.put_away(room)
    assert room.closed
    found = await asyncio.gather(*[lobby.get("a") for _ in range(5)])
    assert len(set(map(id, found))) == 1
    assert found[0] is not room
    assert store.loads == ["a"]


@in_lobby(most=2)
async def test_several_new_rooms_at_once_find_their_places(store, lobby):
    for key in "ab":
        await lobby.add(FakeRoom(key))
    await asyncio.gather(*[lobby.add(FakeRoom(key)) for key in "cd"])
    assert all([(await lobby.get(key)).id == key for key in "abcd"])


def test_a_restored_room_that_has_changed_by_itself_is_saved():
    class Beginner(FakeMaker):
        async def restore(self, snapshot, leads):
            room = await super().restore(snapshot, leads)
            room.version += 1
            return room

    async def main():
        store = FakeStore()
        store.kept["a"] = FakeSnapshot("a", 0)
        await Lobby(store, Beginner()).get("a")
        await turns()
        assert store.kept["a"].version == 1

    asyncio.run(main())


@in_lobby()
async def test_changes_to_a_restored_room_are_saved(store, lobby):
    await lobby.add(FakeRoom("a"))
    await lobby.put_away(lobby.find("a"))
    (await lobby.get("a")).change()
    await turns()
    assert store.kept["a"].version == 1


@in_lobby()
async def test_a_visitor_who_hangs_up_leaves_the_others_waiting(store, lobby):
    await lobby.add(FakeRoom("a"))
    await lobby.put_away(lobby.find("a"))
    first, second = (asyncio.create_task(lobby.get("a")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).id == "a"


@in_lobby()
async def test_a_room_that_was_never_there_is_none(store, lobby):
    assert await lobby.get("nowhere") is None
    assert await lobby.get("nowhere") is None
    assert store.loads == ["nowhere", "nowhere"]


@in_lobby()
async def test_closing_saves_what_is_not_saved_yet(store, lobby):
    rooms = [FakeRoom(key) for key in "ab"]
    for room in rooms:
        await lobby.add(room)
        room.change()
    await lobby.close()
    assert [store.kept[key].version for key in "ab"] == [1, 1]
    assert all(room.closed for room in rooms)
    assert len(lobby) == 0


# ------------------------------------------------------------------ a server with a slow store


def test_a_server_that_is_started_again_goes_on_with_its_tables():
    store = SlowStore(0.01)
    with serving(toy_catalogue(), store) as client, client.playing("dicerace", "you", "beginner", seed=8) as browser:
        browser.play(1)
        log = browser.my_turn()["log"]
        answer = {"id": browser.id, "token": browser.token}
    with serving(toy_catalogue(), store) as client, client.at(answer) as browser:
        assert browser.table["log"] == log
        assert browser.table["you"] == [0]
        browser.play_on()
        result = browser.table["result"], browser.table["log"]
    with serving(toy_catalogue(), store) as client, client.at(answer) as browser:
        assert (browser.table["result"], browser.table["log"]) == result


def test_the_last_move_is_saved_although_the_server_stops_at_once():
    store = SlowStore(0.05)
    with serving(toy_catalogue(), store) as client, client.playing("nim", "you", "you") as browser:
        for _ in range(5):
            browser.play(0)
    assert store.versions == sorted(store.versions)
    assert len(RoomSnapshot.from_json(store.texts[browser.id]).events) == 5


def test_a_token_that_is_handed_out_later_is_saved():
    store = SlowStore()
    with serving(toy_catalogue(), store) as client:
        answer = client.ready_table("nim", "you", "you")
        token = client.admit(answer["id"], Access((1,)))
    with serving(toy_catalogue(), store) as client, client.at({"id": answer["id"], "token": token}) as browser:
        assert browser.table["you"] == [1]


def test_people_are_told_when_their_game_cannot_be_saved(monkeypatch):
    monkeypatch.setattr("kibitz.web.room_saver.RETRY_SECONDS", 0.01)

    class FullStore(SlowStore):
        is_full = False

        async def save(self, snapshot, after):
            if self.is_full:
                raise OSError("disk full")
            await super().save(snapshot, after)

    store = FullStore()
    with serving(toy_catalogue(), store) as client, client.playing("nim", "you", "you") as browser:
        store.is_full = True
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.receive() == {
            "type": "error",
            "error": "The server could not save this game; it is trying again.",
        }  # and not the table with the move, which is not safe yet
        store.is_full = False
        while not browser.table["plies"]:
            browser.receive()


def test_a_store_that_fails_is_not_explained_to_strangers(caplog):
    class BrokenStore(SlowStore):
        async def load(self, key):
            raise OSError("secret address")

    with serving(toy_catalogue(), BrokenStore()) as client, client.http.websocket_connect("/ws/abc") as session:
        assert session.receive_json()["error"] == "Something went wrong on the server (OSError)."
        assert session.receive()["code"] == 4500
    assert "secret address" in caplog.text
