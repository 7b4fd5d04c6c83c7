"""Whoever asks for too much, or pretends to be somebody else, is refused with a sentence; the others notice nothing."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from starlette.websockets import WebSocketDisconnect
from visitors import PATIENCE, UNLIMITED, bearing, serving, toy_catalogue

from kibitz.players.seating import Terms
from kibitz.web import bot_turns, connection
from kibitz.web.access import new_token
from kibitz.web.bot_turns import BotTurns
from kibitz.web.catalogue import Catalogue, ChosenBot
from kibitz.web.connection import SharedMessages
from kibitz.web.limits import MOST_REMEMBERED, Allowance, Allowances, Limits, Rate, TooOften
from kibitz.web.store import MemoryStore, Retention
from kibitz.web.thinking_pool import ThinkingPool

NIM = {"game": "nim:heap=21", "seats": [{"you": True}, {"bot": "beginner"}]}


def limited(**limits):
    """A server with some other limits."""
    return serving(toy_catalogue(), limits=Limits(**{**vars(UNLIMITED), **limits}))


# ------------------------------------------------------------------ how much


def test_an_allowance_is_used_up_and_fills_up_again():
    now = [0.0]
    allowance = Allowance(Rate(2, 0.5), lambda: now[0])
    assert [allowance.wait() for _ in range(3)] == [0, 0, 2]
    now[0] = 1.0
    assert allowance.wait() == 1
    now[0] = 2.0
    assert allowance.wait() == 0
    now[0] = 1000.0
    assert [allowance.wait() for _ in range(3)] == [0, 0, 2]  # never more than at first


def test_every_address_has_its_own_allowance_and_only_so_many_are_remembered():
    allowances = Allowances(Rate(1, 1e-9), lambda: 0.0)
    allowances.take("one")
    allowances.take("another")
    with pytest.raises(TooOften):
        allowances.take("one")
    for number in range(2 * MOST_REMEMBERED):
        allowances.take(str(number))
    assert len(allowances._by_address) == MOST_REMEMBERED


def test_who_sets_up_too_many_tables_has_to_wait():
    with limited(tables=Rate(3, 0.001)) as client:
        answers = [client.http.post("/api/tables", json=NIM) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
        assert answers[-1].json() == {"error": "You are asking for too much at once; please wait a moment."}
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 1000
        assert client.http.post("/api/records", json={}).status_code == 429
        assert client.http.get("/").status_code == 200


def test_who_asks_for_too_many_variants_has_to_wait():
    with limited(questions=Rate(2, 0.001)) as client:
        paths = ["/api/games/nim/bots?game=nim:heap=5", "/api/games/nim/rules?game=nim:heap=6"] * 2
        assert [client.http.get(path).status_code for path in paths] == [200, 200, 429, 429]


def test_a_full_server_says_when_to_try_again():
    with serving(toy_catalogue(), MemoryStore(Retention(tables=1))) as client:
        assert client.http.post("/api/tables", json=NIM).status_code == 200
        answer = client.http.post("/api/tables", json=NIM)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert answer.json()["error"] == "All tables of this server are in use; please try again later."


def test_who_has_too_many_sockets_open_gets_no_more_until_one_is_closed():
    with limited(sockets=2) as client:
        answer = client.ready_table("nim", "you", "you")
        with client.at(answer):
            with client.at(answer), client.http.websocket_connect(f"/ws/{answer['id']}") as session:
                assert "too many tables open" in session.receive_json()["error"]
                assert session.receive()["code"] == 4429
            client.wait_for(lambda: sum(client.server.sockets.values()) == 1)
            with client.at(answer):
                pass
        client.wait_for(lambda: not client.server.sockets)


def test_too_many_messages_are_carried_out_more_slowly_and_none_is_lost(client, monkeypatch):
    class UsedUp(Allowance):
        def wait(self):
            return 0.001

    monkeypatch.setattr(connection, "Allowance", UsedUp)
    with client.playing("nim", "you", "you") as browser:
        for _ in range(20):
            browser.send("show", ply=0)
        browser.send("nonsense")
        errors = [browser.error()]
        while not errors[-1].startswith("Malformed"):
            errors.append(browser.error())
        assert set(errors[:-1]) == {"You are sending too many messages; they are carried out more slowly."}


# ------------------------------------------------------------------ in whose name


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1.evil", "[x]"]
)
def test_a_name_that_is_not_the_servers_is_refused(client, host):
    answer = client.http.get("/api/games", headers={"host": host})
    assert answer.status_code == 421
    assert "does not answer to that name" in answer.json()["error"]
    with pytest.raises(WebSocketDisconnect), client.http.websocket_connect("/ws/x", headers={"host": host}):
        pass


@pytest.mark.parametrize(
    "host", ["testserver", "TestServer:8000", "localhost:1", "127.0.0.1", "[::1]:8000", "10.0.0.7:80"]
)
def test_the_servers_own_names_and_any_address_are_answered(client, host):
    assert client.http.get("/api/logs", headers={"host": host}).status_code == 200


# ------------------------------------------------------------------ nobody waits for somebody else


def test_a_variant_that_takes_long_to_look_at_keeps_nobody_waiting(monkeypatch):
    asked, go_on, find = threading.Event(), threading.Event(), Catalogue.game

    def slow(self, text, players=None):
        if text.startswith("nim:heap=99"):
            asked.set()
            assert go_on.wait(PATIENCE)
        return find(self, text, players)

    monkeypatch.setattr(Catalogue, "game", slow)
    with serving(toy_catalogue()) as client:
        body = {**NIM, "game": "nim:heap=99"}
        answers = []
        posting = threading.Thread(target=lambda: answers.append(client.http.post("/api/tables", json=body)))
        posting.start()
        assert asked.wait(PATIENCE)
        assert client.http.get("/api/logs").status_code == 200
        with client.playing("nim:heap=5", "you", "you") as browser:
            browser.play(0)
        go_on.set()
        posting.join()
        assert answers[0].status_code == 200


def test_what_many_spectators_see_is_built_once(client, monkeypatch):
    built = []
    monkeypatch.setattr(connection, "table_message", lambda *args: built.append(args) or {"type": "table"})
    answer = client.ready_table("nim", "you", "you")
    room, messages = client.room(answer["id"]), SharedMessages(fresh_seconds=1e9)
    everyone, first = [room.access(None)] * 300, room.access("a")
    for access in everyone:
        messages.table(room, access, None, True)
    assert len(built) == 1
    messages.table(room, first, 0, True)
    messages.table(room, first, None, False)
    room.version += 1
    messages.table(room, first, None, True)
    assert len(built) == 4
    for ply in range(5000):
        messages.table(room, first, ply, True)
    assert len(messages._texts) <= connection.MOST_SHARED


def test_an_endless_name_is_just_not_found(client):
    for path in (
        f"/static/x/{'n' * 5000}",
        f"/static/{'n' * 5000}",
        f"/{'n' * 5000}",
        f"/api/tables/{'n' * 5000}/record",
    ):
        assert client.http.get(path, headers=bearing(new_token())).status_code == 404


# ------------------------------------------------------------------ what pace tells


def test_a_forced_move_takes_as_long_as_a_choice_where_moves_are_secret(client, monkeypatch):
    room = client.room(client.ready_table("highcard", "you", "you", "you", seed=3)["id"])
    rests = []

    async def rest(seconds):
        rests.append(seconds)

    times = iter([0.0, 7.0, 7.0, 100.0, 100.0, 100.0])
    monkeypatch.setattr(bot_turns, "_rest", rest)
    monkeypatch.setattr(bot_turns, "ask", lambda view, *more: view.moves[0])
    monkeypatch.setattr(bot_turns, "time", SimpleNamespace(monotonic=lambda: next(times)))

    async def main():
        moved = asyncio.Event()
        done = {"bot_moved": lambda *move: moved.set(), "bot_failed": lambda *error: moved.set()}
        turns = BotTurns(ThinkingPool(), Terms(), SimpleNamespace(client="", turn_seconds=lambda: 0.25, **done))
        view = room.table.view(0)
        for moves in (view.moves, view.moves[:1]):  # a choice that takes seven seconds, then none
            moved.clear()
            view.moves[:] = moves
            turns.start(ChosenBot("random", "Random", ""), view)
            await moved.wait()

    asyncio.run(main())
    assert rests == [0.25 - 7, 7]
