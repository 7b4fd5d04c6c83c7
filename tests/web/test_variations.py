"""Lines of play that somebody tries out: positions, opinions, and games that go on after them."""

import json

import pytest
from visitors import bearing

from kibitz.web import opinions

NIM = "nim:heap=7"


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch):
    monkeypatch.setattr(opinions, "POSITION_SECONDS", (0.01, 0.02))


def position(client, token=None, **line):
    answer = client.http.post("/api/positions", json=line, headers=bearing(token) if token else {})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(client, path="/api/positions", token=None, **line):
    answer = client.http.post(path, json=line, headers=bearing(token) if token else {})
    assert answer.status_code == 422
    return answer.json()["error"]


def test_a_line_is_played_move_by_move(client):
    found = position(client, game=NIM, moves=[1, 0], names="take 2")
    assert [(ply["seat"], ply["name"], ply["move"]) for ply in found["plies"]] == [
        (0, "take 2", 1),
        (1, "take 1", 0),
        (0, "take 2", 1),
    ]
    assert (found["turn"], found["ply"], found["status"]) == (1, 3, "Player 2 to move")
    assert [choice["name"] for choice in found["moves"]] == ["take 1", "take 2"]
    assert position(client, game=NIM, moves=[1, 0], since=1)["plies"][0]["ply"] == 2


def test_the_end_of_a_line_may_be_the_end_of_the_game(client):
    found = position(client, game=NIM, moves=[2, 2, 0])
    assert (found["over"], found["moves"], found["status"]) == (True, [], "Player 1 wins.")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"game": NIM, "moves": [9]}, "not a legal move"),
        ({"game": NIM, "names": "take 1 take 9"}, "Move 2: 'take' is not a legal move"),
        ({"game": NIM, "names": "take 3 take 3 take 1 take 1"}, "over"),
        ({"game": "tictactoe"}, "no game called"),
        ({"game": NIM, "ply": 3}, "name the table"),
        ({"game": NIM, "position": "{}"}, "cannot be checked"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_in_a_sentence(client, line, words):
    assert words in refusal(client, **line)


def test_chance_is_chosen_or_drawn(client):
    waiting = position(client, game="dicerace", moves=[1])
    assert (waiting["turn"], waiting["status"]) == (-1, "Chance decides")
    assert sum(choice["odds"] for choice in waiting["moves"]) == pytest.approx(1)
    chosen = position(client, game="dicerace", moves=[1, waiting["moves"][-1]["move"]])
    assert chosen["turn"] >= 0
    drawn = [position(client, game="dicerace", moves=[1], deal=seed)["plies"] for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert any(plies != drawn[0] for plies in drawn)


def test_a_line_can_leave_a_finished_game(client):
    with client.playing(NIM, "you", "you") as browser:
        for take in (2, 2, 3):
            browser.play(take - 1)
        found = position(client, table=browser.id, ply=1, moves=[0])
    assert [ply["name"] for ply in found["plies"]] == ["take 2", "take 1"]


def test_nobody_learns_anything_of_a_game_that_is_not_theirs_to_analyse(client):
    for game, seats in (("highcard", ("you", "beginner", "beginner")), (NIM, ("you", "you"))):
        with client.playing(game, *seats) as browser:
            for path in ("/api/positions", "/api/opinions"):
                assert "when it is over" in refusal(client, path, browser.token, table=browser.id)
                assert "when it is over" in refusal(client, path, table=browser.id)
    assert client.http.post("/api/positions", json={"table": "nowhere"}).status_code == 404


def test_who_plays_alone_may_try_out_lines_of_a_game_that_hides_nothing(client):
    with client.playing(NIM, "you", "beginner") as browser:
        browser.my_turn()
        assert position(client, browser.token, table=browser.id, ply=0, moves=[2])["ply"] == 1


def test_opinions_come_line_by_line(client):
    answer = client.http.post("/api/opinions", json={"game": NIM, "moves": [1], "bot": "uct"})
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert found[-1]["done"]
    assert found[-1]["moves"][0]["name"] == "take 1"  # which leaves four
    assert found[-1]["player"] == 1
    over = client.http.post("/api/opinions", json={"game": NIM, "moves": [2, 2, 0]})
    assert json.loads(over.text)["moves"] == []


def test_only_a_search_has_opinions(client):
    assert "not a search" in refusal(client, "/api/opinions", game=NIM, bot="random")
    assert "cannot judge" in refusal(client, "/api/opinions", game=NIM, bot="Trouble")


def test_a_game_goes_on_after_a_line(client):
    with client.playing(NIM, "you", "you") as browser:
        for take in (2, 2, 3):
            browser.play(take - 1)
        line = {"table": browser.id, "ply": 1, "moves": [0]}
    with client.playing(NIM, "you", "you", after=line) as again:
        assert again.table["plies"] == 2
        assert not again.table["can"]["undo"]
        again.play(0)
        again.send("undo")
        again.until(lambda table: table["plies"] == 2)
        again.send("undo")
        assert "nothing" in again.error()
        again.play(1)
        again.play(1)
        assert again.table["over"]
        record = client.http.get(f"/api/tables/{again.id}/record").json()
        assert record["names"] == ["take 2", "take 1", "take 2", "take 2"]
        assert client.http.post("/api/records", json=record).status_code == 200


def test_a_game_that_went_on_after_a_line_is_restored(client):
    line = {"game": "dicerace", "moves": [1, 2]}
    answer = client.ready_table("dicerace", "beginner", "you", after=line)  # the person is to move: nothing happens
    room = client.room(answer["id"])
    snapshot = type(room.snapshot()).from_json(room.snapshot().to_json())
    restored = client.run(client.server.rooms.restore, snapshot, True)
    assert restored.table.history == room.table.history
    assert restored.setting.given == room.setting.given
    assert restored.setting.again().given


def test_a_game_does_not_go_on_after_its_end_or_another_game(client):
    assert "over" in client.refusal(NIM, "you", "you", after={"game": NIM, "moves": [2, 2, 0]})
    assert "another" in client.refusal(NIM, "you", "you", after={"game": "nim:heap=9", "moves": [2]})
