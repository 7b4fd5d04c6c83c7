"""Analyses, reviews and hints: how they get better, when they stop, and who may have them."""

import pytest
from visitors import TOYS, serving

from kibitz.web import analysis, opinions, reviews
from kibitz.web.access import Access
from kibitz.web.catalogue import Catalogue


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch):
    monkeypatch.setattr(opinions, "POSITION_SECONDS", (0.01, 0.02, 0.04))
    monkeypatch.setattr(reviews, "REVIEW_SECONDS", (0.005, 0.01))
    monkeypatch.setattr(analysis, "HINT_SECONDS", 0.05)


@pytest.fixture
def endless(monkeypatch):
    """Analyses that go on for as long as a test could take."""
    monkeypatch.setattr(opinions, "POSITION_SECONDS", (0.01,) * 10_000)


def until_done(browser, kind):
    """All messages of an analysis or a review."""
    found = [browser.next(kind)]
    while not found[-1]["done"]:
        found.append(browser.next(kind))
    return found


def test_an_analysis_gets_better_round_by_round(client):
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.send("analyse", on=True, ply=0)
        found = until_done(browser, "analysis")
        assert len(found) == 3  # as many as there are rounds
        work = [int(message["work"].split()[0].replace(",", "")) for message in found]
        assert 0 < work[0] < work[1] < work[2]
        last = found[-1]
        assert sorted(move["name"] for move in last["moves"]) == list("1234567")
        assert last["player"] == last["ply"] == 0
        assert not last["exact"]
        assert last["value"] == last["moves"][0]["value"]
        assert last["moves"][0]["line"][0] == last["moves"][0]["name"]


def test_an_analysis_ends_early_when_everything_is_proven(client, endless):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("analyse", on=True)
        *_, found = until_done(browser, "analysis")
        assert found["exact"]
        assert (found["moves"][0]["name"], found["value"]) == ("take 1", 1.0)  # which leaves four


def test_a_new_analysis_takes_the_place_of_the_old(client, endless):
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.play(3)
        browser.my_turn()
        browser.send("analyse", on=True, ply=0)
        assert [browser.next("analysis")["ply"] for _ in range(3)] == [0, 0, 0]
        browser.send("analyse", on=True, ply=1)
        while browser.next("analysis")["ply"] == 0:
            pass
        assert all(browser.next("analysis")["ply"] == 1 for _ in range(5))


def test_an_analysis_stops_on_request(client, endless):
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.send("analyse", on=True)
        assert not any(browser.next("analysis")["done"] for _ in range(3))
        browser.send("analyse", on=False)
        browser.settled()
        browser.send("hint")  # takes as long as several rounds
        assert browser.receive()["type"] == "hint"


def test_who_plays_people_must_wait_for_the_end(client):
    answer = client.ready_table("nim:heap=7", "you", "you")
    room = client.room(answer["id"])
    with client.at({"id": room.id, "token": client.admit(room.id, Access((0,)))}) as browser:
        browser.my_turn()
        assert not browser.table["can"]["analyse"]
        for message in ("analyse", "review"):
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


def test_a_review_finds_what_lost_the_game(client):
    with client.playing("nim:heap=5", "you", "you") as browser:
        for take in (2, 2):  # both are mistakes: the first leaves three, and the second does not take them
            browser.play(take - 1)
        browser.play(0)
        browser.send("review", on=True)
        *_, found = until_done(browser, "review")
        assert found["points"][0] == {"ply": 0, "values": [1.0, 0.0]}
        assert found["points"][-1] == {"ply": 3, "values": [1.0, 0.0]}
        names = [(move["ply"], move["seat"], move["name"], move["best"]) for move in found["moves"]]
        assert names == [(1, 0, "take 2", "take 1"), (2, 1, "take 2", "take 3")]  # the last one was forced
        assert [(move["lost"], move["grade"]) for move in found["moves"]] == [(1.0, "blunder")] * 2
        assert found["accuracy"] == [0.0, 0.0]
        numbers = {entry["ply"]: entry["name"] for entry in browser.table["log"]}
        assert all(numbers[move["ply"]] == move["name"] for move in found["moves"])


