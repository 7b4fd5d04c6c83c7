"""What is compiled before anybody needs it, and tables that have to wait for it."""

import threading
import time

from visitors import PATIENCE, TOYS, serving

import kibitz
from kibitz.display.board import board_of
from kibitz.web.catalogue import Catalogue
from kibitz.web.precompile import Precompiler


def test_a_table_says_what_it_waits_for(monkeypatch):
    compiled = threading.Event()
    prepare = Precompiler.prepare
    monkeypatch.setattr(Precompiler, "prepare", lambda *args: compiled.wait(PATIENCE) and prepare(*args))
    with serving() as client, client.at(client.new_table("connect_four", "you", "beginner")) as browser:
        assert browser.table["waiting"].startswith("Preparing")
        assert browser.table["status"] == browser.table["waiting"]
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "The table is not ready yet."
        assert browser.settled()["waiting"]
        compiled.set()
        assert browser.until(lambda table: table["waiting"] is None)["moves"]


def test_a_table_that_cannot_be_prepared_says_why(monkeypatch):
    monkeypatch.setattr(Precompiler, "prepare", lambda *args: 1 / 0)
    with serving() as client, client.playing("connect_four", "you", "beginner") as browser:
        assert (
            browser.table["result"] == "The game was stopped: Something went wrong on the server (ZeroDivisionError)."
        )
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "Something went wrong on the server (ZeroDivisionError)."


def test_a_game_is_ready_once_it_has_been_prepared():
    catalogue = Catalogue()
    precompiler = Precompiler(catalogue)
    game = catalogue.game("connect_four")
    assert not precompiler.is_ready(game, ["random"])
    precompiler.prepare(game, ["random"])
    assert precompiler.is_ready(game, ["random"])


def test_the_background_waits_while_a_table_is_prepared(monkeypatch):
    order, table_begins, decided = [], threading.Event(), threading.Event()

    class NotesWaiting(threading.Condition):
        def wait_for(self, predicate, timeout=None):
            if not predicate():
                decided.set()  # the background waits, as it should …
            return super().wait_for(predicate, timeout)

    def rehearse(game, between):
        order.append(f"{game.columns} begins")
        if game.columns == 5:  # of the table
            table_begins.set()
            assert decided.wait(PATIENCE)
        else:
            assert table_begins.wait(PATIENCE)
            between()
        order.append(f"{game.columns} ends")
        decided.set()  # … or does not

    monkeypatch.setattr("kibitz.web.precompile.rehearse", rehearse)
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    catalogue = Catalogue()
    precompiler = Precompiler(catalogue)
    precompiler._changed = NotesWaiting()
    precompiler.start()
    precompiler.prepare(catalogue.game("connect_four:columns=5"))
    precompiler.stop()
    assert "7 ends" not in order[: order.index("5 ends")]


def test_the_picture_of_a_game_is_the_first_of_its_lessons():
    game = Catalogue().game("connect_four")
    first = next(lesson.scene for lesson in board_of(game).lessons(game) if lesson.scene)
    assert Precompiler(Catalogue()).picture(game) == first.document()


def test_without_lessons_the_picture_is_of_a_rehearsal(monkeypatch):
    catalogue = Catalogue()
    game, precompiler = catalogue.game("connect_four"), Precompiler(catalogue)
    monkeypatch.setattr("kibitz.games.connect_four.board.Board.lessons", lambda self, game: [])
    assert precompiler.picture(game) is None
    precompiler.prepare(game)
    assert precompiler.picture(game)["pieces"]


def test_everything_is_compiled_from_the_start(monkeypatch):
    compiled = []
    monkeypatch.setattr("kibitz.web.precompile.rehearse", lambda game, between: compiled.append("rules"))
    monkeypatch.setattr("kibitz.web.precompile.try_out", lambda game, player: compiled.append(player))
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    with serving(warm=True) as client:
        levels = [level["spec"] for level in client.server.catalogue.facts("connect_four")["levels"]]
        deadline = time.monotonic() + PATIENCE
        while len(compiled) < 1 + len(levels):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert client.http.get("/api/games").json()["games"][0]["ready"]
    assert compiled == ["rules", *(kibitz.bot(spec, "connect_four") for spec in (levels[-1], *levels[:-1]))]


def test_nothing_is_compiled_from_the_start_unless_it_is_wanted(monkeypatch):
    compiled = []
    monkeypatch.setattr("kibitz.web.precompile.rehearse", lambda game, between: compiled.append(game))
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    with serving(warm=False) as client:
        assert not client.http.get("/api/games").json()["games"][0]["ready"]
    assert compiled == []


def test_games_that_were_added_come_first_and_are_compiled_first(monkeypatch):
    compiled = []
    monkeypatch.setattr("kibitz.web.precompile.rehearse", lambda game, between: compiled.append((game, "rules")))
    monkeypatch.setattr("kibitz.web.precompile.try_out", lambda game, spec: compiled.append((game, spec)))
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    catalogue = Catalogue([f"{TOYS}:Nim"])
    assert catalogue.names == ["nim", "connect_four"]
    Precompiler(catalogue)._prepare_all()
    order = [type(game).__name__ for game, _ in compiled]
    assert order == sorted(order, key=["Nim", "ConnectFour"].index)
    assert compiled[0][1] == "rules"
