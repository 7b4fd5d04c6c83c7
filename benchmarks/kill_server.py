"""Kill the web server repeatedly while games are played on it, and check that nothing is lost.

    .venv/bin/python benchmarks/kill_server.py [--kills 50] [--tables 8] [--postgresql] [--servers 2] [--seed 1]

Scripted clients play Connect Four and the dice game Ur against `random`, each at a table of its own, and begin a new
game when one ends. The server is killed with kill -9 at random moments and started again, with the same database. Every
move that a client was told of must still be there, and every game must come to its end. Of several servers, which share
a PostgreSQL database and a port, one is killed at a time, and the others go on.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
from postgres import running_postgres
from server_process import start_server

GAMES = ("connect_four", "ur")
PATIENCE = 300.0  # seconds until a client that waits in vain gives up


class Served:
    """Servers that are killed and started again on the same port."""

    def __init__(self, where: Sequence[str], count: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._options = ["--port", str(self.port), "--pace", "0", *where]
        self._processes = [self._start() for _ in range(count)]

    def _start(self) -> subprocess.Popen[str]:
        process, _ = start_server(*self._options)
        return process

    def restart_one(self, number: int) -> None:
        """Kill a server, and start another in its place."""
        number %= len(self._processes)
        self._kill(self._processes[number])
        self._processes[number] = self._start()

    def kill_all(self) -> None:
        for process in self._processes:
            self._kill(process)

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait()


class Player:
    """A client that plays one game after another, and remembers what it was told."""

    def __init__(self, server: Served, number: int, seed: int) -> None:
        self._server = server
        self._game = GAMES[number % len(GAMES)]
        self._luck = random.Random(seed)
        self._headers = {"authorization": f"Bearer {secrets.token_urlsafe(24)}"}
        self.moves = self.games = self.connections = 0

    async def play(self, ended: asyncio.Event) -> None:
        """Play until the end is announced, then to the end of the current game."""
        while not ended.is_set():
            await self._play_one()

    async def _play_one(self) -> None:
        table = await self._insistently(self._set_up)
        known: list[Any] = []
        while not await self._insistently(lambda: self._sit_down(table, known)):
            pass
        self.games += 1

    async def _insistently(self, attempt: Any) -> Any:
        """What an attempt gives, repeated while the server is down."""
        self._heard = time.monotonic()
        while True:
            with contextlib.suppress(OSError, WebSocketException, asyncio.TimeoutError):
                return await attempt()
            assert time.monotonic() < self._heard + PATIENCE, "The server does not come back."
            await asyncio.sleep(0.05)

    async def _set_up(self) -> Any:
        body = json.dumps({"game": self._game, "seats": [{"you": True}, {"bot": "random"}]}).encode()
        address = f"http://127.0.0.1:{self._server.port}/api/tables"
        request = urllib.request.Request(address, body, {"content-type": "application/json", **self._headers})
        return await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(request, timeout=PATIENCE))["id"])

    async def _sit_down(self, table: str, known: list[Any]) -> bool:
        """Play at a table until the game or the connection ends; whether the game has ended."""
        address = f"ws://127.0.0.1:{self._server.port}/ws/{table}"
        async with connect(address, additional_headers=self._headers, open_timeout=PATIENCE, proxy=None) as browser:
            self.connections += 1
            while True:
                seen = json.loads(await asyncio.wait_for(browser.recv(), PATIENCE))
                self._heard = time.monotonic()
                if "too many messages" in seen.get("error", ""):
                    continue  # they are carried out, only more slowly
                if seen["type"] != "table":
                    raise SystemExit(f"The server says: {seen}")
                assert seen["log"][: len(known)] == known, "A move is missing that was seen before."
                self.moves += len(seen["log"]) - len(known)
                known[:] = seen["log"]
                if seen["over"]:
                    return True
                if seen["moves"]:
                    move = self._luck.choice(seen["moves"])["move"]
                    await browser.send(json.dumps({"type": "play", "move": move, "version": seen["version"]}))


@contextlib.contextmanager
def database(is_postgresql: bool) -> Iterator[list[str]]:
    """Where the tables are kept, as arguments of `kibitz serve`."""
    if is_postgresql:
        with running_postgres() as postgres:
            yield ["--database", postgres.new_database()]
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield ["--data", folder]


async def run(server: Served, options: argparse.Namespace) -> list[Player]:
    luck, ended = random.Random(options.seed), asyncio.Event()
    players = [Player(server, number, options.seed + number) for number in range(options.tables)]
    playing = [asyncio.create_task(player.play(ended)) for player in players]
    for kill in range(1, options.kills + 1):
        moves = sum(player.moves for player in players)
        wanted = luck.randrange(1, 20 * options.tables)  # until the next kill
        while sum(player.moves for player in players) < moves + wanted:
            for task in playing:
                if task.done():
                    await task  # raises what went wrong
            await asyncio.sleep(luck.random() * 0.02)
        await asyncio.to_thread(server.restart_one, kill)
        print(f"killed {kill} times, {sum(player.moves for player in players):,} moves seen", flush=True)
    ended.set()
    await asyncio.gather(*playing)
    return players


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true", help="a PostgreSQL server is started for it")
    parser.add_argument("--servers", type=int, default=1, help="how many share the database; more need --postgresql")
    options = parser.parse_args()
    with database(options.postgresql) as where:
        server = Served(where, options.servers)
        try:
            players = asyncio.run(run(server, options))
        finally:
            server.kill_all()
    games, moves = sum(player.games for player in players), sum(player.moves for player in players)
    sockets = sum(player.connections for player in players)
    print(
        f"{options.kills} kills: {games} games to their end over {sockets} connections, {moves:,} moves, none missing."
    )


if __name__ == "__main__":
    main()
