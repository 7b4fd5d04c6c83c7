"""For whoever runs the server: health, metrics, the log, and the operator's secret."""

import asyncio
import io
import json
import logging
import re
import sqlite3

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError
from visitors import bearing, serving, toy_catalogue

from kibitz.web import log_lines
from kibitz.web.access import new_token
from kibitz.web.database import FILE, open_folder
from kibitz.web.limits import Rate
from kibitz.web.log_lines import JsonLines, NoFlood, note, write_log
from kibitz.web.store import MemoryStore

SECRET = "the-secret-of-whoever-runs-this-one"


@pytest.fixture(scope="module")
def server():
    with serving(toy_catalogue(), secret=SECRET) as client:
        yield client


@pytest.fixture
def operated(server):
    """A server whose operator has a secret, as seen from a new browser on another machine."""
    server.http.cookies.clear()
    return server


@pytest.fixture
def log():
    """What the server logs, line by line."""
    stream, root = io.StringIO(), logging.getLogger()
    level = root.level
    handler = write_log("debug", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)
    log_lines.log.setLevel(logging.NOTSET)


# ------------------------------------------------------------------ health


def test_a_running_server_is_healthy_and_ready(client):
    health = client.http.get("/health")
    assert (health.status_code, health.json()["status"]) == (200, "running")
    ready = client.http.get("/health/ready")
    assert ready.status_code == 200
    assert (ready.json()["ready"], ready.json()["store"]) == (True, "reachable")


def test_what_is_compiled_is_no_longer_waited_for(client):
    assert "hexplode" in client.http.get("/health/ready").json()["not_compiled"]
    client.ready_table("nim", "you", "you")
    assert "nim" not in client.http.get("/health/ready").json()["not_compiled"]


class BrokenStore(MemoryStore):
    is_broken = False

    async def load_time(self):
        if self.is_broken:
            raise OSError("the password is swordfish")
        return await super().load_time()

    async def save(self, snapshot, after):
        if self.is_broken:
            raise OSError(f"cannot write: {snapshot.to_json()}")
        await super().save(snapshot, after)


def test_without_its_store_a_server_is_running_but_not_ready(monkeypatch):
    monkeypatch.setattr("kibitz.web.routes.operating.FRESH_SECONDS", 0.0)
    with serving(toy_catalogue(), BrokenStore()) as client:
        assert client.http.get("/health/ready").status_code == 200
        client.server.store.is_broken = True
        answer = client.http.get("/health/ready")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["store"] == "unreachable"
        assert "swordfish" not in answer.text
        assert client.http.get("/health").status_code == 200


def test_the_store_is_asked_once_however_many_want_to_know(client, monkeypatch):
    asked = []

    async def load_time():
        asked.append(1)
        await asyncio.sleep(0)
        return 0.0

    monkeypatch.setattr("kibitz.web.routes.operating.FRESH_SECONDS", 1e9)
    monkeypatch.setattr(client.server.store, "load_time", load_time)
    for _ in range(5):
        client.http.get("/health/ready")
    assert len(asked) <= 1


# ------------------------------------------------------------------ metrics


def numbers(client):
    """All samples of the metrics, by their names and labels."""
    text = client.http.get("/metrics", headers=bearing(SECRET)).text
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_moves_tables_and_people_are_counted(operated):
    before = numbers(operated)
    with operated.playing("nim:heap=5", "you", "random") as browser:
        browser.play_on()
        moves = [entry["seat"] for entry in browser.table["log"]]
        after = numbers(operated)

    def new(*name):
        return after[name] - before.get(name, 0)

    assert new("kibitz_tables_open") == 1
    assert new("kibitz_people_connected") == 1
    assert new("kibitz_moves_total", ("by", "person")) == moves.count(0)
    assert new("kibitz_moves_total", ("by", "bot")) == moves.count(1)
    assert new("kibitz_move_seconds_count") == moves.count(0)
    assert new("kibitz_save_seconds_count") >= 1
    assert after["kibitz_thinking_queue_length",] == 0
    route = [("method", "POST"), ("route", "/api/tables"), ("status", "200")]
    assert new("kibitz_request_seconds_count", *route) == 1
    assert any(name.startswith("process_") for name, *_ in after)


def test_every_server_has_its_own_numbers(operated):
    before = numbers(operated)["kibitz_tables_open",]
    with serving(toy_catalogue(), secret=SECRET) as other:
        other.ready_table("nim", "you", "you")
        assert numbers(other)["kibitz_tables_open",] == 1
    assert numbers(operated)["kibitz_tables_open",] == before


def test_addresses_and_methods_that_do_not_exist_add_no_numbers(operated):
    for number in range(20):
        operated.http.get(f"/nothing/{number}")
        operated.http.request(f"BREW{number}", "/")
    counted = [dict(labels) for name, *labels in numbers(operated) if name == "kibitz_request_seconds_count"]
    assert not any("nothing" in labels["route"] or "BREW" in labels["method"] for labels in counted)


def test_a_save_that_fails_is_counted(operated, monkeypatch):
    broken = BrokenStore()
    broken.is_broken = True
    monkeypatch.setattr(operated.server.lobby._store, "_store", broken)
    body = {"game": "nim", "seats": [{"you": True}, {"you": True}]}
    with pytest.raises(OSError, match="cannot write"):
        operated.http.post("/api/tables", json=body)
    assert numbers(operated)["kibitz_failed_saves_total",] >= 1


