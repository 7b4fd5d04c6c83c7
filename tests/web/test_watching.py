"""Games of bots: who watches, pause, step and speed; and bots that fail."""

import asyncio
import gc
import weakref

import pytest
from visitors import serving, toy_catalogue

from kibitz.web.access import visitor_with
from kibitz.web.endings import EndingKind
from kibitz.web.lanes import Lane, ThoughtTimes

BOTS = ("connect_four", "beginner", "beginner")


def test_bots_play_while_somebody_watches(client):
    with client.playing(*BOTS) as browser:
        table = browser.now_or_later(lambda table: table["over"])
        assert client.room(browser.id).ending.kind is EndingKind.PLAYED_OUT
        assert table["you"] == []
        assert table["plies"] == len(table["log"]) >= 7


def test_bots_wait_until_somebody_watches(client, gated):
    answer = client.ready_table(*BOTS)
    room = client.room(answer["id"])
    assert not client.run(lambda: room.thinking)
    with client.at(answer):
        gated.wait_until_asked(1)
        assert client.run(lambda: room.thinking)
    assert gated.plies == [0]


def test_bots_stop_after_their_move_when_nobody_watches_any_more(client, gated):
    answer = client.ready_table(*BOTS)
    room = client.room(answer["id"])
    with client.at(answer):
        gated.wait_until_asked(1)
    client.wait_for(lambda: not room.audience.watchers)
    gated.let_move()
    client.wait_for(lambda: len(room.table.history) == 1)
    assert not client.run(lambda: room.thinking)
    with client.at(answer) as browser:
        assert browser.table["plies"] == 1
        gated.wait_until_asked(2)
    assert gated.plies == [0, 1]


def test_a_bot_moves_even_if_its_human_opponent_is_away(client, gated):
    answer = client.ready_table("nim", "beginner", "you")
    room = client.room(answer["id"])
    assert not room.audience.watchers
    gated.wait_until_asked(1)
    gated.let_move()
    client.wait_for(lambda: len(room.table.history) == 1)


def test_a_pause_stops_the_bot_that_is_thinking(client, gated):
    with client.playing(*BOTS) as browser:
        gated.wait_until_asked(1)
        browser.send("pause", on=True)
        paused = browser.until(lambda table: table["paused"])
        assert (paused["plies"], paused["status"]) == (0, "Paused")
        gated.let_move()  # its move comes too late
        table = browser.settled()
        assert (table["plies"], table["version"], table["status"]) == (0, paused["version"], "Paused")
        browser.send("pause", on=False)
        gated.wait_until_asked(2)
        assert gated.plies == [0, 0]  # it starts again from the same position


def test_a_paused_game_is_played_step_by_step(client, gated):
    with client.playing(*BOTS) as browser:
        gated.wait_until_asked(1)
        browser.send("pause", on=True)
        browser.until(lambda table: table["paused"])
        for step in (1, 2):
            browser.send("step")
            gated.wait_until_asked(1 + step)
            assert browser.settled()["status"] == f"{('Red', 'Yellow')[step - 1]} is thinking …"
            assert browser.table["plies"] == step - 1
            gated.let_move()
            table = browser.until(lambda table: table["plies"] >= step)  # noqa: B023
            assert (table["plies"], table["paused"], table["status"]) == (step, True, "Paused")
        assert browser.settled()["plies"] == 2
        browser.send("pause", on=False)
        gated.wait_until_asked(4)
        assert gated.plies == [0, 0, 1, 2]


def test_a_game_that_was_paused_and_stepped_through_is_the_same_game(client):
    with client.playing(*BOTS, seed=3) as browser:
        log = browser.now_or_later(lambda table: table["over"])["log"]
    answer = client.ready_table(*BOTS, seed=3)
    room, host = client.room(answer["id"]), client.room(answer["id"]).access(visitor_with(answer["token"]))
    client.run(room.pause, host, True)
    with client.at(answer) as browser:
        assert browser.settled()["plies"] == 0
        browser.send("step")
        browser.until(lambda table: table["plies"] == 1)
        for on in (False, True, False, True, False):  # stops bots in mid-thought
            browser.send("pause", on=on)
        assert browser.now_or_later(lambda table: table["over"])["log"] == log


class SlowTime:
    """Takes the place of the rest after a bot's thought; the test says when it is over."""

    def __init__(self):
        self.seconds = []
        self._over = None

    async def rest(self, seconds):
        self._over = asyncio.Event()
        self.seconds.append(seconds)
        await self._over.wait()

    def is_resting(self, times):
        return len(self.seconds) == times

    def pass_by(self):
        self._over.set()


def test_a_bot_makes_its_move_only_after_its_delay(monkeypatch):
    time = SlowTime()
    monkeypatch.setattr("kibitz.web.bot_turns._rest", time.rest)
    with serving(pace=1000) as client, client.playing(*BOTS) as browser:
        client.wait_for(lambda: time.is_resting(1))
        assert 500 < time.seconds[0] <= 600
        table = browser.settled()
        assert (table["plies"], table["status"]) == (0, "Red is thinking …")
        browser.send("speed", speed=2)
        browser.until(lambda table: table["speed"] == 2)
        client.run(time.pass_by)
        assert browser.until(lambda table: table["plies"] > 0)["plies"] == 1
        client.wait_for(lambda: time.is_resting(2))
        assert 200 < time.seconds[1] <= 300