def test_who_plays_the_best_moves_plays_accurately(client):
    with client.playing("nim:heap=5", "you", "you") as browser:
        for take in (1, 1, 3):
            browser.play(take - 1)
        browser.send("review", on=True)
        *_, found = until_done(browser, "review")
        assert [move["grade"] for move in found["moves"]] == ["best", "best", "best"]
        assert found["accuracy"] == [1.0, None]  # the second player never had anything to lose
        assert found["progress"] == 1.0


def test_games_of_bots_that_hide_nothing_can_be_analysed_while_they_are_played(client):
    with client.playing("nim:heap=30", "random", "random") as browser:
        browser.send("pause", on=True)
        browser.now_or_later(lambda table: table["paused"])
        assert browser.table["can"]["analyse"]
        browser.send("analyse", on=True, ply=0)
        assert until_done(browser, "analysis")[-1]["moves"]
    with client.playing("highcard", "random", "random", "random") as browser:
        assert browser.table["over"] or not browser.table["can"]["analyse"]


def test_what_is_no_chance_is_called_an_evaluation(client):
    from kibitz.web.opinions import outlook

    game = client.server.catalogue.game("nim")
    assert outlook(game, 0.63, is_chance=True) == "63 % to win"
    assert outlook(game, 0.63, is_chance=False) == "evaluation 63 %"


def test_with_several_players_only_the_chance_of_the_player_to_move_is_known(client):
    with client.playing("highcard", "you", "beginner", "beginner", seed=4) as browser:
        browser.play_on()
        browser.send("review", on=True)
        *_, found = until_done(browser, "review")
        first = found["points"][0]
        assert first["ply"] == 6
        assert first["values"][0] is not None
        assert first["values"][1:] == [None, None]


def test_a_review_stops_on_request(client, monkeypatch):
    monkeypatch.setattr(reviews, "REVIEW_SECONDS", (0.01,) * 10_000)
    monkeypatch.setattr(reviews, "UPDATE_SECONDS", 0)
    with client.playing("connect_four", "you", "beginner") as browser:
        browser.play(3)
        browser.my_turn()
        browser.send("review", on=True)
        assert not any(browser.next("review")["done"] for _ in range(3))
        browser.send("review", on=False)
        browser.settled()
        browser.send("hint")
        assert browser.receive()["type"] == "hint"


def test_a_hint_names_a_move_and_its_chance(client):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("hint")
        found = browser.next("hint")
        assert found["move"] == 0
        assert found["words"] == "Take 1: 100 % to win (exact)"
        assert found["version"] == browser.table["version"]


def test_there_is_no_hint_out_of_turn(client):
    with client.playing("nim:heap=5", "you", "beginner") as browser:
        browser.send("resign")
        browser.until(lambda table: table["over"])
        browser.send("hint")
        assert "when it is your turn" in browser.error()


def test_in_a_game_with_utilities_these_are_what_the_page_shows():
    with (
        serving(Catalogue([f"{TOYS}:Centipede"])) as client,
        client.playing("centipede:rounds=3", "you", "beginner") as browser,
    ):
        browser.send("analyse", on=True)
        *_, found = until_done(browser, "analysis")
        assert (found["outlook"], found["exact"]) == ("expected utility +2.00", True)
        assert found["moves"][0]["words"] == "+2.00"
        browser.send("hint")
        assert browser.next("hint")["words"] == "0: expected utility +2.00 (exact)"
        browser.play(0)
        table = browser.now_or_later(lambda table: table["over"])
        assert table["utilities"] == ["0", "+4"]
        assert [(seat["payoff"], seat["paid"]) for seat in table["seats"]] == [(2, "+2"), (0, "0")]
        assert table["result"] == "You win."
        browser.send("review", on=True)
        *_, found = until_done(browser, "review")
        assert found["points"][0]["values"] == [0.5, None]
        assert found["points"][-1]["values"] == [0.5, 0.0]
        assert found["ends"] == ["+2.00", "0.00"]
