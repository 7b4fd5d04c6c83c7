"""Nobody learns what is hidden, by any message or endpoint: two games that differ only in what somebody may not know
look exactly the same to them, to the last byte.

The second game is the first one with everything permuted that is hidden from one viewer: in every position so far, what
others hold and what lies in the deck; every move and every chance outcome that the viewer did not see; and the seed.
"""

import json
import random
import re
from dataclasses import replace

import pytest
from visitors import bearing

from kibitz.rules.contract import NOBODY
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.table import Ply
from kibitz.web.access import Access, visitor_with
from kibitz.web.history import GameHistory
from kibitz.web.server_clock import ServerClock

GAMES = {"camelup:players=3": 3, "mexican_train:players=3,rounds=2": 3, "highcard": 3}
LISTS = ("/api/tables?stage=running", "/api/tables/mine?stage=unfinished", "/api/records")
PLIES = 14  # moves by people before everyone is asked what they see


@pytest.fixture(scope="module", params=GAMES)
def table(request, client):
    """A game in progress among three people, and the tokens of each."""
    players = GAMES[request.param]
    answer = client.ready_table(request.param, *["you"] * players, seed=77, listed=True)
    room, everyone, luck = client.room(answer["id"]), Access(tuple(range(players))), random.Random(5)

    def play():
        if not room.over:
            room.play(everyone, luck.choice(room.table.moves), room.version)

    for _ in range(PLIES if request.param != "highcard" else 4):
        client.run(play)
    assert not room.over
    room.times._clock = room.audience.presence._clock = ServerClock(
        lambda: 5.0
    )  # it stands still: times are not compared here
    room.times.began = 0.0
    return room, [client.admit(room.id, Access((player,))) for player in range(players)]


def permuted(room, viewer, luck):
    """The history of a room with everything shuffled that is hidden from a viewer."""
    history, engine = GameHistory(room.table), Engine(room.table.game)
    dealers = range(room.table.game.players) if viewer == NOBODY else [viewer]
    for index, state in enumerate(history._states):
        shuffled = state.copy()
        for player in dealers:
            shuffled = engine.redacted(shuffled, player)
            engine.redeal(shuffled, player, Stream("leaks", luck.randrange(2**31)))
        assert engine.redacted(shuffled, viewer) == engine.redacted(state, viewer)
        if index < len(history._plies):
            turn, move = history._plies[index]
            seen = engine.seen(state, move, viewer)
            alike = [other for other in range(room.table.game.actions) if engine.seen(shuffled, other, viewer) == seen]
            if seen != move and alike:
                history._plies[index] = Ply(turn, luck.choice(alike))
        history._states[index] = shuffled
    return history


def everything(client, room, token):
    """All that somebody can get to see of a table without changing it: every endpoint, every message."""
    headers = bearing(token) if token else {}
    found = [repr(client.run(room.snapshot).summary)]
    for path in (
        f"/table/{room.id}",
        f"/api/tables/{room.id}/record",
        "/api/games",
        "/api/logs",
        f"/static/{room.id}",
        *LISTS,
    ):
        answer = client.http.get(path, headers=headers)
        found.append((path, answer.status_code, re.sub(r'"now":[^}]*', "", answer.text)))
    for path in (f"/api/tables/{room.id}/seats", "/api/tables", "/api/records"):
        answer = client.http.post(path, json={"name": "x"}, headers=headers)
        found.append((path, answer.status_code, answer.text))
    with client.at({"id": room.id, "token": token}, token=bool(token)) as browser:
        found.append(browser.table)
        messages = [{"type": "show", "ply": ply} for ply in (*range(len(room.history) + 1), None)]
        messages += [{"type": kind} for kind in ("undo", "hint", "rematch", "step", "nonsense")]
        messages += [{"type": kind, "on": True} for kind in ("analyse", "review", "pause")]
        messages += [{"type": "analyse", "on": True, "ply": 3}, {"type": "speed", "speed": 2}]
        messages += [{"type": "seat bot", "seat": seat, "bot": "random"} for seat in (0, 1, 9)]
        messages += [{"type": "end without", "seat": 1}, {"type": "answer", "agree": True}]
        if room.turn not in room.access(token and visitor_with(token)).seats:
            messages += [{"type": "play", "move": move, "version": room.version} for move in range(4)]
        for message in messages:
            browser.session.send_json(message)
            found.append(browser.receive())
    return json.dumps(found)


@pytest.mark.parametrize("viewer", [0, 1, 2, NOBODY])
def test_what_is_hidden_makes_no_difference_to_what_is_seen(client, table, viewer, monkeypatch):
    room, tokens = table
    token = None if viewer == NOBODY else tokens[viewer]
    before = everything(client, room, token)
    luck, truth, setting = random.Random(viewer), room.history, room.setting
    differences = 0
    for _ in range(3):
        other = permuted(room, viewer, luck)
        differences += sum(one != another for one, another in zip(truth._states, other._states, strict=True))
        monkeypatch.setattr(room, "history", other)
        monkeypatch.setattr(room, "setting", replace(setting, seed=luck.randrange(2**50)))
        monkeypatch.setattr(room.table, "_state", other._states[-1])
        monkeypatch.setattr(room.table, "seed", 123456)
        assert everything(client, room, token) == before
        monkeypatch.undo()
    assert differences > len(truth)  # there was something to hide
