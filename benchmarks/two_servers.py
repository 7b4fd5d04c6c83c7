"""How quickly two servers with one PostgreSQL database see each other's moves, and take over from each other.

    .venv/bin/python benchmarks/two_servers.py [--games 20] [--deaths 5]

A person at one server plays both sides of Connect Four, and a spectator at the other one looks on: the delay is the
time from the moment at which the player is shown a move to the moment at which the spectator is. Then games of Ur
against a bot are played over the second server. The first one, which would play the bot, is killed with kill -9: the
delay is the time until the bot's first move arrives all the same.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import secrets
import statistics
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
from postgres import running_postgres
from server_process import port_of, start_server

PATIENCE = 300.0  # seconds
BOT = 1  # its seat


class OneServer:
    """A server that can be killed."""

    def __init__(self, address: str) -> None:
        self._process, own_address = start_server("--pace", "0", "--port", "0", "--database", address)
        self._port = port_of(own_address)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    async def set_up(self, token: str, game: str, *seats: Any) -> str:
        """A new table; its id."""
        body = json.dumps({"game": game, "seats": seats}).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/api/tables", body, headers)
        return await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(request, timeout=PATIENCE))["id"])

    @contextlib.asynccontextmanager
    async def at(self, table: str, token: str) -> AsyncIterator[Seat]:
        """Somebody at a table."""
        headers = {"authorization": f"Bearer {token}"}
        address = f"ws://127.0.0.1:{self._port}/ws/{table}"
        async with connect(address, additional_headers=headers, open_timeout=PATIENCE, proxy=None) as browser:
            yield Seat(browser)


class Seat:
    """A socket at a table, and what was last seen there."""

    def __init__(self, browser: ClientConnection) -> None:
        self._browser = browser
        self.table: Any = {"plies": -1, "moves": [], "over": False}

    async def until(self, plies: int) -> float:
        """Wait until so many plies are shown; the time at which that was."""
        while self.table["plies"] < plies:
            await self.look()
        return time.perf_counter()

    async def my_turn(self) -> bool:
        """Wait for one's turn; whether there is one before the end."""
        while not self.table["moves"] and not self.table["over"]:
            await self.look()
        return not self.table["over"]

    async def look(self) -> None:
        seen = json.loads(await asyncio.wait_for(self._browser.recv(), PATIENCE))
        if seen["type"] == "table":
            self.table = seen

    async def play(self, luck: random.Random) -> None:
        move = luck.choice(self.table["moves"])["move"]
        await self._browser.send(json.dumps({"type": "play", "move": move, "version": self.table["version"]}))


async def measure_moves(here: OneServer, there: OneServer, games: int) -> list[float]:
    """Seconds from the player's view of a move to the spectator's."""
    luck, token, delays = random.Random(1), secrets.token_urlsafe(24), []
    for _ in range(games):
        table = await here.set_up(token, "connect_four", {"you": True}, {"you": True})
        async with here.at(table, token) as player, there.at(table, secrets.token_urlsafe(24)) as spectator:
            while await player.my_turn():
                plies = player.table["plies"] + 1
                await spectator.until(plies - 1)
                await player.play(luck)
                shown, seen = await asyncio.gather(player.until(plies), spectator.until(plies))
                delays.append(seen - shown)
    return delays


async def measure_deaths(address: str, deaths: int) -> list[float]:
    """Seconds from kill -9 of the server that plays the bot to the bot's move."""
    luck, token, delays, there = random.Random(1), secrets.token_urlsafe(24), [], OneServer(address)
    try:
        for _ in range(deaths):
            here = OneServer(address)
            table = await here.set_up(token, "ur", {"you": True}, {"bot": "expectimax:depth=4"})
            async with there.at(table, token) as player:
                await player.my_turn()
                here.kill()
                killed = time.perf_counter()
                while not any(entry["seat"] == BOT for entry in player.table["log"]):
                    if player.table["moves"]:
                        await player.play(luck)
                    await player.look()
                delays.append(time.perf_counter() - killed)
    finally:
        there.kill()
    return delays


def show(what: str, delays: Sequence[float]) -> None:
    ordered = sorted(delays)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    figures = (statistics.median(ordered), p99, ordered[-1])
    print(f"| {what} | {len(delays)} | " + " | ".join(f"{1000 * seconds:.0f} ms" for seconds in figures) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--deaths", type=int, default=5)
    options = parser.parse_args()
    with running_postgres() as postgres:
        address = postgres.new_database()
        servers = [OneServer(address) for _ in range(2)]
        try:
            moves = asyncio.run(measure_moves(*servers, options.games))
        finally:
            for server in servers:
                server.kill()
        deaths = asyncio.run(measure_deaths(address, options.deaths))
    print("| | times | median | 99th percentile | worst |\n| --- | --- | --- | --- | --- |")
    show("a move, from one server to the other", moves)
    show("a bot's first move after kill -9 of the server that was to play it", deaths)


if __name__ == "__main__":
    main()
