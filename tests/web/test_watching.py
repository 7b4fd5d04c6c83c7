"""Bots among themselves, bots that fail, and tables that are not ready yet."""

import threading

import pytest
from visitors import serving

from kibitz.board import board_of
from kibitz.errors import KibitzError
from kibitz.web.catalogue import Catalogue
from kibitz.web.store import IDLE_SECONDS, Store
from kibitz.web.warm import Preparation

BOTS = ("connect_four", "beginner", "beginner")


def test_bots_play_while_somebody_looks_on(client):
    with client.playing(*BOTS) as browser:
        table = browser.until(lambda table: table["over"])
        assert table["you"] == []
        assert table["plies"] >= 7


def test_bots_wait_while_nobody_looks_on(client):
    answer = client.new_table(*BOTS)
    with client.at(answer) as browser:
        assert browser.table["plies"] == 0  # though the table was ready long before


def test_a_paused_game_goes_step_by_step(client):
    with client.playing(*BOTS, seed=1) as browser:
        browser.send("pause", on=True)
        plies = browser.until(lambda table: table["paused"])["plies"]
        for step in (1, 2):
            browser.send("step")
            assert browser.until(lambda table: table["plies"] == plies + step)["paused"]  # noqa: B023
        browser.send("pause", on=False)
        assert browser.until(lambda table: table["over"])


def test_bots_take_their_time_when_people_look_on():
    with serving(pace=1000) as client, client.playing(*BOTS) as browser:
        assert browser.table["plies"] == 0
        assert browser.table["status"] == "Beginner (Red) is thinking …"


def test_the_speed_is_chosen_within_limits(client):
    with client.playing(*BOTS) as browser:
        browser.send("pause", on=True)
        browser.until(lambda table: table["paused"])
        browser.send("speed", speed=3)
        assert browser.until(lambda table: table["speed"] == 3)
        browser.send("speed", speed=500.0)
        assert browser.until(lambda table: table["speed"] != 3)["speed"] == 20


@pytest.mark.parametrize("message", [{"type": "pause", "on": True}, {"type": "step"}, {"type": "speed", "speed": 2}])
def test_a_spectator_cannot_steer(client, message):
    answer = client.new_table(*BOTS)
    with client.at(answer, token=False) as spectator:
        assert not spectator.table["can"]["pause"]
        spectator.session.send_json(message)
        assert "by whoever set it up" in spectator.error()


def test_a_game_with_people_is_not_paused(client):
    with client.playing("nim", "you", "beginner") as browser:
        browser.send("pause", on=True)
        assert browser.error()


@pytest.mark.parametrize(("bot", "words"), [("Trouble", "I have no idea"), ("Cheat", "no legal move")])
def test_a_bot_that_fails_ends_the_game_with_a_clear_word(client, bot, words):
    with client.playing("connect_four", "you", bot) as browser:
        browser.play(0)
        table = browser.until(lambda table: table["over"])
        assert table["result"].startswith("The game was stopped: ")
        assert words in table["result"]
        assert table["can"]["rematch"]


def test_after_a_bot_failed_the_move_can_be_taken_back(client):
    with client.playing("connect_four", "you", "Trouble") as browser:
        browser.play(0)
        browser.until(lambda table: table["over"])
        browser.send("undo")
        table = browser.until(lambda table: not table["over"])
        assert table["plies"] == 0
        assert table["moves"]


def test_a_search_that_raises_in_its_thread_ends_the_game_too(client, monkeypatch):
    def fail(self, view):
        raise MemoryError("no room for the tree")

    monkeypatch.setattr("kibitz.search.uct.UCT.choose", fail)
    with client.playing("connect_four", "you", "uct:sims=10") as browser:
        browser.play(0)
        assert "no room for the tree" in browser.until(lambda table: table["over"])["result"]


def test_a_table_says_what_it_waits_for(monkeypatch):
    compiled = threading.Event()
    prepare = Preparation.prepare
    monkeypatch.setattr(Preparation, "prepare", lambda *args: compiled.wait(60) and prepare(*args))
    with serving() as client, client.at(client.new_table("connect_four", "you", "beginner")) as browser:
        assert browser.table["waiting"].startswith("Preparing")
        assert browser.table["status"] == browser.table["waiting"]
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "The table is not ready yet."
        compiled.set()
        assert browser.until(lambda table: table["waiting"] is None)["moves"]


def test_a_game_is_ready_once_it_has_been_prepared():
    catalogue = Catalogue()
    preparation = Preparation(catalogue)
    game = catalogue.game("connect_four")
    assert not preparation.is_ready(game, ["random"])
    preparation.prepare(game, ["random"])
    assert preparation.is_ready(game, ["random"])


def test_the_background_waits_while_a_table_is_prepared(monkeypatch):
    order, table_begins, goes_on = [], threading.Event(), threading.Event()

    def rehearse(game, between):
        order.append(f"{game.columns} begins")
        if game.columns == 5:  # of the table
            table_begins.set()
            goes_on.wait(0.3)
        else:
            table_begins.wait()
            between()
        order.append(f"{game.columns} ends")
        goes_on.set()

    monkeypatch.setattr("kibitz.web.warm.rehearse", rehearse)
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    catalogue = Catalogue()
    preparation = Preparation(catalogue)
    preparation.start()
    preparation.prepare(catalogue.game("connect_four:columns=5"))
    preparation.stop()
    assert "7 ends" not in order[: order.index("5 ends")]


def test_the_picture_of_a_game_is_the_first_of_its_lessons():
    game = Catalogue().game("connect_four")
    first = next(lesson.scene for lesson in board_of(game).lessons(game) if lesson.scene)
    assert Preparation(Catalogue()).picture(game) == first.document()


def test_without_lessons_the_picture_is_of_a_rehearsal(monkeypatch):
    catalogue = Catalogue()
    game, preparation = catalogue.game("connect_four"), Preparation(catalogue)
    monkeypatch.setattr("kibitz.games.connect_four.board.Board.lessons", lambda self, game: [])
    assert preparation.picture(game) is None
    preparation.prepare(game)
    assert preparation.picture(game)["pieces"]


def test_everything_on_offer_is_prepared_from_the_start(monkeypatch):
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    with serving(warm=True) as client:
        while not (card := client.http.get("/api/games").json()["games"][0])["ready"]:
            pass
        assert card["scene"]["pieces"]


# ------------------------------------------------------------------ the store


class FakeRoom:
    def __init__(self, key, over=False, onlookers=(), last_used=float("inf")):
        self.id, self.over, self.onlookers, self.last_used = key, over, onlookers, last_used

    def close(self):
        self.closed = True


def test_a_full_store_drops_the_oldest_finished_table():
    store = Store(most=3)
    rooms = [FakeRoom("going on"), FakeRoom("old", over=True), FakeRoom("new", over=True)]
    for room in (*rooms, FakeRoom("another")):
        store.add(room)
    assert store.get("old") is None
    assert rooms[1].closed
    assert all(store.get(key) for key in ("going on", "new", "another"))


def test_a_store_drops_no_table_that_somebody_looks_at():
    store = Store(most=1)
    store.add(FakeRoom("watched", over=True, onlookers=("me",)))
    with pytest.raises(KibitzError, match="are taken"):
        store.add(FakeRoom("another"))


def test_a_store_drops_a_game_that_was_left_long_ago():
    store = Store(most=1)
    store.add(FakeRoom("left", last_used=-2 * IDLE_SECONDS))
    store.add(FakeRoom("another"))
    assert len(store) == 1
