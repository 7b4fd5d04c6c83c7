"""How the web server bears many tables at once: scripted clients play against `random`, each at a table of its own.

    .venv/bin/python benchmarks/load_server.py [--tables 200] [--seconds 60] [--spectators 300]

The server runs on one core, with SQLite, and all clients on another. Every client moves once a second. Measured is the
time from sending a move to being told that it was made, which is after it is on the disk. Then the same beside tables
at which bots think for ten seconds a move, and the time until all spectators of one table have seen a move. A client
checks everything that it is told: no move may be missing, made twice, or taken back.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import math
import os
import random
import secrets
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import server_process
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import ClientConnection, connect

GAME = "connect_four"
THINKER = "uct:ms=10000"
PATIENCE = 120.0  # seconds until a client that waits in vain gives up
MOVES_WATCHED = 20  # moves that all spectators have to see


@dataclass
class Served:
    """A server in a process of its own."""

    port: int
    process: subprocess.Popen[str]

    def set_up(self, address: str, seats: Sequence[dict[str, Any]], headers: dict[str, str]) -> str:
        """Set up a table; its id."""
        http_client = http.client.HTTPConnection("127.0.0.1", self.port, PATIENCE, (address, 0))
        with contextlib.closing(http_client) as client:
            body = json.dumps({"game": GAME, "seats": seats})
            client.request("POST", "/api/tables", body, {"content-type": "application/json", **headers})
            answer = client.getresponse()
            found = json.loads(answer.read())
            if answer.status != 200:
                raise SystemExit(f"The server refuses a table: {found}")
            return str(found["id"])

    def at(self, table: str, address: str, headers: dict[str, str]) -> connect:
        """A socket at a table, from an address of the loopback network: each client has its own, as in real life."""
        url = f"ws://127.0.0.1:{self.port}/ws/{table}"
        return connect(
            url, additional_headers=headers, open_timeout=PATIENCE, max_queue=None, proxy=None, local_addr=(address, 0)
        )

    def cpu_seconds(self) -> float:
        """The CPU time that the server has used, without the processes in which bots think."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """The megabytes that the server uses."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def local_address(number: int) -> str:
    return f"127.0.{1 + number // 250}.{1 + number % 250}"


@contextlib.contextmanager
def serving(cores: set[int] | None = None) -> Iterator[Served]:
    """Run `kibitz serve`, on some cores if they are named."""
    with contextlib.ExitStack() as stack:
        with pinned(cores):
            process, address = stack.enter_context(server_process.serving())
        yield Served(server_process.port_of(address), process)


