"""Half-open requests, slow clients, too many connections, malformed HTTP: the others notice nothing."""

import contextlib
import json
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from real_servers import ENDLESS, Patient, listening, read_all
from visitors import PATIENCE

from kibitz.web.listening import MOST_FRAGMENTS, Doorkeeper, is_loopback

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Wait: "
NIM = json.dumps({"game": "nim:heap=21", "seats": [{"you": True}, {"you": True}]})
POST = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
SOON = 1.0  # seconds


@pytest.fixture(scope="module")
def calm():
    """A server that waits as long as a test may take."""
    with listening() as server:
        yield server


def new_table(server):
    status, _, text = server.ask("POST", "/api/tables", NIM, content_type="application/json")
    assert status == 200
    return json.loads(text)["id"]


def status_of(answer):
    return int(answer.split()[1])


# ------------------------------------------------------------------ who keeps the server waiting


@pytest.fixture(scope="module")
def hasty():
    """A server that waits for nobody."""
    with listening(patience=Patient(SOON, SOON, SOON)) as server:
        yield server


def test_a_request_without_an_end_is_ended(hasty, caplog):
    starts = [b"", b"GET", HALF, POST[:-2], POST, POST + b'{"game": ']
    for raw in [hasty.dial(start) for start in starts]:
        answer = read_all(raw)
        assert status_of(answer) == 408
        assert b"took too long" in answer
        raw.close()
    hasty.wait_until(lambda: len(hasty.doorkeeper) == 0)
    assert not caplog.records  # it is not an error of the server


@pytest.mark.parametrize("start", [HALF, POST], ids=["headers", "body"])
def test_a_request_that_trickles_is_ended_too(hasty, start):
    with hasty.dial(start) as raw:
        raw.settimeout(0.05)
        while True:
            try:
                raw.sendall(b"x")
                assert status_of(raw.recv(1000)) == 408
                break
            except TimeoutError:
                continue
            except ConnectionError:
                break


def test_who_does_not_read_the_answers_is_disconnected(hasty):
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.settimeout(PATIENCE)
    with raw:
        raw.connect(("127.0.0.1", hasty.port))
        raw.sendall(b"GET /api/games HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500)
        hasty.wait_until(lambda: len(hasty.doorkeeper) == 1)
        hasty.wait_until(lambda: len(hasty.doorkeeper) == 0)


def test_a_table_goes_on_while_others_are_ended(hasty):
    with hasty.at(new_table(hasty)) as browser:
        for _ in range(3):
            assert status_of(hasty.say(HALF)) == 408
        browser.send(json.dumps({"type": "show", "ply": 0}))
        assert json.loads(browser.recv(timeout=PATIENCE))["type"] == "table"


# ------------------------------------------------------------------ too many connections


def test_three_hundred_half_open_requests_keep_nobody_out(calm):
    half_open = [calm.dial(HALF) for _ in range(300)]
    assert calm.ask("GET", "/api/logs")[0] == 200
    for raw in half_open:
        raw.close()


def test_when_all_places_are_taken_whoever_has_asked_for_nothing_gives_way(caplog):
    with listening(Doorkeeper(most=3)) as server:
        table = new_table(server)
        server.wait_until(lambda: len(server.doorkeeper) == 0)
        with server.at(table) as browser:
            first = server.dial(HALF)
            server.wait_until(lambda: len(server.doorkeeper) == 2)
            others = [server.dial(HALF) for _ in range(20)]
            assert read_all(first) == b""  # it gave way
            assert server.ask("GET", "/api/logs")[0] == 200
            assert json.loads(browser.recv(timeout=PATIENCE))["type"] == "table"
            for raw in others:
                raw.close()
    assert not caplog.records


def test_when_everyone_is_at_a_table_the_next_one_is_told_to_come_again():
    with listening(Doorkeeper(most=2)) as server:
        table = new_table(server)
        server.wait_until(lambda: len(server.doorkeeper) == 0)
        with server.at(table), server.at(table):
            answer = server.say(b"")
            assert status_of(answer) == 503
            assert b"Retry-After: 10" in answer
        server.wait_until(lambda: len(server.doorkeeper) == 0)
        assert server.ask("GET", "/api/logs")[0] == 200


class Somebody:
    is_dispensable = False

    def __init__(self, address):
        self.client = (address, 1)


def test_one_address_cannot_take_all_places_but_a_proxy_on_this_machine_may():
    doorkeeper = Doorkeeper(most=10, most_per_address=2)
    callers = [Somebody("10.0.0.7") for _ in range(3)]
    assert [doorkeeper.let_in(caller) for caller in callers] == [True, True, False]
    assert doorkeeper.let_in(Somebody("10.0.0.8"))
    doorkeeper.leave(callers[0])
    assert doorkeeper.let_in(callers[2])
    assert all(doorkeeper.let_in(Somebody("127.0.0.1")) for _ in range(7))
    assert not doorkeeper.let_in(Somebody("127.0.0.1"))
    assert doorkeeper.refused == 2


def test_addresses_of_this_machine():
    assert all(map(is_loopback, ["127.0.0.1", "127.1.2.3", "::1"]))
    assert not any(map(is_loopback, ["10.0.0.1", "", "testclient", "::ffff:10.0.0.1"]))


def test_without_a_file_for_one_more_connection_nothing_is_logged_and_service_goes_on():
    script = Path(__file__).with_name("few_files.py")
    outcome = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[-1] == "200"


# ------------------------------------------------------------------ what is not HTTP, or hardly


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500 + b"\r\n\r\n", 400),  # TLS
        (b"\x00\x00\r\n\r\n", 400),
        (b"GET / HTTP/x\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n", 400),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 20_000 + b"\r\n", 431),
        (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET / HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nCookie: \xff\xfe; kibitz=\xff\r\n\r\n", 200),
        (b"GET /%zz%00%ff%ed%a0%80 HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /static/%00 HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /static/x/%00 HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /static/%2e%2e%2f%2e%2e%2fapp.py HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /api/tables/%00/record HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /api/games/x/bots?game=%ff%00%zz HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 422),
        (b"BREW / HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\nConnection: close\r\nHost: \xff\r\n\r\n", 421),
    ],
)
def test_whatever_comes_gets_an_answer_that_is_no_error_of_the_server(calm, caplog, data, status):
    assert status_of(calm.say(data)) == status
    assert not caplog.records


