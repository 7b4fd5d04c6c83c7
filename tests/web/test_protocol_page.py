"""docs/socket-protocol.md names every message and every endpoint that there is, and no others."""

import re
from pathlib import Path
from typing import get_args

from kibitz.web.messages import Message

PAGE = (Path(__file__).parents[2] / "docs" / "socket-protocol.md").read_text()


def test_all_messages_are_described_with_their_fields():
    sent = PAGE.partition("### What you can send")[2].partition("### What you are sent")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", sent, re.MULTILINE)[1:]
    fields = {}
    for names, described in rows:
        for name, own in zip(re.findall(r"`(.+?)`", names), described.split(";") * 3, strict=False):
            fields[name] = set(re.findall(r"`(\w+)`", own))
    expected = {}
    for message in get_args(Message):
        (name,) = get_args(message.model_fields["type"].annotation)
        expected[name] = set(message.model_fields) - {"type"}
    assert fields == expected


def test_turning_points_and_moves_are_described_with_their_fields(client):
    """By those of a game whose first round ends with the first move."""
    answer = client.ready_table("mexican_train:players=2,hand=1,rounds=2", "you", "you", seed=1)
    with client.at(answer) as browser:
        while not browser.table["turning_points"]:
            assert fields_of("`moves`") >= set(browser.table["moves"][0])
            browser.play(browser.table["moves"][0]["move"])
        (point,) = browser.table["turning_points"]
    rows = PAGE.partition("| field of a turning point |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE)))) == set(point)


def fields_of(field):
    """What the page names in the row of a field of a table."""
    (row,) = re.findall(rf"^\| {field} \| (.*) \|$", PAGE, re.MULTILINE)
    return set(re.findall(r"`(\w+)`", row))


def test_all_endpoints_are_described(client):
    described = set(re.findall(r"^\| (GET|POST|DELETE) (/\S+?)(?:\?\S+)? \|", PAGE, re.MULTILINE))
    there = {
        (method.upper(), path.replace("{key}", "ID").replace("{name}", "NAME").replace("{number}", "NUMBER"))
        for path, methods in client.http.app.openapi()["paths"].items()
        for method in methods
        if path.startswith("/api/")
    }
    assert described == there
