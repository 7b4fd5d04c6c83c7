"""Browsers that talk over sockets to a server within the test process."""

import contextlib
import json
import time
from pathlib import Path

import anyio
from starlette.testclient import TestClient

from kibitz.web.access import new_token, visitor_with
from kibitz.web.app import make_app
from kibitz.web.catalogue import Catalogue
from kibitz.web.connection import SharedMessages
from kibitz.web.limits import Limits, Rate, ThinkingLimits
from kibitz.web.playthrough import Phase
from kibitz.web.server import Server

HERE = Path(__file__).parent
TOYS = HERE.parent / "toys.py"
PATIENCE = 300  # seconds until a test that waits in vain fails
PLENTY = Rate(10**9, 10**9)
# With a high niceness, bots would wait for the tests that run beside them.
UNLIMITED = Limits(PLENTY, PLENTY, PLENTY, PLENTY, sockets=10**9, deserted=1e9, thinking=ThinkingLimits(niceness=0))


class Browser:
    """One socket at a table."""

    def __init__(self, session, answer):
        self.session = session
        self.id, self.token = answer["id"], answer.get("token")
        self.table = None  # the last one seen

    def send(self, what, **more):
        self.session.send_json({"type": what, **more})

    def receive(self):
        async def receive():
            with anyio.fail_after(PATIENCE):
                return await self.session._send_rx.receive()

        message = json.loads(self.session.portal.call(receive)["text"])
        if message["type"] == "table":
            self.table = message
        return message

    def next(self, kind):
        """The next message of a kind."""
        while (message := self.receive())["type"] != kind:
            pass
        return message

    def until(self, condition):
        """Wait for a table that fulfils a condition, which the last one seen must not do: that would be too early."""
        assert not condition(self.table), "What the test waits for has happened before its cause."
        return self.now_or_later(condition)

    def now_or_later(self, condition):
        """Wait for a table that fulfils a condition; the last one seen may do so already."""
        while not condition(self.table):
            message = self.receive()
            assert message["type"] != "error", message
        return self.table

    def settled(self):
        """The table after everything sent so far has been carried out."""
        mark = f"mark-{time.monotonic_ns()}"
        self.send("show", ply=None)
        self.send(mark)  # malformed, so the reply comes after all that went before
        while mark not in self.receive().get("error", ""):
            pass
        return self.table

    def my_turn(self):
        return self.now_or_later(lambda table: table["moves"] or table["over"])

    def play(self, move):
        """Make a move; the table after it, with or without a bot's reply."""
        before = self.my_turn()
        (name,) = [legal["name"] for legal in before["moves"] if legal["move"] == move]
        self.send("play", move=move, version=before["version"])
        after = self.until(lambda table: table["version"] > before["version"])
        (made,) = [entry for entry in after["log"] if entry["ply"] == before["plies"] + 1]
        assert made["seat"] == before["turn"]
        assert made["name"] == name or len(after["you"]) > 1  # of several own seats, one may not see another's moves
        return after

    def play_on(self):
        """Play the first legal move until the game is over by the rules."""
        while not self.my_turn()["over"]:
            self.play(self.table["moves"][0]["move"])
        assert self.table["result"].endswith(("win.", "wins.", "draw."))
        return self.table

    def error(self):
        return self.next("error")["error"]


def bearing(token):
    """The headers with which somebody shows a token."""
    return {"authorization": f"Bearer {token}"}


def wanted_seat(seat):
    return {seat: True} if seat in ("you", "open") else {"bot": seat}


class Client:
    """What browsers do with a server."""

    def __init__(self, http, server):
        self.http = http
        self.server = server

    def run(self, function, *args):
        """Call a function in the server's event loop: between two steps of everything else that happens there."""
        return self.http.portal.call(function, *args)

    def room(self, key):
        """A room that is open."""
        return self.server.lobby.find(key)

    def wait_for(self, condition):
        """Wait until something in the server's event loop is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.run(condition):
            assert time.monotonic() < deadline, "The test waits in vain."
            time.sleep(0.005)

    def new_table(self, game, *seats, **more):
        """Seats are "you", "open" or bots."""
        token, wanted = new_token(), [wanted_seat(seat) for seat in seats]
        answer = self.http.post("/api/tables", json={"game": game, "seats": wanted, **more}, headers=bearing(token))
        assert answer.status_code == 200, answer.text
        return {**answer.json(), "token": token}

    def admit(self, key, access):
        """The token of somebody who is given access to a table."""
        token = new_token()
        self.run(self.room(key).admit, visitor_with(token), access)
        return token

    def join(self, key, name="", seat=None, token=None):
        """Take an open seat at a table, as somebody new unless there is a token; how to sit down there."""
        token = token or new_token()
        answer = self.http.post(f"/api/tables/{key}/seats", json={"name": name, "seat": seat}, headers=bearing(token))
        assert answer.status_code == 200, answer.text
        return {"id": key, "token": token, **answer.json()}

    def ready_table(self, game, *seats, **more):
        """A new table, once its rules are compiled."""
        answer = self.new_table(game, *seats, **more)
        self.wait_for(lambda: self.room(answer["id"]).phase is not Phase.PREPARING)
        return answer

    def refusal(self, game, *seats, **more):
        wanted = [wanted_seat(seat) for seat in seats]
        answer = self.http.post("/api/tables", json={"game": game, "seats": wanted, **more})
        assert answer.status_code == 422
        return answer.json()["error"]

    @contextlib.contextmanager
    def at(self, answer, token=True):
        """Sit down at a table; without the token, watch."""
        headers = bearing(answer["token"]) if token and "token" in answer else {}
        with self.http.websocket_connect(f"/ws/{answer['id']}", headers=headers) as session:
            browser = Browser(session, answer)
            browser.next("table")
            yield browser

    @contextlib.contextmanager
    def playing(self, game, *seats, **more):
        """A new table, at which one sits."""
        with self.at(self.ready_table(game, *seats, **more)) as browser:
            yield browser


def toy_catalogue():
    """The toy games beside the built-in ones, and bots that fail."""
    games = [f"{TOYS}:{name}" for name in ("Nim", "DiceRace", "HighCard")]
    bots = {"Trouble": f"{HERE / 'trouble.py'}:Trouble", "Cheat": f"{HERE / 'trouble.py'}:Cheat"}
    return Catalogue(games, bots)


@contextlib.contextmanager
def serving(catalogue=None, store=None, pace=0, warm=False, client=Client, limits=UNLIMITED, **more):
    server = Server(catalogue or Catalogue(), store, pace=pace, warm=warm, limits=limits, hosts=["testserver"], **more)
    server.messages = SharedMessages(fresh_seconds=-1)  # tests change things behind its back
    with TestClient(make_app(server)) as http:
        yield client(http, server)
