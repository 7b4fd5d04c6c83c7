"""Servers that meet in PostgreSQL.

What they tell each other goes through LISTEN and NOTIFY: that a table is saved is part of the transaction that saves
it. A server leads the tables whose advisory locks it holds. Locks belong to a connection and end with it, so that
another server can take over as soon as this one dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kibitz.web.background import BackgroundWork
from kibitz.web.peers import Alive, Leaving, News, PeerListener, Present, Saved, WhoIsPresent
from kibitz.web.server_clock import ServerClock

CHANNEL = "kibitz"
ALIVE_SECONDS = 1.0  # from one sign of life to the next
DEAD_SECONDS = 5.0  # without a sign of life
QUERY_SECONDS = 5.0  # after which a connection that does not answer is given up
RETRY_SECONDS = 1.0  # from a failed attempt to connect to the next

T = TypeVar("T")

log = logging.getLogger("kibitz.web")

_NEWS: TypeAdapter[Any] = TypeAdapter(News)


class PostgresPeers:
    """The servers that share a PostgreSQL database."""

    are_possible = True

    def __init__(self, engine: AsyncEngine) -> None:
        """The engine must not pool connections: locks would survive in the pool."""
        self.name = secrets.token_urlsafe(9)  # of this server
        self._engine = engine
        self._connection: Any = None  # asyncpg's, while there is one
        self._one_at_a_time = asyncio.Lock()  # asyncpg cannot do two things at once on a connection
        self._held: set[str] = set()
        self._last_heard: dict[str, float] = {}
        self._telling = BackgroundWork()
        self._staying: asyncio.Task[None] | None = None

    async def announce(self, connection: AsyncConnection, tables: Collection[str]) -> None:
        texts = sa.cast([self._written(Saved(table)) for table in tables], ARRAY(sa.Text))
        await connection.execute(sa.select(sa.func.pg_notify(CHANNEL, sa.func.unnest(texts))))

    # -------------------------------------------------------------- this server

    async def meet(self, listener: PeerListener, clock: ServerClock) -> None:
        self._listener, self._clock = listener, clock
        connected = asyncio.Event()
        self._staying = asyncio.create_task(self._stay_connected(connected))
        await asyncio.wait([self._staying, asyncio.create_task(connected.wait())], return_when=asyncio.FIRST_COMPLETED)

    async def _stay_connected(self, connected: asyncio.Event) -> None:
        while True:
            try:
                async with self._engine.connect() as connection:
                    self._connection = (await connection.get_raw_connection()).driver_connection
                    await self._connection.add_listener(CHANNEL, self._received)
                    if connected.is_set():
                        self._listener.peers_found()
                    connected.set()
                    await self._stay_alive()
            except Exception as error:  # whatever it is, the database is not there
                log.warning("The connection to other servers is lost (%s).", type(error).__name__)
            self._connection, self._held = None, set()
            if connected.is_set():
                self._listener.peers_lost()
            await asyncio.sleep(RETRY_SECONDS)

    async def _stay_alive(self) -> None:
        """Send signs of life, until the connection fails."""
        while True:
            await self._send(Alive(self._clock.now()))
            await asyncio.sleep(ALIVE_SECONDS)
            now = asyncio.get_running_loop().time()
            for server in [name for name, heard in self._last_heard.items() if heard < now - DEAD_SECONDS]:
                self._has_left(server)

    def tell(self, news: Present | WhoIsPresent) -> None:
        self._telling.start(self._tell(news))

    async def _tell(self, news: Present | WhoIsPresent) -> None:
        with contextlib.suppress(Exception):  # once connected again, all is told anew
            await self._send(news)

    async def _send(self, news: Any) -> None:
        await self._ask(lambda connection: connection.execute("SELECT pg_notify($1, $2)", CHANNEL, self._written(news)))

    async def _ask(self, query: Callable[[Any], Awaitable[T]]) -> T:
        async with self._one_at_a_time:
            if self._connection is None:
                raise ConnectionError("There is no connection to other servers.")
            async with asyncio.timeout(QUERY_SECONDS):
                return await query(self._connection)

    def _written(self, news: Any) -> str:
        return json.dumps({"server": self.name, "news": _NEWS.dump_python(news, mode="json")})

    async def part(self) -> None:
        if self._staying is not None:
            with contextlib.suppress(Exception):
                await self._send(Leaving())
            self._staying.cancel()
            await asyncio.wait([self._staying])
        await self._engine.dispose()

    # -------------------------------------------------------------- the others

    def _received(self, connection: Any, process: int, channel: str, text: str) -> None:
        try:
            document = json.loads(text)
            server, news = str(document["server"]), _NEWS.validate_json(json.dumps(document["news"]))
        except (ValueError, TypeError, KeyError, RecursionError, ValidationError):
            log.warning("Another program has sent something on the channel %s that is no news.", CHANNEL)
            return
        if server == self.name:
            return
        self._last_heard[server] = asyncio.get_running_loop().time()
        match news:
            case Alive():
                self._clock.advance_to(news.seconds)
            case Leaving():
                self._has_left(server)
            case _:
                self._listener.heard(server, news)

    def _has_left(self, server: str) -> None:
        del self._last_heard[server]
        self._listener.peer_left(server)

    # -------------------------------------------------------------- who leads

    async def claim(self, tables: Collection[str]) -> set[str]:
        wanted = {_lock_number(table): table for table in tables if table not in self._held}
        query = "SELECT number FROM unnest($1::bigint[]) AS number WHERE pg_try_advisory_lock(number)"
        try:
            rows = await self._ask(lambda connection: connection.fetch(query, list(wanted))) if wanted else []
        except Exception as error:  # without the others, nobody can know who leads
            log.warning("No table can be claimed now (%s).", type(error).__name__)
            return set()
        self._held |= {wanted[row["number"]] for row in rows}
        return self._held & set(tables)

    async def release(self, table: str) -> None:
        if table in self._held:
            self._held.discard(table)
            with contextlib.suppress(Exception):  # then it ended with the connection
                await self._ask(lambda connection: connection.execute(_UNLOCK, _lock_number(table)))


_UNLOCK = "SELECT pg_advisory_unlock($1)"


def _lock_number(table: str) -> int:
    """PostgreSQL's locks have numbers of 64 bits."""
    return int.from_bytes(hashlib.sha256(table.encode()).digest()[:8], signed=True)
