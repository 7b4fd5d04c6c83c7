"""Whatever browsers send, in whatever order, the table stays a game by the rules."""

import os
import random

import pytest

from kibitz.rules.contract import OVER
from kibitz.table import Table
from kibitz.web.endings import EndingKind
from kibitz.web.snapshots import RoomSnapshot

MESSAGES = (
    *[{"type": "play"}] * 8,
    {"type": "undo"},
    {"type": "hint"},
    {"type": "show", "ply": 3},
    {"type": "show", "ply": None},
    {"type": "analyse", "on": True},
    {"type": "analyse", "on": True, "ply": 2},
    {"type": "analyse", "on": False},
    {"type": "review", "on": True},
    {"type": "review", "on": False},
    {"type": "pause", "on": True},
    {"type": "step"},
    {"type": "nonsense"},
)


@pytest.mark.parametrize("game", ["nim:heap=60", "dicerace:goal=60", "highcard"])
@pytest.mark.parametrize("seed", range(1, 11 if os.environ.get("KIBITZ_SOAK") else 2))
def test_a_table_survives_any_sequence_of_messages(client, game, seed):
    dice, table = random.Random(seed), None
    others = ["uct:sims=20"] if game != "highcard" else ["beginner", "mc:sims=9"]
    with client.playing(game, "you", *others, seed=seed) as browser:
        room = client.room(browser.id)
        for _ in range(60):
            for _ in range(dice.randrange(1, 6)):
                message = dict(dice.choice(MESSAGES))
                if message["type"] == "play":
                    message |= {"move": dice.randrange(9), "version": room.version - dice.randrange(2)}
                browser.session.send_json(message)
            before, table = table, at_rest(browser)
            assert before is None or table["version"] >= before["version"]
        record, snapshot = room.table.record(), client.run(room.snapshot)
        assert Table.replay(record, room.table.game).state == room.table.state
        assert (table["plies"], table["version"]) == (len(room.table.history), room.version)
        assert room.ending is None or room.ending.kind is EndingKind.PLAYED_OUT
        copy = client.run(client.server.rooms.restore, RoomSnapshot.from_json(snapshot.to_json()))
        assert (copy.table.state, copy.snapshot()) == (room.table.state, snapshot)


def at_rest(browser):
    """The table when everything that was sent is carried out, and no bot is to move."""
    browser.settled()
    browser.send("show", ply=None)
    browser.next("table")
    while browser.table["turn"] not in (0, OVER):
        browser.receive()
    return browser.table