@contextlib.contextmanager
def pinned(cores: set[int] | None) -> Iterator[None]:
    """Run on some cores only; what is started meanwhile stays there."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def wait_until_compiled(server: Served) -> None:
    while True:
        client = http.client.HTTPConnection("127.0.0.1", server.port, PATIENCE)
        with contextlib.closing(client):
            client.request("GET", "/api/games")
            if all(game["ready"] for game in json.loads(client.getresponse().read())["games"]):
                return
        time.sleep(0.5)


# ------------------------------------------------------------------ many tables


@dataclass
class Player:
    """A client that plays one game after another, one move a second, and checks what it is told."""

    server: Served
    number: int
    seconds: list[float] = field(default_factory=list)  # from sending a move to being told of it
    games: int = 0

    async def play(self, everyone: asyncio.Barrier, seconds: float) -> None:
        """Sit down, and once everyone has, play for so many seconds."""
        luck = random.Random(self.number)
        headers = {"authorization": f"Bearer {secrets.token_urlsafe(24)}"}
        address, seats = local_address(self.number), [{"you": True}, {"bot": "random"}]
        end = math.inf
        while time.monotonic() < end:
            table = await asyncio.to_thread(self.server.set_up, address, seats, headers)
            async with self.server.at(table, address, headers) as socket:
                if end == math.inf:
                    await everyone.wait()
                    end = time.monotonic() + seconds
                await self._play_one(socket, luck, end)
            self.games += 1

    async def _play_one(self, socket: ClientConnection, luck: random.Random, end: float) -> None:
        known: list[Any] = []
        mine = 0
        seen = await self._table(socket, known)
        next_move = time.monotonic() + luck.random()
        while not seen["over"] and time.monotonic() < end:
            if not seen["moves"]:
                seen = await self._table(socket, known)
                continue
            await asyncio.sleep(next_move - time.monotonic())
            next_move = max(next_move + 1, time.monotonic())
            move, ply = luck.choice(seen["moves"]), seen["plies"]
            sent = time.monotonic()
            await socket.send(json.dumps({"type": "play", "move": move["move"], "version": seen["version"]}))
            while seen["plies"] == ply:
                seen = await self._table(socket, known)
            self.seconds.append(time.monotonic() - sent)
            mine += 1
            assert known[ply]["name"] == move["name"], "Another move was made than was sent."
            assert sum(entry["seat"] == 0 for entry in known) == mine, "A move is missing, or was made twice."

    async def _table(self, socket: ClientConnection, known: list[Any]) -> Any:
        """The next table that the server sends; what was seen before must still be there."""
        seen = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if seen["type"] != "table":
            raise SystemExit(f"The server says: {seen}")
        assert seen["log"][: len(known)] == known, "A move is missing that was seen before."
        known[:] = seen["log"]
        return seen


async def play_everywhere(server: Served, tables: int, seconds: float, first: int = 0) -> list[Player]:
    """Have clients play at so many tables."""
    players, everyone = [Player(server, first + number) for number in range(tables)], asyncio.Barrier(tables)
    await asyncio.gather(*(player.play(everyone, seconds) for player in players))
    return players


# ------------------------------------------------------------------ beside them


@contextlib.asynccontextmanager
async def thinking(server: Served, tables: int) -> Any:
    """Have bots think at so many tables, while somebody watches each of them."""
    async with contextlib.AsyncExitStack() as stack:
        for number in range(tables):
            address = local_address(20_000 + number)
            table = await asyncio.to_thread(server.set_up, address, [{"bot": THINKER}] * 2, {})
            socket = await stack.enter_async_context(server.at(table, address, {}))
            stack.push_async_callback(_cancelled, asyncio.create_task(_read_on(socket)))
        yield


async def _read_on(socket: ClientConnection) -> None:
    while True:
        await socket.recv()


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()


async def watch(server: Served, spectators: int, moves: int = MOVES_WATCHED) -> list[float]:
    """The seconds from sending each of some moves to the moment at which all spectators have seen it."""
    headers = {"authorization": f"Bearer {secrets.token_urlsafe(24)}"}
    people = [{"you": True}, {"you": True}]
    table = await asyncio.to_thread(server.set_up, local_address(30_000), people, headers)
    async with contextlib.AsyncExitStack() as stack:
        sockets = []
        for number in range(spectators):
            address = local_address(30_001 + number)
            sockets.append(await stack.enter_async_context(server.at(table, address, {})))
        player = await stack.enter_async_context(server.at(table, local_address(30_000), headers))
        seen, luck, took = json.loads(await player.recv()), random.Random(1), []
        await asyncio.sleep(2)  # what was sent to all of them as they came is read meanwhile
        for _ in range(moves):
            if seen["over"]:
                break
            sent = time.monotonic()
            move = luck.choice(seen["moves"])["move"]
            everyone = [asyncio.create_task(_until_ply(socket, seen["plies"] + 1)) for socket in sockets]
            await player.send(json.dumps({"type": "play", "move": move, "version": seen["version"]}))
            await asyncio.gather(*everyone)
            took.append(time.monotonic() - sent)
            ply = seen["plies"]
            while seen["plies"] == ply:
                seen = json.loads(await player.recv())
            await asyncio.sleep(0.5)
    return took


async def _until_ply(socket: ClientConnection, ply: int) -> None:
    wanted = f'"plies":{ply},'
    while wanted not in str(await asyncio.wait_for(socket.recv(), PATIENCE)):
        pass


# ------------------------------------------------------------------ the report


def milliseconds(seconds: Sequence[float], share: float) -> str:
    return f"{1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]:.0f} ms"


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


async def measure(server: Served, options: argparse.Namespace) -> None:
    console = Console(width=120)
    moves = Table("Tables", "Thinking", "Moves", "Games", "p50", "p99", "worst", "CPU", "memory", "load average")
    for thinkers in (0, options.thinking):
        async with thinking(server, thinkers):
            before, began, used = load(), time.monotonic(), server.cpu_seconds()
            players = await play_everywhere(server, options.tables, options.seconds, 10_000 * bool(thinkers))
            took = [seconds for player in players for seconds in player.seconds]
            row = [f"{options.tables}", f"{thinkers}", f"{len(took):,}", f"{sum(player.games for player in players)}"]
            times = [milliseconds(took, 0.5), milliseconds(took, 0.99), milliseconds(took, 1)]
            cpu = f"{100 * (server.cpu_seconds() - used) / (time.monotonic() - began):.0f} %"
            moves.add_row(*row, *times, cpu, f"{server.memory()} MB", f"{before} → {load()}")
    console.print(moves)
    if options.spectators:
        before, took = load(), await watch(server, options.spectators)
        seen = Table("Spectators", "Moves", "seen by all, median", "worst", "load average")
        median = f"{1000 * statistics.median(took):.0f} ms"
        seen.add_row(f"{options.spectators}", f"{len(took)}", median, milliseconds(took, 1), f"{before} → {load()}")
        console.print(seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--thinking", type=int, default=6, help="tables at which bots think for ten seconds a move")
    parser.add_argument("--spectators", type=int, default=300)
    options = parser.parse_args()
    first, *others = sorted(os.sched_getaffinity(0))
    with serving({first}) as server, pinned(set(others) or {first}):
        wait_until_compiled(server)
        asyncio.run(measure(server, options))


if __name__ == "__main__":
    main()
