"""What is hidden at the table is hidden from the browser: in boards, logs, the past, moves and analyses."""

import json
import re

import pytest
from toys import CARDS, DECK, UNKNOWN

from kibitz.web.access import Access

GAME = ("highcard", "you", "beginner", "beginner")


def shown(table):
    """Where each card is, as the text of the board says."""
    return json.loads(re.search(r"where = (\[.*?\])", table["text"])[1])


def true_places(client, browser):
    return client.room(browser.id).table.state.where.tolist()


def test_a_player_sees_only_its_own_cards(client):
    with client.playing(*GAME, seed=4) as browser:
        hidden = [place not in (0, 4) for place in true_places(client, browser)]
        assert [place == UNKNOWN for place in shown(browser.table)] == hidden
        assert sum(hidden) == CARDS - 2


def test_a_spectator_sees_no_cards(client):
    with client.playing(*GAME, seed=4) as browser, client.at({"id": browser.id}, token=False) as spectator:
        assert shown(spectator.table) == [UNKNOWN] * CARDS
        assert spectator.table["log"] == []  # of the deal it saw nothing
        assert DECK in true_places(client, browser)


def test_the_log_tells_a_player_of_its_own_deal_alone(client):
    with client.playing(*GAME, seed=4) as browser:
        own = [card for card, place in enumerate(true_places(client, browser)) if place == 0]
        dealt = [entry["name"] for entry in browser.table["log"] if entry["seat"] == -1]
        assert sorted(dealt) == [f"deal {card}" for card in own]


def test_a_secret_move_is_told_without_its_name(client):
    with client.playing(*GAME, seed=4) as browser, client.at({"id": browser.id}, token=False) as spectator:
        bid = browser.table["moves"][0]
        browser.play(bid["move"])
        browser.now_or_later(lambda table: table["plies"] == 9)  # the others have bid
        entries = [entry for entry in browser.table["log"] if entry["seat"] >= 0]
        assert [entry["name"] for entry in entries] == [bid["name"], "a secret move", "a secret move"]
        table = spectator.now_or_later(lambda table: table["plies"] == 9)
        assert {entry["name"] for entry in table["log"]} == {"a secret move"}


def test_nothing_hidden_is_in_any_message_before_the_end(client):
    with client.playing(*GAME, seed=9) as browser, client.at({"id": browser.id}, token=False) as spectator:
        while not browser.my_turn()["over"]:
            places = true_places(client, browser)
            mine = spectator.now_or_later(lambda table: table["plies"] == browser.table["plies"])
            for seen, own in ((browser.table, 0), (mine, None)):
                assert all(shown(seen)[card] in (UNKNOWN, 4, own) for card in range(CARDS))
                assert [place == 4 for place in shown(seen)] == [place == 4 for place in places]
            browser.play(browser.table["moves"][0]["move"])


def test_the_past_is_shown_as_it_was_seen(client):
    with client.playing(*GAME, seed=4) as browser:
        browser.play(browser.table["moves"][0]["move"])
        browser.my_turn()
        browser.send("show", ply=6)
        table = browser.until(lambda table: table["ply"] == 6)
        assert shown(table).count(UNKNOWN) == CARDS - 2
        assert table["moves"] == []


def test_a_finished_game_is_laid_open_to_all(client):
    with client.playing(*GAME, seed=4) as browser:
        browser.play_on()
        with client.at({"id": browser.id}, token=False) as spectator:
            assert sum(entry["name"].startswith("deal") for entry in spectator.table["log"]) == 6
            spectator.send("show", ply=6)
            places = shown(spectator.until(lambda table: table["ply"] == 6))
            assert UNKNOWN not in places
            assert sorted(places) == [0, 0, 1, 1, 2, 2, DECK]


def test_of_several_own_seats_the_one_to_move_is_shown(client):
    with client.playing("highcard", "you", "you", "beginner", seed=4) as browser:
        assert shown(browser.table).count(0) == 2
        assert browser.play(browser.table["moves"][0]["move"])["turn"] == 1
        assert shown(browser.table).count(1) == 2
        assert shown(browser.table).count(0) == 0


def test_the_moves_of_others_cannot_be_analysed_before_the_end(client):
    with client.playing("highcard", "beginner", "you", "beginner", seed=4) as browser:
        browser.my_turn()
        browser.send("analyse", on=True, ply=6)  # the bid of the first
        analysis = browser.next("analysis")
        assert analysis["moves"] == []
        assert analysis["value"] is None


def test_the_view_that_is_analysed_is_the_movers(client):
    answer = client.ready_table(*GAME, seed=4)
    with client.at(answer) as browser:
        browser.my_turn()
        history = client.room(answer["id"]).history
        view = history.view(6, 0)
        assert view.state.where.tolist().count(UNKNOWN) == CARDS - 2
        assert len(view.history) == 2  # its own two cards


@pytest.mark.parametrize("seats", [(0,), (1,), (2,)])
def test_an_opponent_with_a_token_sees_its_own_view(client, seats):
    answer = client.ready_table("highcard", "you", "you", "you", seed=4)
    room = client.room(answer["id"])
    with client.at({"id": room.id, "token": client.admit(room.id, Access(seats))}) as browser:
        assert set(shown(browser.table)) == {seats[0], UNKNOWN}


def test_what_is_told_of_a_move_is_told_from_what_was_seen(client, monkeypatch):
    with client.playing(*GAME, seed=4) as browser:
        board = type(client.room(browser.id).table.board)
        told = []
        monkeypatch.setattr(board, "effects", lambda self, game, s, move, after: told.extend((s, after)) or [])
        browser.play(browser.table["moves"][0]["move"])
        browser.my_turn()
        assert told
        assert all(set(state.where.tolist()) <= {0, UNKNOWN} for state in told)