def upgrade(*headers, path=b"/ws/x", method=b"GET"):
    wanted = [b"Host: localhost", b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13"]
    lines = [method + b" " + path + b" HTTP/1.1", *wanted, b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    return b"\r\n".join([*lines, *headers, b"", b""])


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (upgrade(*[b"X: a"] * 150), 431),
        (upgrade(b"X: " + b"a" * 9000), 431),
        (upgrade(path=b"/ws/" + b"a" * 9000), 431),
        (upgrade(method=b"POST"), 405),
        (upgrade(b"Content-Length: 3") + b"abc", 400),
        (upgrade(b"Transfer-Encoding: chunked"), 400),
        (upgrade().replace(b"Version: 13", b"Version: 1"), 400),
        (upgrade().replace(b"AAAAAA", b"!"), 400),
        (upgrade(b"X: \xff\xfe", path=b"/%ff%00"), 403),
        (upgrade(path=b"/nothing"), 403),
    ],
)
def test_a_socket_that_cannot_be_opened_is_refused_without_an_error_of_the_server(calm, caplog, data, status):
    assert status_of(calm.say(data)) == status
    calm.wait_until(lambda: len(calm.doorkeeper) == 0)
    assert not caplog.records


def frame(opcode, data=b"", fin=True):
    return bytes([fin << 7 | opcode, 0x80 | len(data), 0, 0, 0, 0]) + data  # masked with zeros


def opened(server):
    """A raw socket at a table, after the handshake."""
    raw = server.dial(upgrade(path=f"/ws/{new_table(server)}".encode()))
    head = b""
    while b"\r\n\r\n" not in head:
        head += raw.recv(1)
    assert status_of(head) == 101
    return raw


@pytest.mark.parametrize(
    "data",
    [
        frame(1, b"\xff\xfe"),  # not UTF-8
        frame(3),  # no such opcode
        frame(0, b"continued"),
        frame(1, b"a", fin=False) + frame(1, b"b"),
        frame(9, b"ping", fin=False),
        b"\x81\x02hi",  # not masked
        b"\xc1\x82\x00\x00\x00\x00hi",  # not compressed
        b"\x81" + bytes([0xFF]) + struct.pack("!Q", 2**62) + b"\x00" * 4,
        frame(1, b"", fin=False) + frame(0, b"", fin=False) * (2 * MOST_FRAGMENTS),
        frame(8, b"\x00"),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_a_frame_that_cannot_be_ends_its_socket_only(calm, caplog, data):
    with opened(calm) as raw:
        raw.sendall(data)
        read_all(raw)
    calm.wait_until(lambda: len(calm.doorkeeper) == 0)
    assert calm.ask("GET", "/api/logs")[0] == 200
    assert not caplog.records


def test_replies_to_pings_do_not_pile_up_for_who_does_not_read_them(monkeypatch):
    monkeypatch.setattr("kibitz.web.listening.MOST_UNREAD", 100_000)
    with listening(patience=ENDLESS) as server, opened(server) as raw:
        pings = frame(9, b"p" * 100) * 1000
        with contextlib.suppress(ConnectionError):
            while True:
                raw.sendall(pings)
        server.wait_until(lambda: len(server.doorkeeper) == 0)
