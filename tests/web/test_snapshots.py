"""A room is written down as JSON and read back: it is the same room, and the game goes on in the same way."""

import dataclasses
import json
import random

import pytest
from slow_store import SlowStore
from visitors import serving, toy_catalogue

import kibitz
from kibitz.errors import KibitzError
from kibitz.rules.contract import NOBODY
from kibitz.web.access import SPECTATOR, Access, visitor_with
from kibitz.web.catalogue import Catalogue
from kibitz.web.endings import EndingKind
from kibitz.web.events import Moved, TookBack
from kibitz.web.messages import table_message
from kibitz.web.playthrough import Phase
from kibitz.web.precompile import Precompiler
from kibitz.web.snapshots import RoomSnapshot

GAMES = {
    "nim:heap=15": 2,
    "dicerace": 2,
    "highcard": 3,
    "connect_four:columns=4,rows=4": 2,
    "ur:pieces=2": 2,
    "mexican_train:players=2,rounds=1,hand=3,highest=8": 2,
    "camelup:players=2,squares=6": 2,
}
BOTS = ("connect_four", "beginner", "beginner")


def read_back(client, room):
    """The room that is restored from a room's JSON."""
    text = client.run(room.snapshot).to_json()
    return client.run(client.server.rooms.restore, RoomSnapshot.from_json(text))


def new_room(client, game, *seats, **more):
    """A room that is ready, and what its host may do there."""
    answer = client.ready_table(game, *seats, **more)
    room = client.room(answer["id"])
    return room, room.access(visitor_with(answer["token"]))


def shown(room, *accesses):
    """What everybody is shown, without how it came about, and without how long they have been thinking."""
    messages = [table_message(room, access) for access in (*accesses, SPECTATOR)]
    for message in messages:
        for seat in message["seats"]:
            del seat["seconds"], seat["absent"]
    return messages


def situation(room):
    """Everything about a room that matters."""
    views = [room.table.view(player) for player in (*range(room.table.game.players), NOBODY)]
    return {
        "snapshot": dataclasses.replace(room.snapshot(), turn_began=0.0, seconds=()),
        "position": room.table.state.to_text(),
        "streams": [view.rng.getstate() for view in views],
        "views": [(view.state.to_text(), view.history, view.moves) for view in views],
        "shown": shown(room, *[Access((player,)) for player in range(room.table.game.players)]),
        "thinking": room.thinking,
    }


def act(room, access, dice):
    """Make a random move, or take one back."""
    if dice.random() < 0.2 and room.rights(access).may_undo:
        room.undo(access)
    else:
        room.play(access, dice.choice(room.table.moves), room.version)


# ------------------------------------------------------------------ the same room


@pytest.mark.parametrize("game", GAMES)
def test_a_restored_room_is_the_same_and_goes_on_in_the_same_way(client, game):
    room, host = new_room(client, game, *["you"] * GAMES[game], seed=11)
    dice = random.Random(5)
    for plies in (0, 1, 2, 5):
        while len(room.table.history) < plies and not room.over:
            client.run(act, room, host, dice)
        copy = read_back(client, room)
        assert situation(copy) == situation(room)
    rounds = 0
    while not room.over and rounds < 400:
        same = random.Random(dice.random())
        for one in (room, copy):
            same.seed(rounds)
            client.run(act, one, host, same)
        assert copy.table.history == room.table.history
        rounds += 1
    assert room.over
    assert situation(copy) == situation(room)
    assert copy.record() == room.record()
    assert any(isinstance(event, TookBack) for event in room.events)
    assert situation(read_back(client, room)) == situation(room)


def test_the_streams_of_bots_stand_where_they_did(client):
    room, _ = new_room(client, "nim:heap=60", "you", "beginner", seed=1)
    (host,) = [Access(grant.seats, grant.host) for grant in client.run(room.snapshot).grants]
    for _ in range(3):
        client.run(lambda: room.play(host, 0, room.version))
        client.wait_for(lambda: room.turn == 0)
    copy = read_back(client, room)
    fresh = kibitz.Table(room.table.game, seed=1)
    assert copy.table.view(1).rng.getstate() == room.table.view(1).rng.getstate() != fresh.view(1).rng.getstate()
    for one in (room, copy):
        client.run(lambda: one.play(host, 0, one.version))  # noqa: B023
        client.wait_for(lambda: one.turn == 0)  # noqa: B023
    assert copy.table.history == room.table.history


