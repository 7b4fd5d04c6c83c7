"""Browsers that talk over sockets to a server within the test process."""

import contextlib
import json
from pathlib import Path

import anyio
from starlette.testclient import TestClient

from kibitz.web.app import House, make_app
from kibitz.web.catalogue import Catalogue

HERE = Path(__file__).parent
TOYS = HERE.parent / "toys.py"
PATIENCE = 60  # seconds until a test that waits in vain fails


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
        """The next table that fulfils a condition; the last one seen, if it does."""
        while self.table is None or not condition(self.table):
            message = self.receive()
            assert message["type"] != "error", message
        return self.table

    def my_turn(self):
        return self.until(lambda table: table["moves"] or table["over"])

    def play(self, move):
        table = self.my_turn()
        self.send("play", move=move, version=table["version"])
        return self.until(lambda after: after["version"] > table["version"])

    def play_on(self):
        """Play the first legal move until the game is over."""
        while not self.my_turn()["over"]:
            self.play(self.table["moves"][0]["move"])
        return self.table

    def error(self):
        return self.next("error")["error"]


class Client:
    """What browsers do with a server."""

    def __init__(self, http):
        self.http = http

    def new_table(self, game, *seats, **more):
        """Seats are "you" or bots."""
        wanted = [{"you": True} if seat == "you" else {"bot": seat} for seat in seats]
        answer = self.http.post("/api/tables", json={"game": game, "seats": wanted, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refusal(self, game, *seats, **more):
        wanted = [{"you": True} if seat == "you" else {"bot": seat} for seat in seats]
        answer = self.http.post("/api/tables", json={"game": game, "seats": wanted, **more})
        assert answer.status_code == 422
        return answer.json()["error"]

    @contextlib.contextmanager
    def at(self, answer, token=True):
        """Sit down at a table; without the token, look on."""
        query = f"?token={answer['token']}" if token else ""
        with self.http.websocket_connect(f"/ws/{answer['id']}{query}") as session:
            browser = Browser(session, answer)
            browser.next("table")
            yield browser

    @contextlib.contextmanager
    def playing(self, game, *seats, **more):
        """A new table, at which one sits."""
        with self.at(self.new_table(game, *seats, **more)) as browser:
            browser.until(lambda table: table["waiting"] is None)
            yield browser


@contextlib.contextmanager
def serving(catalogue=None, pace=0, warm=False):
    house = House(catalogue or Catalogue(), pace=pace, warm=warm)
    with TestClient(make_app(house)) as http:
        client = Client(http)
        client.house = house
        yield client
