"""Analyses, the course of a game, and hints: while they run, when they stop, and who may have them."""

import pytest

from kibitz.web import analysis
from kibitz.web.rooms import Access


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch):
    monkeypatch.setattr(analysis, "POSITION_MS", (10, 20, 40))
    monkeypatch.setattr(analysis, "COURSE_MS", (5, 10))
    monkeypatch.setattr(analysis, "HINT_MS", (50,))


def test_an_analysis_refines_until_it_is_done(client):
    with client.playing("nim:heap=40", "you", "beginner") as browser:
        browser.send("analyse", on=True, ply=0)
        found = [browser.next("analysis")]
        while not found[-1]["done"]:
            found.append(browser.next("analysis"))
        last = found[-1]
        assert [move["name"] for move in last["moves"]]
        assert last["player"] == last["ply"] == 0
        assert last["value"] == last["moves"][0]["value"]
        assert last["moves"][0]["line"][0] == last["moves"][0]["name"]
        assert last["work"].endswith("simulations")


def test_an_analysis_ends_when_all_is_proven(client):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("analyse", on=True)
        while not (found := browser.next("analysis"))["done"]:
            pass
        assert found["exact"]
        assert (found["moves"][0]["name"], found["value"]) == ("take 1", 1.0)  # which leaves four


def test_a_new_analysis_takes_the_place_of_the_old(client, monkeypatch):
    monkeypatch.setattr(analysis, "POSITION_MS", (10,) * 10_000)
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.play(3)
        browser.my_turn()
        browser.send("analyse", on=True, ply=0)
        assert browser.next("analysis")["ply"] == 0
        browser.send("analyse", on=True, ply=1)
        while browser.next("analysis")["ply"] == 0:
            pass
        assert all(browser.next("analysis")["ply"] == 1 for _ in range(3))


def test_an_analysis_stops_when_it_is_told_to(client, monkeypatch):
    monkeypatch.setattr(analysis, "POSITION_MS", (10,) * 10_000)
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.send("analyse", on=True)
        browser.next("analysis")
        browser.send("analyse", on=False)
        browser.send("show", ply=0)
        browser.next("table")
        browser.send("hint")  # would come after all that is still sent
        assert browser.receive()["type"] == "hint"


def test_who_plays_people_must_wait_for_the_end(client):
    answer = client.new_table("nim:heap=7", "you", "you")
    room = client.house.store.get(answer["id"])
    with client.at({"id": room.id, "token": room.admit(Access((0,)))}) as browser:
        browser.my_turn()
        assert not browser.table["can"]["analyse"]
        for message in ("analyse", "course"):
            browser.send(message, on=True)
            assert "when it is over" in browser.error()
        browser.send("hint")
        assert browser.error()
        browser.send("resign")
        assert browser.until(lambda table: table["over"])["can"]["analyse"]


def test_a_spectator_must_wait_for_the_end(client):
    with client.playing("nim", "you", "beginner") as browser, client.at({"id": browser.id}, token=False) as spectator:
        spectator.send("analyse", on=True)
        assert spectator.error()


def test_where_chance_is_to_act_there_is_nothing_to_rank(client):
    with client.playing("dicerace", "you", "beginner") as browser:
        browser.play(1)
        browser.my_turn()
        browser.send("analyse", on=True, ply=1)
        found = browser.next("analysis")
        assert (found["player"], found["moves"], found["done"]) == (-1, [], True)


def test_the_course_of_a_game_finds_what_lost_it(client):
    with client.playing("nim:heap=5", "you", "you") as browser:
        for take in (2, 2):  # two too many: with two left the other wins at once
            browser.play(take - 1)
        browser.play(0)
        browser.send("course", on=True)
        while not (found := browser.next("course"))["done"]:
            pass
        assert found["points"][0] == {"ply": 0, "values": [1.0, 0.0]}
        assert found["points"][-1] == {"ply": 3, "values": [1.0, 0.0]}
        names = [(blunder["ply"], blunder["seat"], blunder["name"], blunder["best"]) for blunder in found["blunders"]]
        assert names == [(1, 1, "take 2", "take 3"), (0, 0, "take 2", "take 1")]
        assert [blunder["lost"] for blunder in found["blunders"]] == [1.0, 1.0]


def test_with_several_players_only_the_movers_value_is_known(client):
    with client.playing("highcard", "you", "beginner", "beginner", seed=4) as browser:
        browser.play_on()
        browser.send("course", on=True)
        while not (found := browser.next("course"))["done"]:
            pass
        first = found["points"][0]
        assert first["ply"] == 6
        assert first["values"][0] is not None
        assert first["values"][1:] == [None, None]


def test_a_hint_names_a_move_and_its_chance(client):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("hint")
        found = browser.next("hint")
        assert found["move"] == 0
        assert found["words"] == "take 1: 100 % to win (exactly)"
        assert found["version"] == browser.table["version"]


def test_there_is_no_hint_out_of_turn(client):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("resign")
        browser.until(lambda table: table["over"])
        browser.send("hint")
        assert "your own turn" in browser.error()


def test_a_judge_that_looks_to_a_depth_goes_deeper_each_round(client):
    game = client.house.catalogue.game("ur:pieces=40")  # too large to be solved
    judge = analysis.Judge(game, (10,))
    assert judge.rounds == 4
