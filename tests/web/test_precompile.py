"""What is compiled before anybody needs it, and tables that have to wait for it."""

import asyncio
import shutil
import threading

import odd_jobs
import pytest
from visitors import PATIENCE, TOYS, serving

from kibitz.compiler import stats
from kibitz.display.board import board_of
from kibitz.errors import NotCompiled
from kibitz.web import precompile
from kibitz.web.catalogue import Catalogue
from kibitz.web.precompile import Precompiler, load
from kibitz.web.workshop import Workshop


def prepared(catalogue, game, bots=()):
    """A precompiler that has got a game ready."""

    async def prepare():
        workshop = Workshop()
        precompiler = Precompiler(catalogue, workshop)
        await precompiler.prepare(game, bots)
        precompiler.stop()
        workshop.close()
        return precompiler

    return asyncio.run(prepare())


@pytest.fixture
def rehearsed(monkeypatch):
    """What has been got ready, instead of being compiled: games, each with RULES or the spec of a bot."""
    parts = []
    monkeypatch.setattr(precompile, "run_through", lambda game, bot: parts.append((game, bot)))
    return parts


def test_a_table_says_what_it_waits_for(monkeypatch):
    compiled = threading.Event()
    monkeypatch.setattr(precompile, "run_through", lambda game, bot: compiled.wait(PATIENCE))
    with serving() as client, client.at(client.new_table("connect_four", "you", "beginner")) as browser:
        assert browser.table["waiting"].startswith("Preparing")
        assert browser.table["status"] == browser.table["waiting"]
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "The table is not ready yet."
        assert browser.settled()["waiting"]
        compiled.set()
        assert browser.until(lambda table: table["waiting"] is None)["moves"]


def test_a_table_says_which_step_it_is_at(monkeypatch):
    """The rules are one step, and so is every bot."""
    compiled = threading.Event()
    monkeypatch.setattr(precompile, "run_through", lambda game, bot: bot == "" or compiled.wait(PATIENCE))
    with serving() as client:
        address = f"/api/tables/{client.new_table('connect_four', 'you', 'beginner')['id']}/preparation"
        client.wait_for(lambda: client.server.precompiler.is_ready(client.server.catalogue.game("connect_four")))
        step = {"done": 1, "of": 2, "words": "the bot “Beginner”", "functions": 0}
        assert client.http.get(address).json() == step
        assert client.http.get("/api/games").json()["games"][1]["prepared"] == [1, 3]
        compiled.set()
        client.wait_for(lambda: client.server.precompiler._people == 0)
        assert client.http.get(address).json() == {**step, "done": 2, "words": ""}
        assert client.http.get("/api/tables/nothing/preparation").status_code == 404


def test_what_nobody_waits_for_comes_later(monkeypatch):
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four", "ur"])
    order, clicked = [], threading.Event()

    def note(game, bot):
        order.append((type(game).__name__, bot))
        clicked.wait(PATIENCE)

    monkeypatch.setattr(precompile, "run_through", note)

    async def main():
        catalogue = Catalogue()
        precompiler = Precompiler(catalogue, Workshop())
        background = asyncio.create_task(precompiler._prepare_all())
        while not order:
            await asyncio.sleep(0.001)
        people = asyncio.create_task(precompiler.prepare(catalogue.game("ur"), ["last"]))
        await asyncio.sleep(0)  # now somebody waits
        clicked.set()
        await people
        assert order[:3] == [("ConnectFour", ""), ("Ur", ""), ("Ur", "last")]
        await background

    asyncio.run(main())


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
    game = catalogue.game("connect_four")
    assert not Precompiler(catalogue, Workshop()).is_ready(game, ["random"])
    assert prepared(catalogue, game, ["random"]).is_ready(game, ["random"])


def test_what_is_not_compiled_yet_is_compiled_in_another_process(tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    shutil.copy(odd_jobs.__file__, tmp_path / "fresh.py")  # rules that this process has not compiled
    catalogue = Catalogue([f"{tmp_path / 'fresh.py'}:Ponderous"])
    game = catalogue.game("ponderous")
    with pytest.raises(NotCompiled):
        load(game, "random")
    before = stats.compiled
    assert prepared(catalogue, game, ["random"]).is_ready(game, ["random"])
    assert stats.compiled == before
    assert list(tmp_path.glob("??/*"))


def test_a_game_that_has_to_be_solved_is_solved_in_another_process(tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    catalogue = Catalogue()
    game = catalogue.game("ur:pieces=1,coins=3")
    solved = []
    monkeypatch.setattr("kibitz.solve.solve_chance", lambda *args: solved.append(args))
    assert prepared(catalogue, game, ["perfect"]).is_ready(game, ["perfect"])
    assert not solved


def test_what_two_tables_need_is_prepared_once(rehearsed):
    catalogue = Catalogue()
    game = catalogue.game("connect_four")

    async def main():
        precompiler = Precompiler(catalogue, Workshop())
        await asyncio.gather(*(precompiler.prepare(game, ["random"]) for _ in range(5)))

    asyncio.run(main())
    assert rehearsed == [(game, ""), (game, "random")]


def test_the_picture_of_a_game_is_the_first_of_its_lessons():
    game = Catalogue().game("connect_four")
    first = next(lesson.scene for lesson in board_of(game).lessons(game) if lesson.scene)
    assert Precompiler(Catalogue(), Workshop()).picture(game) == first.document()


def test_without_lessons_the_picture_is_of_a_rehearsal(monkeypatch):
    catalogue = Catalogue()
    game = catalogue.game("connect_four")
    monkeypatch.setattr("kibitz.games.connect_four.board.Board.lessons", lambda self, game: [])
    assert Precompiler(catalogue, Workshop()).picture(game) is None
    assert prepared(catalogue, game).picture(game)["pieces"]


def test_everything_is_compiled_from_the_start(monkeypatch, rehearsed):
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    with serving(warm=True) as client:
        levels = [level["spec"] for level in client.server.catalogue.facts("connect_four")["levels"]]
        client.wait_for(lambda: len(rehearsed) == 1 + len(levels))
        client.wait_for(
            lambda: client.server.precompiler.is_ready(client.server.catalogue.game("connect_four"), levels)
        )
        assert client.http.get("/api/games").json()["games"][0]["ready"]
    beginner, casual, strong, best = levels
    assert [bot for _, bot in rehearsed] == ["", casual, best, strong, beginner]


def test_nothing_is_compiled_from_the_start_unless_it_is_wanted(monkeypatch, rehearsed):
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    with serving(warm=False) as client:
        assert not client.http.get("/api/games").json()["games"][0]["ready"]
    assert rehearsed == []


def test_games_that_were_added_come_first_and_are_compiled_first(monkeypatch, rehearsed):
    monkeypatch.setattr("kibitz.web.catalogue.game_names", lambda: ["connect_four"])
    catalogue = Catalogue([f"{TOYS}:Nim"])
    assert catalogue.names == ["nim", "connect_four"]
    asyncio.run(Precompiler(catalogue, Workshop())._prepare_all())
    order = [type(game).__name__ for game, _ in rehearsed]
    assert order == sorted(order, key=["Nim", "ConnectFour"].index)
    assert rehearsed[0][1] == ""
