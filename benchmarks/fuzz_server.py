"""Send a running server nonsense over HTTP and sockets, and check that it neither fails nor grows.

    .venv/bin/python benchmarks/fuzz_server.py [--minutes 10] [--clients 8] [--seed 1]

Every client sends, in turn: raw bytes and half-valid HTTP, requests to all endpoints with bodies in which something is
wrong, and messages at tables of all games, also for seats that it does not have. The bar: no status 500, no traceback
in the log, and a memory that grows by at most 20 %. It is first measured when everything is compiled, as many tables
are open as the server keeps, every game has been analysed, and a fifth of the time has passed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from kibitz.web.lobby import MOST_OPEN

sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
from nonsense import anything, message, spoiled, table_request
from server_process import port_of, start_server

GAMES = {"connect_four": 2, "ur": 2, "camelup:players=3": 3, "mexican_train:players=2": 2, "separo": 2, "hexplode": 2}
PATHS = (
    "/",
    "/api/games",
    "/api/logs",
    "/api/operator",
    "/health",
    "/health/ready",
    "/openapi.json",
    "/static/main.js",
)
METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "POST", "BREW")
PATIENCE = 60.0  # seconds
CONSULTED = 600.0  # seconds for an answer that may have to be compiled first
QUESTIONS = (
    ({"type": "hint"}, "hint"),
    ({"type": "analyse", "on": True}, "analysis"),
    ({"type": "review", "on": True}, "review"),
)
GROWTH = 0.2
BATCH = 50  # tables that are set up at the same time


class Fuzzed:
    """A server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        options = ["--port", "0", "--pace", "0", "--data", str(folder), "--log-level", "warning"]
        with self.log.open("wb") as log:
            self._process, address = start_server(*options, stderr=log)
        self.port = port_of(address)

    @property
    def megabytes(self) -> float:
        """The memory that it uses."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def tracebacks(self) -> list[dict[str, Any]]:
        """The lines of the log that report an unexpected error."""
        lines = self.log.read_text().splitlines()
        return [{"line": line} for line in lines if not line.startswith("{")] + [
            found for line in lines if line.startswith("{") and "traceback" in (found := json.loads(line))
        ]

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()


class Fuzzer:
    """A client that sends nonsense, as somebody else each time."""

    def __init__(self, server: Fuzzed, luck: random.Random, counts: Counter[str]) -> None:
        self._server = server
        self._luck = luck
        self._counts = counts

    def _headers(self) -> dict[str, str]:
        somewhere = ".".join(str(self._luck.randrange(256)) for _ in range(3))
        return {"authorization": f"Bearer {secrets.token_urlsafe(24)}", "x-forwarded-for": f"10.{somewhere}"}

    async def run(self, until: float) -> None:
        base = f"http://127.0.0.1:{self._server.port}"
        async with httpx.AsyncClient(base_url=base, timeout=PATIENCE) as http:
            while time.monotonic() < until:
                attack = self._luck.choice((self._raw, self._requests, self._requests, self._play, self._play))
                try:
                    await attack(http)
                except (TimeoutError, OSError, httpx.HTTPError, WebSocketException) as error:
                    self._counts[f"ended: {type(error).__name__}"] += 1

    async def _raw(self, _: Any) -> None:
        """Bytes that are hardly HTTP."""
        luck = self._luck
        host, target = b"Host: localhost\r\n", luck.choice((b"/", b"/static/%00", b"/%ff%zz", b"/" + b"a" * 20_000))
        data = luck.choice(
            (
                luck.randbytes(luck.randrange(2000)) + b"\r\n\r\n",
                b"GET " + target + b" HTTP/1.1\r\nConnection: close\r\n" + host + b"\r\n",
                b"GET / HTTP/1.1\r\n" + host + b"X: " + luck.randbytes(50) + b"\r\n\r\n",
                b"POST /api/tables HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n" + luck.randbytes(20),
                b"GET /ws/x HTTP/1.1\r\n"
                + host
                + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                + luck.randbytes(99),
                b"GET / HTTP/1.1\r\n" + host,
            )
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        try:
            writer.write(data)
            await writer.drain()
            with contextlib.suppress(asyncio.TimeoutError):
                answer = await asyncio.wait_for(reader.read(100), 1.0)
                status = answer.split()[1].decode() if answer.startswith(b"HTTP/") else "no answer"
                self._counts[f"raw {status}"] += 1
        finally:
            writer.close()

    async def _requests(self, http: Any) -> None:
        """Requests to all endpoints."""
        luck, headers = self._luck, self._headers()
        for _ in range(20):
            if luck.random() < 0.5:
                game = luck.choice([*GAMES, "nothing", "x.py:Y"])
                path, body = luck.choice(
                    (
                        ("/api/tables", table_request(luck, game, GAMES.get(game, 2))),
                        ("/api/tables/nothing/seats", {"name": anything(luck, 1), "seat": anything(luck, 1)}),
                        ("/api/records", spoiled(luck, RECORD)),
                        ("/api/records", {"log": anything(luck, 1), "game": anything(luck, 1)}),
                        ("/api/operator", {"secret": anything(luck, 1)}),
                        (luck.choice(PATHS), anything(luck)),
                    )
                )
                text = json.dumps(body).encode() if luck.random() < 0.95 else luck.randbytes(100)
                method, kind = luck.choice(("POST", "POST", "POST", "PUT")), "application/json"
                answer = await http.request(method, path, content=text, headers={**headers, "content-type": kind})
            else:
                path = luck.choice((*PATHS, f"/api/games/{luck.choice(list(GAMES)).partition(':')[0]}/bots"))
                query = {"game": str(luck.choice(("ur", "nothing", "ur:pieces=x", "\x00", "%", "a" * 3000)))}
                answer = await http.request(luck.choice(METHODS), path, params=query, headers=headers)
            self._counts[f"http {answer.status_code}"] += 1

    async def _play(self, http: Any) -> None:
        """Messages at a table."""
        luck, headers = self._luck, self._headers()
        game, players = luck.choice(list(GAMES.items()))
        seats = [{"you": True}, *({"bot": "random"} for _ in range(players - 1))]
        made = await http.post("/api/tables", json={"game": game, "seats": seats}, headers=headers)
        self._counts[f"http {made.status_code}"] += 1
        if made.status_code != 200:
            await asyncio.sleep(1.0)
            return
        address = f"ws://127.0.0.1:{self._server.port}/ws/{made.json()['id']}"
        who = headers if luck.random() < 0.8 else self._headers()  # or a stranger
        async with connect(address, additional_headers=who, open_timeout=PATIENCE, proxy=None, max_size=None) as socket:
            table = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
            for _ in range(60):
                if table.get("moves") and luck.random() < 0.3:
                    move = luck.choice(table["moves"])["move"]
                    await socket.send(json.dumps({"type": "play", "move": move, "version": table["version"]}))
                else:
                    await socket.send(message(luck, table.get("version")))
                with contextlib.suppress(asyncio.TimeoutError):
                    while True:  # as long as something comes at once
                        found = json.loads(await asyncio.wait_for(socket.recv(), 0.05))
                        self._counts[f"socket {found['type']}"] += 1
                        table = found if found["type"] == "table" else table
                        if "went wrong" in str(found.get("error")):
                            self._counts["socket 500"] += 1


RECORD = {
    "game": "connect_four", "seed": 1, "number": 0, "luck": 0, "seats": ["human", "random"], "turns": [0, 1, 0],
    "moves": [3, 3, 2], "names": ["4", "4", "3"], "over": False, "payoff": [], "score": [], "position": "",
    "secret": None,
}  # fmt: skip


async def compiled(server: Fuzzed) -> None:
    """Wait until the server has compiled all games and their best bots: it grows while it does."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=PATIENCE) as http:
        while not all(game["ready"] for game in (await http.get("/api/games")).json()["games"]):
            await asyncio.sleep(1)