def test_a_room_that_was_still_being_prepared_begins(client, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("kibitz.web.server.PATIENCE", 0)
        patch.setattr("kibitz.web.room_opener.RoomOpener.open", lambda self, room: never_open())
        answer = client.new_table("nim:heap=9", "you", "beginner", seed=4)
        room = client.room(answer["id"])
        snapshot = client.run(room.snapshot)
    assert (snapshot.table, snapshot.events, room.phase) == (None, (), Phase.PREPARING)
    copy = client.run(client.server.rooms.restore, RoomSnapshot.from_json(snapshot.to_json()))
    assert copy.phase is Phase.PLAYING
    assert copy.access(visitor_with(answer["token"])) == Access((0,), host=True)
    assert (copy.table.seed, copy.table.history) == (4, ())


async def never_open():
    """In place of opening a room: nothing happens."""


# ------------------------------------------------------------------ bots go on


def test_a_restored_game_of_bots_goes_on_by_itself_when_it_is_watched(monkeypatch):
    store = SlowStore()
    with serving(store=store) as client, client.playing(*BOTS, seed=6) as browser:
        log = browser.now_or_later(lambda table: table["over"])["log"]
    with serving(store=store) as client:
        answer = client.ready_table(*BOTS, seed=6)
        room, host = client.room(answer["id"]), client.room(answer["id"]).access(visitor_with(answer["token"]))
        client.run(room.pause, host, True)
        with client.at(answer) as browser:
            for plies in (1, 2, 3):
                browser.send("step")
                browser.until(lambda table: table["plies"] == plies)  # noqa: B023
            browser.send("speed", speed=4)
            browser.until(lambda table: table["speed"] == 4)
    with serving(store=store) as client, client.at(answer) as browser:  # another process, as it were
        table = browser.settled()
        assert (table["plies"], table["paused"], table["speed"], table["status"]) == (3, True, 4, "Paused")
        browser.send("pause", on=False)
        assert browser.now_or_later(lambda table: table["over"])["log"] == log


def test_restored_bots_among_themselves_wait_until_somebody_watches(client, gated):
    room, _ = new_room(client, *BOTS)
    copy = read_back(client, room)
    assert not client.run(lambda: copy.thinking)

    class Somebody:
        visitor = None

        def presence_changed(self):
            pass

        def room_changed(self):
            pass

    somebody = Somebody()
    client.run(copy.join, somebody)
    gated.wait_until_asked(1)
    assert client.run(lambda: (copy.thinking, room.thinking)) == (True, False)
    client.run(copy.leave, somebody)
    gated.let_move()
    client.wait_for(lambda: len(copy.table.history) == 1)
    assert not client.run(lambda: copy.thinking)


def test_a_bot_that_was_thinking_thinks_again(client, gated):
    room, host = new_room(client, "nim", "you", "beginner")
    streams = client.run(room.snapshot).table.streams
    client.run(room.play, host, 0, room.version)
    gated.wait_until_asked(1)
    before = client.run(room.snapshot)
    assert before.table.streams == streams  # a thought leaves no trace before its move is made
    copy = read_back(client, room)
    gated.wait_until_asked(2)
    assert client.run(lambda: copy.thinking)
    assert client.run(copy.snapshot) == before
    client.run(room.close)
    gated.let_move()
    client.wait_for(lambda: copy.turn == 0)
    assert client.run(copy.snapshot).table.streams != streams
    assert client.run(lambda: room.turn) == 1


def test_a_step_that_was_begun_is_finished(client, gated):
    room, host = new_room(client, *BOTS)
    client.run(room.step, host)
    copy = read_back(client, room)
    assert copy.pace == room.pace
    assert copy.pace.stepping


# ------------------------------------------------------------------ endings


def played_out(client):
    room, host = new_room(client, "nim:heap=3", "you", "you")
    client.run(room.play, host, 2, room.version)
    return room


def resigned(client):
    room, host = new_room(client, "highcard", "you", "you", "you")
    client.run(room.resign, host)
    return room


def failed(client):
    room, host = new_room(client, "connect_four", "you", "Cheat")
    client.run(room.play, host, 0, room.version)
    client.wait_for(lambda: room.over)
    return room


def closed(client):
    table = kibitz.Table(client.server.catalogue.game("dicerace"), seed="a record", number=3, luck=2)
    while not table.over:
        table.play(1)
    record = table.record().to_json()
    answer = client.http.post("/api/records", content=record, headers={"content-type": "application/json"}).json()
    return client.room(answer["id"])


def broken_off(client):
    table = kibitz.Table(client.server.catalogue.game("dicerace"), seed=1)
    table.play(1)
    record = table.record().to_json()
    answer = client.http.post("/api/records", content=record, headers={"content-type": "application/json"}).json()
    return client.room(answer["id"])


@pytest.mark.parametrize(
    ("end", "kind", "payoff", "result"),
    [
        (played_out, EndingKind.PLAYED_OUT, [1.0, 0.0], "Player 1 wins."),
        (resigned, EndingKind.RESIGNED, [0.0, 0.5, 0.5], "Player 2 and Player 3 share the win. Player 1 resigned."),
        (failed, EndingKind.FAULT, None, "The game was stopped: "),
        (closed, EndingKind.CLOSED, None, " wins."),
        (broken_off, EndingKind.CLOSED, None, "This game was not played to the end."),
    ],
)
def test_a_finished_room_is_finished_in_the_same_way(client, end, kind, payoff, result):
    room = end(client)
    assert (room.phase, room.ending.kind) == (Phase.OVER, kind)
    assert payoff in (None, room.payoff())
    assert result in table_message(room, SPECTATOR)["result"]
    copy = read_back(client, room)
    assert (copy.phase, copy.ending, copy.payoff()) == (Phase.OVER, room.ending, room.payoff())
    assert situation(copy) == situation(room)
    assert copy.record() == room.record()
    for access in (Access((0,)), Access(room.people, host=True)):
        assert shown(copy, access)[0]["can"] == shown(room, access)[0]["can"]


def test_a_room_whose_preparation_failed_stays_failed(client, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Precompiler, "prepare", lambda *args: 1 / 0)
        room, host = new_room(client, "nim", "you", "beginner")
    copy = read_back(client, room)
    assert (copy.phase, copy.table, copy.ending) == (Phase.OVER, None, room.ending)
    assert shown(copy, host) == shown(room, host)


def test_a_restored_room_knows_what_was_taken_back(client):
    room, host = new_room(client, "nim:heap=21", "you", "you")
    client.run(room.play, host, 1, room.version)
    client.run(room.undo, host)
    copy = read_back(client, room)
    client.run(copy.redo, host)
    assert [event.move for event in copy.events if isinstance(event, Moved)] == [1, 1]
    assert not copy.undone


def test_a_restored_game_can_be_taken_back_after_its_end(client):
    copy = read_back(client, played_out(client))
    client.run(copy.undo, Access((0, 1)))
    assert (copy.phase, copy.ending) == (Phase.PLAYING, None)
    assert len(copy.table.history) == 0


def test_a_record_keeps_its_number_and_its_luck(client):
    copy = read_back(client, closed(client))
    assert (copy.table.seed, copy.table.number, copy.table.luck) == ("a record", 3, 2)


# ------------------------------------------------------------------ tokens


def test_tokens_are_nowhere_in_the_json_and_still_work(client):
    answer = client.ready_table("nim", "you", "you")
    room = client.room(answer["id"])
    second = client.admit(room.id, Access((1,)))
    text = client.run(room.snapshot).to_json()
    for token in (answer["token"], second):
        assert token not in text
        assert token not in repr(vars(room._grants))
    copy = client.run(client.server.rooms.restore, RoomSnapshot.from_json(text))
    assert copy.access(visitor_with(answer["token"])) == Access((0, 1), host=True)
    assert copy.access(visitor_with(second)) == Access((1,))
    assert copy.access(visitor_with("wrong" * 9)) == copy.access(None) == SPECTATOR


def test_a_hash_is_not_a_token(client):
    room, _ = new_room(client, "nim", "you", "you")
    (grant,) = client.run(room.snapshot).grants
    assert room.access(visitor_with(grant.visitor)) == SPECTATOR


# ------------------------------------------------------------------ damage


@pytest.fixture(scope="module")
def document(client):
    """The JSON of a room in which something has happened: moves, chance, and moves that were taken back."""
    room, host = new_room(client, "dicerace", "you", "beginner", seed=3)
    for move in (1, 0):
        client.run(lambda: room.play(host, move, room.version))  # noqa: B023
        client.wait_for(lambda: room.turn == 0)
    client.run(room.undo, host)
    return client.run(room.snapshot).to_json()


def restore(client, document):
    return client.run(client.server.rooms.restore, RoomSnapshot.from_json(json.dumps(document)))


def test_the_document_is_fine_as_it_is(client, document):
    assert restore(client, json.loads(document)).snapshot() == RoomSnapshot.from_json(document)


@pytest.mark.parametrize("text", ["", "hello", "[]", "7", "null", "{", "[" * 9000, "{}"])
def test_anything_else_is_not_a_snapshot(text):
    with pytest.raises(KibitzError, match=r"snapshot of a table.*\.$"):
        RoomSnapshot.from_json(text)


@pytest.mark.parametrize("found", [1, 5, None, "6", True, 6.5, [6]])
def test_an_unknown_format_is_refused(document, found):
    with pytest.raises(KibitzError, match=r"has the format .*; only 6 can be read\.$"):
        RoomSnapshot.from_json(json.dumps(json.loads(document) | {"format": found}))


def paths(value, path=()):
    """All places in a document."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


def changed(document, path, value=None, remove=False):
    """A document with something else in one place."""
    document = json.loads(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    if remove:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


LATER = {("given",), ("position",), ("table", "given")}  # tables of earlier versions do not have these


def test_every_missing_field_is_noticed(document):
    fields = [path for path in paths(json.loads(document)) if isinstance(path[-1], str) and path not in LATER]
    assert len(fields) > 40
    for path in fields:
        with pytest.raises(KibitzError, match=r"^This snapshot of a table .*\.$"):
            RoomSnapshot.from_json(json.dumps(changed(document, path, remove=True)))


def test_a_table_of_an_earlier_version_can_be_read(document):
    earlier = json.loads(document)
    for path in LATER:
        earlier = changed(json.dumps(earlier), path, remove=True)
    assert RoomSnapshot.from_json(json.dumps(earlier)) == RoomSnapshot.from_json(document)


def test_every_value_of_a_wrong_type_is_noticed(document):
    for path in paths(json.loads(document)):
        with pytest.raises(KibitzError, match=r"^This snapshot of a table .*\.$"):
            RoomSnapshot.from_json(json.dumps(changed(document, path, {"surprise": 1})))


def test_an_unknown_field_is_noticed(document):
    for path in ((), ("seats", 0), ("table",), ("pace",), ("grants", 0), ("events", 0)):
        with pytest.raises(KibitzError, match="surprise"):
            RoomSnapshot.from_json(json.dumps(changed(document, (*path, "surprise"), 1)))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("events", 0, "move"), 9, r"event 1 is refused. 9 is not a legal move; legal moves: "),
        (("events", 0, "seat"), 1, r"event 1 is refused. It is not"),
        (("events", 0), {"type": "took back", "moves": 1}, r"event 1 is refused. There are not that many moves"),
        (("events", 0), {"type": "resigned", "seat": 0}, r"event 2 is refused. The game is over\."),
        (("events", 0), {"type": "resigned", "seat": 5}, r"event 1 is refused. There is no player 5\."),
        (("events", 0), {"type": "closed"}, r"event 2 is refused. The game is over\."),
        (("events", 0), {"type": "exploded"}, "is damaged: events.0: "),
        (("events",), [], "its moves do not follow from its events"),
        (("ending",), {"kind": "resigned", "seat": 0, "words": "resigned"}, "its ending does not follow"),
        (("table",), None, "event 1 is refused. The table is not ready yet"),
        (("table", "plies", 1, 1), 0, "the rules have changed since it was saved, or the snapshot is damaged"),
        (("table", "plies"), [], "its moves do not follow from its events|the stream of chance"),
        (("table", "chance"), [1, 2, None], "the stream of chance stands elsewhere"),
        (("table", "streams", 0), [0, 0, None], "no random stream can stand at"),
        (("table", "streams", 0), [2**64, 1, None], "no random stream can stand at"),
        (("table", "streams"), [[1, 2, None]], "1 streams for 2 players"),
        (("table", "seed"), 4, "it is of two different games"),
        (("table", "luck"), 4, "the rules have changed since it was saved, or the snapshot is damaged"),
        (("table", "position"), '{"at":[5,5],"mover":0,"turn":0}', "do not follow|is damaged"),
        (("seats",), [], "for 2 players, not 0"),
        (("seats", 1, "bot", "spec"), "/etc/passwd.py:Evil", "The bot Beginner is not available on this server"),
        (("seats", 1, "bot", "spec"), "cmd:ls", "The bot Beginner is not available on this server"),
        (("game",), "chess", "There is no game called 'chess'"),
        (("game",), "/tmp/evil.py:Evil", "There is no game called"),
        (("grants", 0, "seats"), [7], "a seat that does not exist"),
        (("seconds",), [1.0], "the times of another number of players"),
        (("time_left",), [1.0], "the times of another number of players"),
        (("clock",), {"type": "fischer", "seconds": 1e9, "increment": 0.0}, "is damaged: clock"),
        (("seconds", 0), -1.0, "is damaged: seconds.0"),
        (("turn_began",), "yesterday", "is damaged: turn_began"),
        (("pace", "speed"), 1000.0, "is damaged: pace.speed"),
        (("id",), "../../etc", "is damaged: id"),
        (("version",), -1, "is damaged: version"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_or_the_rules_is_refused_with_a_sentence(client, document, path, value, words):
    with pytest.raises(KibitzError, match=words) as refusal:
        restore(client, changed(document, path, value))
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_a_game_whose_rules_have_changed_is_refused(client, document, monkeypatch):
    def restored():
        return restore(client, json.loads(document))

    class OtherDice(kibitz.Table):
        def _draw_chance(self):
            super()._draw_chance()
            if self._history and self._history[-1].turn == -1:
                self._history[-1] = self._history[-1]._replace(move=99)

    assert restored()
    monkeypatch.setattr("kibitz.web.playthrough.Table", OtherDice)
    with pytest.raises(KibitzError, match="the rules have changed since it was saved"):
        restored()


def test_a_table_that_cannot_be_restored_says_so_to_its_visitors(caplog):
    store = SlowStore()
    with serving(toy_catalogue(), store) as client:
        answer = client.ready_table("nim", "you", "beginner")
    with (
        serving(Catalogue(), store) as client,  # where Nim is not offered
        client.http.websocket_connect(f"/ws/{answer['id']}") as session,
    ):
        assert "There is no game called 'nim'" in session.receive_json()["error"]
        assert session.receive()["code"] == 4500
    assert f"Table {answer['id']} cannot be opened." in caplog.text


def test_a_table_with_a_bot_from_a_file_has_a_secret_that_is_kept(client):
    room, host = new_room(client, "dicerace", "you", "Trouble", seed=3)
    assert room.table.secret is not None
    assert room.table.secret not in json.dumps(shown(room, host))
    copy = read_back(client, room)
    assert situation(copy) == situation(room)
    assert copy.table.secret == room.table.secret
    room, _ = new_room(client, "dicerace", "you", "beginner", seed=3)
    assert room.table.secret is None


def test_a_seed_that_does_not_suffice_to_repeat_a_game_is_not_shown(client):
    for opponent, seed in (("beginner", 3), ("Trouble", None)):
        room, host = new_room(client, "dicerace", "you", opponent, seed=3)
        client.run(room.resign, host)
        assert table_message(room, host)["seed"] == seed
