"""Measure how long lists of tables take when the database is full.

    .venv/bin/python benchmarks/table_lists.py [--tables 100000] [--postgresql]

The database is filled with copies of one finished game of Connect Four, a tenth of them listed as running, each of a
thousand visitors having their share. Then the first page, a page in the middle, one's own games, the four counts and a
new table, for which an old one is dropped, are timed through the store, and the whole answer over HTTP.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from starlette.testclient import TestClient

import kibitz
from kibitz.web.access import new_token, visitor_with
from kibitz.web.app import make_app
from kibitz.web.catalogue import Catalogue
from kibitz.web.database import OWNERS, ROOMS, DatabaseStore, open_folder, open_postgresql
from kibitz.web.playthrough import Phase
from kibitz.web.server import Server
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import UNFINISHED, Retention, TableQuery
from kibitz.web.summaries import ListPlace

sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
from postgres import running_postgres

REPEATS = 50
VISITORS = 1000
ROWS_AT_ONCE = 1000


def finished_game() -> RoomSnapshot:
    """A finished game, as a server saves it."""
    table = kibitz.Table("connect_four", seed=1)
    for move in (3, 3, 2, 4, 1, 4, 0):
        table.play(move)
    server = Server(Catalogue(), warm=False, hosts=["testserver"])
    with TestClient(make_app(server)) as http:
        headers = {"content-type": "application/json"}
        key = http.post("/api/records", content=table.record().to_json(), headers=headers).json()["id"]
        room = server.lobby.find(key)
        assert room is not None
        return room.snapshot()


async def fill(store: DatabaseStore, snapshot: RoomSnapshot, tables: int, visitors: list[str]) -> None:
    """Write many copies of a table."""
    now, summary, text = time.time(), snapshot.summary.to_json(), snapshot.to_json()
    row = {"version": 1, "game": "connect_four", "is_listed": True, "summary": summary, "snapshot": text}
    for first in range(0, tables, ROWS_AT_ONCE):
        numbers = range(first, min(first + ROWS_AT_ONCE, tables))
        phases = ["playing" if number % 10 == 0 else "over" for number in numbers]
        rooms: list[dict[str, Any]] = [
            {**row, "id": f"table-{number}", "phase": phase, "since": now - number, "used_at": now - number}
            for number, phase in zip(numbers, phases, strict=True)
        ]
        owners = [
            {"visitor": visitors[number % VISITORS], "room": f"table-{number}", "is_host": True, "seats": "[]"}
            for number in numbers
        ]
        async with store._engine.begin() as connection:
            await connection.execute(sa.insert(ROOMS), rooms)
            await connection.execute(sa.insert(OWNERS), owners)


async def timed(what: str, work: Callable[[], Awaitable[Any]]) -> None:
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        await work()
        times.append(1000 * (time.perf_counter() - began))
    print(f"{what:34} median {statistics.median(times):7.2f} ms, worst {max(times):7.2f} ms", flush=True)


async def measure(store: DatabaseStore, snapshot: RoomSnapshot, tables: int, visitor: str) -> None:
    finished, middle = TableQuery((Phase.OVER,)), ListPlace(time.time() - tables / 2, "")
    own = TableQuery((Phase.OVER,), visitor=visitor, own=True)
    await timed("first page", lambda: store.find(finished, None, 25))
    await timed("a page in the middle", lambda: store.find(finished, middle, 25))
    await timed("first page of one game", lambda: store.find(replace(finished, game="connect_four"), None, 25))
    await timed("one's own games", lambda: store.find(own, None, 25))

    counted = [TableQuery((phase,)) for phase in (Phase.GATHERING, Phase.PLAYING, Phase.OVER)]
    counted.append(TableQuery(UNFINISHED, visitor=visitor, own=True))
    await timed("the four counts", lambda: store.counts(counted, 100))
    numbers = iter(range(10**6))
    await timed("a new table, an old one dropped", lambda: store.save(replace(snapshot, id=f"n{next(numbers)}"), None))
    await timed("looking for expired tables", lambda: store.drop_expired([]))


def over_http(store: DatabaseStore, token: str) -> None:
    server = Server(Catalogue(), store, warm=False, hosts=["testserver"])
    with TestClient(make_app(server), headers={"authorization": f"Bearer {token}"}) as http:
        times = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            assert http.get("/api/tables?stage=finished").status_code == 200
            times.append(1000 * (time.perf_counter() - began))
    print(
        f"{'GET /api/tables?stage=finished':34} median {statistics.median(times):7.2f} ms, worst {max(times):7.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    chosen = parser.parse_args()
    token, snapshot, retention = new_token(), finished_game(), Retention(tables=chosen.tables)
    visitor = visitor_with(token)
    assert visitor is not None
    visitors = [visitor, *(f"{number:064x}" for number in range(1, VISITORS))]
    with contextlib.ExitStack() as stack:
        if chosen.postgresql:
            address = stack.enter_context(running_postgres()).new_database()

            def reopen() -> DatabaseStore:
                return open_postgresql(address, retention)
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

            def reopen() -> DatabaseStore:
                return open_folder(folder, retention)

        store = reopen()

        async def work() -> None:
            await fill(store, snapshot, chosen.tables, visitors)
            await measure(store, snapshot, chosen.tables, visitor)
            await store.close()

        asyncio.run(work())
        over_http(reopen(), token)


if __name__ == "__main__":
    main()
