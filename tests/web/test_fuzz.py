"""Whatever is sent over sockets, by whomever: it is carried out or answered with a sentence, and the room is intact."""

import json
import os
import random

import pytest
from nonsense import anything, message, spoiled, table_request
from visitors import bearing

from kibitz.web.access import new_token
from kibitz.web.snapshots import RoomSnapshot

MESSAGES = 250
SEEDS = range(10 if os.environ.get("KIBITZ_SOAK") else 1)


def is_intact(client, room):
    """Whether a room can be saved, restored, and is the same again."""
    snapshot = client.run(room.snapshot)
    assert RoomSnapshot.from_json(snapshot.to_json()) == snapshot

    async def again():
        restored = await client.server.rooms.restore(snapshot)
        found = restored.snapshot()
        restored.close()
        return found

    found = client.run(again)
    return (found.events, found.ending, found.grants, found.seats) == (
        snapshot.events,
        snapshot.ending,
        snapshot.grants,
        snapshot.seats,
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("game", "seats"),
    [("nim:heap=21", ["you", "open"]), ("highcard", ["you", "you", "open"]), ("connect_four", ["you", "random"])],
)
def test_no_message_breaks_a_table(client, caplog, game, seats, seed):
    luck = random.Random(f"{game} {seed}")
    answer = client.ready_table(game, *seats)
    other = client.join(answer["id"]) if "open" in seats else {"id": answer["id"], "token": new_token()}
    room = client.room(answer["id"])
    sent = {}
    with client.at(answer) as own, client.at(other) as rival, client.at(answer, token=False) as spectator:
        everyone = [own, rival, spectator]
        for _ in range(MESSAGES):
            browser = luck.choice(everyone)
            text = message(luck, room.version)
            if luck.random() < 0.1 and sent:
                text = luck.choice(list(sent))  # replayed, perhaps by somebody else
            sent[text] = None
            if isinstance(text, bytes):
                browser.session.send_bytes(text)
            else:
                browser.session.send_text(text)
        for browser in everyone:
            assert browser.settled()["id"] == room.id
        assert is_intact(client, room)
    assert not [record.getMessage() for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_request_fails(client, caplog, seed):
    luck = random.Random(seed)
    record = json.loads(finished(client))
    for _ in range(60):
        path, body = luck.choice(
            (
                ("/api/tables", table_request(luck, "nim")),
                ("/api/tables/nothing/seats", {"name": luck.choice(("\ud800", "x", 5)), "seat": anything(luck, 1)}),
                ("/api/records", spoiled(luck, record)),
                ("/api/operator", {"secret": anything(luck, 1)}),
                ("/api/tables", anything(luck)),
            )
        )
        answer = client.http.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        assert answer.status_code in (200, 403, 404, 422), (path, body)
        if answer.status_code != 200:
            assert answer.json()["error"].endswith("."), (path, body)
            assert len(answer.content) < 1000, "It repeats what was sent."
    assert not [record.getMessage() for record in caplog.records if record.exc_info]


def finished(client):
    with client.playing("nim:heap=5", "you", "you") as browser:
        browser.play_on()
        return client.http.get(f"/api/tables/{browser.id}/record", headers=bearing(browser.token)).text
