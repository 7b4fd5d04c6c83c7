"""What a client might send, from random bytes to messages in which a single field is wrong."""

import json
from typing import get_args

from kibitz.web.messages import Message

NUMBERS = (0, -1, 1, 2**31, 2**31 + 1, 2**63, -(2**63), 10**400, 1.0, 0.5, -0.0, 1e308, 1e-308)
WORDS = ("", " ", "0", "1", "draw", "end", "play", "random", "beginner", "best", "nim", "a" * 300, "é" * 50)
SPECS = (
    "uct:sims=10",
    "uct:sims=-1",
    "cmd:ls",
    "x.py:Y",
    "../../etc/passwd",
    "ur:pieces=x",
    "nim:heap=",
    ":",
    "a:b=c,",
)
STRANGE = ("\x00", "\ud800", "\udfff\ud800", "\u202e", "\n\r\t", "e" + "\u0301" * 50)
ODD = (None, True, False, [], {}, [[]], {"": None}, {"type": "play"}, *NUMBERS, *WORDS, *SPECS, *STRANGE)
DEEP = ("[" * 2000, "[" * 100 + "]" * 100, '{"a":' * 500 + "1" + "}" * 500, "[" * 2000 + "]" * 2000)
BROKEN = (
    "",
    " ",
    "{",
    '"',
    "nul",
    "NaN",
    "-Infinity",
    "[1,",
    '{"type"}',
    "\x00",
    '{"type": "\\ud800"}',
    "1" * 4000,
    "\ufeff{}",
)
USUAL = {"move": 0, "version": 5, "ply": 1, "on": True, "speed": 2.0, "offer": "draw", "agree": True, "seat": 0}
USUAL |= {"bot": "random"}
KINDS = [get_args(model.model_fields["type"].annotation)[0] for model in get_args(Message)]
FIELDS = {
    get_args(model.model_fields["type"].annotation)[0]: [name for name in model.model_fields if name != "type"]
    for model in get_args(Message)
}


def anything(luck, depth=3):
    """A random JSON document."""
    if depth == 0 or luck.random() < 0.5:
        return luck.choice(ODD)
    if luck.random() < 0.5:
        return [anything(luck, depth - 1) for _ in range(luck.randrange(4))]
    return {luck.choice(("type", "move", "a", "", "seat", "\ud800")): anything(luck, depth - 1) for _ in range(3)}


def spoiled(luck, document):
    """The same document with one thing changed, at any depth."""
    if isinstance(document, dict) and document and luck.random() < 0.9:
        key = luck.choice(list(document))
        choice = luck.random()
        if choice < 0.15:
            return {name: value for name, value in document.items() if name != key}
        if choice < 0.3:
            return {**document, luck.choice(("extra", "", "type2", "x" * 3000)): anything(luck, 1)}
        return {**document, key: spoiled(luck, document[key])}
    if isinstance(document, list) and document and luck.random() < 0.8:
        index = luck.randrange(len(document))
        return [*document[:index], spoiled(luck, document[index]), *document[index + 1 :]]
    return anything(luck, 2)


def message(luck, version=None):
    """A text or bytes for a socket: valid, nearly valid, or nonsense."""
    choice = luck.random()
    if choice < 0.05:
        return luck.randbytes(luck.randrange(200))
    if choice < 0.1:
        return luck.choice(DEEP + BROKEN)
    if choice < 0.2:
        return json.dumps(anything(luck))
    kind = luck.choice(KINDS)
    valid = {"type": kind, **{name: USUAL[name] for name in FIELDS[kind]}}
    if "version" in valid and version is not None:
        valid["version"] = version
    if "move" in valid:
        valid["move"] = luck.randrange(60)
    return json.dumps(valid if choice < 0.5 else spoiled(luck, valid))


def table_request(luck, game="connect_four", players=2):
    """A new table that may be possible or not."""
    seats = [
        luck.choice(({"you": True}, {"open": True}, {"bot": "random"}, {"bot": "beginner"})) for _ in range(players)
    ]
    valid = {"game": game, "seats": seats, "seed": None, "colours": None, "absence": 60, "clock": None}
    return valid if luck.random() < 0.3 else spoiled(luck, valid)