@pytest.mark.parametrize("headers", [{}, bearing("x" * 32), {"cookie": f"kibitz={SECRET}"}])
def test_metrics_are_not_for_everyone(operated, headers):
    answer = operated.http.get("/metrics", headers=headers)
    assert answer.status_code == 403
    assert answer.json() == {"error": "Only the operator of this server may read its metrics."}


# ------------------------------------------------------------------ the operator


def test_a_browser_remembers_the_secret_in_a_cookie_that_scripts_cannot_read(operated):
    assert operated.http.get("/api/operator").json() == {"operator": False}
    answer = operated.http.post("/api/operator", json={"secret": SECRET})
    assert answer.json() == {"operator": True}
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(rf"kibitz_operator={SECRET}; HttpOnly; Path=/; SameSite=strict", cookie)
    assert operated.http.get("/api/operator").json() == {"operator": True}
    assert operated.http.get("/metrics").status_code == 200
    assert operated.http.delete("/api/operator").json() == {"operator": False}
    assert operated.http.get("/metrics").status_code == 403


@pytest.mark.parametrize("secret", ["", "x", "y" * 32, SECRET[:-1], SECRET + "x", "\x00", "é" * 32])
def test_a_wrong_secret_is_refused(operated, secret):
    answer = operated.http.post("/api/operator", json={"secret": secret})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_without_a_secret_nobody_is_the_operator(client):
    for secret in ("", new_token()):
        assert client.http.post("/api/operator", json={"secret": secret}).status_code == 403
    assert client.http.get("/api/operator", headers=bearing(new_token())).json() == {"operator": False}


def test_signing_in_keeps_ones_own_seats(operated):
    table = operated.http.post("/api/tables", json={"game": "nim", "seats": [{"you": True}, {"you": True}]}).json()
    operated.http.post("/api/operator", json={"secret": SECRET})
    with operated.http.websocket_connect(f"/ws/{table['id']}", headers={"origin": "http://testserver"}) as session:
        assert session.receive_json()["you"] == [0, 1]


# ------------------------------------------------------------------ the log


def test_a_played_game_of_secrets_leaves_none_in_the_log(log):
    seed = 987_654_321_012
    with serving(toy_catalogue(), secret=SECRET) as client:
        with client.playing("highcard", "you", "you", "random", seed=seed) as browser:
            browser.send("nonsense", secret=browser.token)
            browser.error()
            browser.play_on()
            client.http.get(f"/api/games/highcard/bots?token={browser.token}&game=highcard")
            client.http.get("/metrics", headers=bearing(SECRET))
            token, moves = browser.token, sum(entry["seat"] >= 0 for entry in browser.table["log"])
        client.http.post("/api/operator", json={"secret": SECRET})
    text = json.dumps(log())
    assert token not in text
    assert SECRET not in text
    assert str(seed) not in text
    assert "token=" not in text
    assert [line["event"] for line in log()].count("move") == moves
    assert {line["path"] for line in log() if line["event"] == "request"} >= {"/api/tables", "/metrics"}
    usual = {
        "time",
        "level",
        "logger",
        "event",
        "table",
        "game",
        "by",
        "method",
        "path",
        "status",
        "ms",
        "address",
        "what",
    }
    assert all(set(line) <= usual for line in log())


def test_a_save_that_fails_leaves_no_snapshot_in_the_log(log, tmp_path):
    seed, store = 987_654_321_012, open_folder(tmp_path)
    with serving(toy_catalogue(), store) as client:
        with sqlite3.connect(tmp_path / FILE) as database:
            database.execute("DROP TABLE rooms")
        body = {"game": "nim", "seats": [{"you": True}, {"you": True}], "seed": seed}
        with pytest.raises(OperationalError) as error:
            client.http.post("/api/tables", json=body)
    assert any("no such table" in line.get("traceback", "") for line in log())
    assert str(seed) not in json.dumps(log())
    assert str(seed) not in str(error.value)


def test_a_line_is_one_json_object_whatever_it_says(log):
    note("two\nlines", path="/\n\x1b[31m" + "x" * 10_000, status=200)
    try:
        raise ValueError("more\nlines")
    except ValueError:
        logging.getLogger("kibitz.web").exception("It failed.")
    first, second = log()
    assert (first["event"], first["level"], first["status"]) == ("two\nlines", "info", 200)
    assert len(first["path"]) == 500
    assert (second["error"], second["level"]) == ("ValueError", "error")
    assert "more\nlines" in second["traceback"]


def test_a_flood_of_lines_is_cut_and_counted():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    handler.addFilter(NoFlood(Rate(3, 1e-9)))
    record = logging.LogRecord("kibitz", logging.INFO, "", 0, "again", None, None)
    for _ in range(1000):
        handler.handle(record)
    assert len(stream.getvalue().splitlines()) == 3
    handler.filters[0]._allowance._left = 1.0
    handler.handle(record)
    assert json.loads(stream.getvalue().splitlines()[-1])["lines_left_out_before"] == 997
