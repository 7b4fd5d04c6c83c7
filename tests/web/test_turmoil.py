"""Whatever browsers send, in whatever order, the table stays a game by the rules."""

import random

import pytest

from kibitz.table import Table

MESSAGES = (
    *[{"type": "play"}] * 8,
    {"type": "undo"},
    {"type": "hint"},
    {"type": "show", "ply": 3},
    {"type": "show", "ply": None},
    {"type": "analyse", "on": True},
    {"type": "analyse", "on": True, "ply": 2},
    {"type": "analyse", "on": False},
    {"type": "course", "on": True},
    {"type": "course", "on": False},
    {"type": "pause", "on": True},
    {"type": "step"},
    {"type": "nonsense"},
)


@pytest.mark.parametrize("game", ["nim:heap=60", "dicerace:goal=60", "highcard"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_table_survives_any_sequence_of_messages(client, game, seed):
    dice, table = random.Random(seed), None
    others = ["uct:sims=20"] if game != "highcard" else ["beginner", "mc:sims=9"]
    with client.playing(game, "you", *others, seed=seed) as browser:
        room = client.house.store.get(browser.id)
        for number in range(60):
            for _ in range(dice.randrange(1, 6)):
                message = dict(dice.choice(MESSAGES))
                if message["type"] == "play":
                    message |= {"move": dice.randrange(9), "version": room.version - dice.randrange(2)}
                browser.session.send_json(message)
            before, table = table, settled(browser, f"mark-{number}-")
            assert before is None or table["version"] >= before["version"]
        record = room.table.record()
        assert Table.replay(record, room.table.game).state == room.table.state
        assert table["plies"] == len(room.table.history)
        assert not room.fault


def settled(browser, mark):
    """The table after all that was sent has been read, and no bot is to move."""
    browser.send("show", ply=None)
    browser.send(mark)
    while mark not in browser.receive().get("error", ""):
        pass
    browser.send("show", ply=None)
    browser.next("table")
    while browser.table["turn"] not in (0, -2):
        browser.receive()
    return browser.table
