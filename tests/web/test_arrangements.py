"""Positions that are set up by hand, and games that begin there."""

import json

import pytest

BOARD = "connect_four:columns=4,rows=4"
RED, YELLOW, AWAY = 0, 1, 2


def arranged(client, *edits, **more):
    wanted = {"game": BOARD, "edits": [{"item": item, "clicks": [f"column-{column}"]} for item, column in edits]}
    answer = client.http.post("/api/arrangements", json={**wanted, **more})
    return answer.json()


def test_a_position_is_set_up_thing_by_thing(client):
    found = arranged(client, (RED, 1), (YELLOW, 1), (RED, 1), (RED, 1), (AWAY, 1))
    assert [item["say"] for item in found["items"]] == ["Red disc", "Yellow disc", "Take away"]
    assert (found["turn"], found["chooses_turn"], found["error"]) == (1, False, None)
    assert found["items"][AWAY]["places"] == [["column-1"]]
    assert json.loads(found["position"])["discs"] == [5, 2]
    assert arranged(client, cleared=True, moves=[0, 1])["items"][AWAY]["places"] == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"edits": [{"item": 9, "clicks": ["column-1"]}]}, "Edit 1 is not possible"),
        ({"edits": [{"item": 0, "clicks": ["column-9"]}]}, "Edit 1 is not possible"),
        ({"edits": [{"item": 2, "clicks": ["column-1"]}]}, "Edit 1 is not possible"),
        ({"game": "ur", "turn": 7}, "no player 7"),
        ({"game": "nim:heap=7"}, "cannot be set up"),
        ({"game": "camelup"}, "cannot be set up"),
    ],
)
def test_what_cannot_be_put_there_is_refused(client, more, words):
    assert words in arranged(client, **more)["error"]


def test_a_game_begins_in_a_position_and_is_restored_there(client):
    impossible = arranged(client, (RED, 1), (RED, 2))
    assert "take turns" in impossible["error"]
    after = {"game": BOARD, "position": impossible["position"]}
    assert "take turns" in client.refusal(BOARD, "you", "you", after=after)
    start = arranged(client, (RED, 1), (RED, 1), (RED, 1), (YELLOW, 2), (YELLOW, 2), (YELLOW, 3))["position"]
    with client.playing(BOARD, "you", "you", after={"game": BOARD, "position": start, "moves": [3]}) as browser:
        assert (browser.table["plies"], browser.table["turn"]) == (1, 1)
        browser.play(3)
        room = client.room(browser.id)
        snapshot = type(room.snapshot()).from_json(room.snapshot().to_json())
        restored = client.run(client.server.rooms.restore, snapshot, True)
        assert restored.table.state == room.table.state
        assert restored.setting.again().position == start
        browser.play(0)
        assert browser.table["over"]
        record = client.http.get(f"/api/tables/{browser.id}/record").json()
    assert (record["position"], record["names"], record["payoff"]) == (start, ["4", "4", "1"], [1, 0])
    opened = client.http.post("/api/records", json={**record, "position": start.replace(",", ", ")}).json()
    line = {"table": opened["id"], "ply": 1}
    found = client.http.post("/api/positions", json=line).json()
    assert (found["start"], found["ply"]) == (start, 1)


def test_a_record_from_an_impossible_position_is_refused(client):
    record = {"game": BOARD, "seed": 1, "number": 0, "luck": 0, "seats": ["a", "b"], "turns": [], "moves": []}
    record |= {"names": [], "over": False, "payoff": [], "score": []}
    for position, words in (
        ('{"discs":[1,1],"plies":2,"turn":0,"winner":-1}', "same cell"),
        ("nonsense", "not a valid"),
    ):
        answer = client.http.post("/api/records", json={**record, "position": position})
        assert (answer.status_code, words in answer.json()["error"]) == (422, True)