async def fill(server: Fuzzed, luck: random.Random) -> None:
    """Set up as many tables as the server keeps open: it grows until then."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=PATIENCE) as http:
        for batch in range(MOST_OPEN // BATCH):
            somewhere = {"x-forwarded-for": f"10.{luck.randrange(256)}.{luck.randrange(256)}.{batch % 256}"}
            games = [luck.choice(list(GAMES.items())) for _ in range(BATCH)]
            bodies = [{"game": game, "seats": [{"bot": "random"}] * players} for game, players in games]
            await asyncio.gather(*(http.post("/api/tables", json=body, headers=somewhere) for body in bodies))


async def consult(server: Fuzzed, game: str, players: int) -> None:
    """Ask for everything that takes memory when it is first asked for: a hint, an analysis and a review of a game."""
    headers = {"authorization": f"Bearer {secrets.token_urlsafe(24)}"}
    seats = [{"you": True}, *({"bot": "random"} for _ in range(players - 1))]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=PATIENCE) as http:
        table = (await http.post("/api/tables", json={"game": game, "seats": seats}, headers=headers)).json()["id"]
    address = f"ws://127.0.0.1:{server.port}/ws/{table}"
    async with connect(address, additional_headers=headers, open_timeout=PATIENCE, proxy=None, max_size=None) as socket:
        table = await answer_of(socket, lambda found: found["type"] == "table" and found["moves"])
        move = table["moves"][0]["move"]
        await socket.send(json.dumps({"type": "play", "move": move, "version": table["version"]}))
        await answer_of(socket, lambda found: found["type"] == "table" and (found["moves"] or found["over"]))
        for question, kind in QUESTIONS:
            await socket.send(json.dumps(question))
            await answer_of(socket, lambda found, kind=kind: found["type"] == kind)


async def answer_of(socket: Any, is_wanted: Callable[[Any], Any]) -> Any:
    """The next message that is wanted."""
    while True:
        found = json.loads(await asyncio.wait_for(socket.recv(), CONSULTED))
        if found["type"] == "error":
            raise SystemExit(f"The server says: {found['error']}")
        if is_wanted(found):
            return found


async def fuzz(server: Fuzzed, options: argparse.Namespace) -> tuple[Counter[str], float, float]:
    """What was answered how often, and the memory after the warm-up and at the end."""
    counts: Counter[str] = Counter()
    seconds = 60 * options.minutes
    await compiled(server)
    await fill(server, random.Random(options.seed))
    await asyncio.gather(*(consult(server, game, players) for game, players in GAMES.items()))
    began = time.monotonic()
    fuzzers = [Fuzzer(server, random.Random(options.seed + number), counts) for number in range(options.clients)]
    running = asyncio.gather(*(fuzzer.run(began + seconds) for fuzzer in fuzzers))
    await asyncio.sleep(seconds / 5)
    before = server.megabytes
    while not running.done():
        await asyncio.wait([running], timeout=30)
        print(f"{time.monotonic() - began:4.0f} s: {counts.total():,} answers, {server.megabytes:.0f} MB", flush=True)
        if not server.is_running:
            raise SystemExit("The server has ended.")
    await running
    return counts, before, server.megabytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Fuzzed(Path(folder))
        try:
            counts, before, after = asyncio.run(fuzz(server, options))
        finally:
            server.end()
        tracebacks = server.tracebacks()
        size = server.log.stat().st_size
    for name, count in sorted(counts.items()):
        print(f"{name:30} {count:8,}")
    failures = sum(count for name, count in counts.items() if name.endswith(" 500"))
    growth = after / before - 1
    for found in tracebacks[:5]:
        print(json.dumps(found, indent=1).replace("\\n", "\n"))
    print(f"{counts.total():,} answers, {failures} failures, {len(tracebacks)} tracebacks, {size:,} bytes of log.")
    print(f"{before:.0f} MB after the warm-up, {after:.0f} MB at the end: {growth:+.1%}.")
    if failures or tracebacks or growth > GROWTH:
        raise SystemExit("The server has not passed.")


if __name__ == "__main__":
    main()