def test_bots_take_less_time_in_a_game_with_people(monkeypatch):
    time = SlowTime()
    monkeypatch.setattr("kibitz.web.bot_turns._rest", time.rest)
    with serving(toy_catalogue(), pace=1000) as client, client.playing("nim", "beginner", "you"):
        client.wait_for(lambda: time.is_resting(1))
        assert 150 < time.seconds[0] <= 250


def test_the_speed_is_chosen_within_limits(client, gated):
    with client.playing(*BOTS) as browser:
        for wanted, speed in ((3, 3), (500.0, 20), (0.001, 0.1)):
            before = browser.table
            browser.send("speed", speed=wanted)
            table = browser.until(lambda table: table["version"] > before["version"])  # noqa: B023
            assert table["speed"] == speed


@pytest.mark.parametrize("message", [{"type": "pause", "on": True}, {"type": "step"}, {"type": "speed", "speed": 2}])
def test_a_spectator_cannot_control_the_bots(client, gated, message):
    answer = client.ready_table(*BOTS)
    with client.at(answer, token=False) as spectator:
        assert not spectator.table["can"]["pause"]
        version = spectator.table["version"]
        gated.wait_until_asked(1)
        spectator.session.send_json(message)
        assert "Only the host" in spectator.error()
        assert spectator.settled()["version"] == version
        assert client.run(lambda: client.room(answer["id"]).thinking)


def test_a_game_with_people_is_not_paused(client):
    with client.playing("nim", "you", "beginner") as browser:
        browser.send("pause", on=True)
        assert "Only the host" in browser.error()
        assert not browser.settled()["paused"]


def test_taking_back_a_move_stops_the_bot_that_is_thinking(client, gated):
    with client.playing("nim", "you", "beginner") as browser:
        browser.play(0)
        gated.wait_until_asked(1)
        browser.send("undo")
        undone = browser.until(lambda table: table["plies"] == 0)
        gated.let_move()  # its move comes too late
        assert browser.settled()["version"] == undone["version"]
        browser.play(1)
        gated.wait_until_asked(2)
        gated.let_move()
        log = browser.until(lambda table: table["plies"] == 2)["log"]
        assert [entry["name"] for entry in log] == ["take 2", "take 1"]
        assert gated.plies == [1, 1]


def test_resigning_stops_the_bot_that_is_thinking(client, gated):
    with client.playing("nim", "you", "beginner") as browser:
        browser.play(0)
        gated.wait_until_asked(1)
        browser.send("resign")
        over = browser.until(lambda table: table["over"])
        assert not client.run(lambda: client.room(browser.id).thinking)
        gated.let_move()
        table = browser.settled()
        assert (table["version"], table["plies"]) == (over["version"], 1)
        assert not table["seats"][1]["thinking"]


# ------------------------------------------------------------------ bots that fail


@pytest.mark.parametrize(("bot", "words"), [("Trouble", "I have no idea"), ("Cheat", "an illegal move: 99")])
def test_a_bot_that_fails_ends_the_game_with_a_clear_sentence(client, bot, words):
    with client.playing("connect_four", "you", bot) as browser:
        browser.play(0)
        table = browser.now_or_later(lambda table: table["over"])
        assert table["plies"] == 1
        assert table["result"].startswith("The game was stopped: ")
        assert words in table["result"]
        assert table["can"]["rematch"]
        assert client.room(browser.id).ending.seat == 1


def test_a_room_that_is_put_away_is_freed_at_once(client):
    """Not when the collector finds it: that does not know how large the arrays of a room are."""
    answer = client.ready_table("connect_four", "you", "random")
    with client.at(answer) as browser:
        browser.play_on()
    client.wait_for(lambda: not client.room(answer["id"]).audience.watchers)
    gc.collect()  # what the test itself has left
    gc.disable()
    try:
        room = weakref.ref(client.room(answer["id"]))
        assert client.run(client.server.lobby.put_away, room())
        client.wait_for(lambda: room() is None)
    finally:
        gc.enable()


def test_after_a_bot_failed_the_move_can_be_taken_back(client):
    with client.playing("connect_four", "you", "Trouble") as browser:
        browser.play(0)
        browser.now_or_later(lambda table: table["over"])
        browser.send("undo")
        table = browser.until(lambda table: not table["over"])
        assert table["plies"] == 0
        assert table["moves"]


def test_a_search_that_raises_in_its_thread_ends_the_game_too(client, monkeypatch):
    def fail(self, view, limit):
        raise MemoryError("no room for the tree")

    monkeypatch.setattr("kibitz.search.uct.UCT.choose", fail)
    monkeypatch.setattr(ThoughtTimes, "lane", lambda *args: Lane.QUICK)  # it thinks in this process
    with client.playing("connect_four", "you", "uct:sims=10") as browser:
        browser.play(0)
        assert "no room for the tree" in browser.now_or_later(lambda table: table["over"])["result"]
