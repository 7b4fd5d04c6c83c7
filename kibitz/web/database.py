"""A store in a database: SQLite in a folder of this machine, or PostgreSQL.

Snapshots that wait while others are being written are written together, in one transaction: many tables at once cost
hardly more than one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from kibitz.errors import KibitzError
from kibitz.records.files import Lock
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import SavedElsewhere

FILE = "tables.sqlite"
LOCK = "lock"
MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_MILLISECONDS = 10_000  # that SQLite waits while another program, such as a backup, reads or writes the file
ONE_MIGRATION = 5_268_931  # the number of PostgreSQL's lock for servers that start at the same time; any will do

_METADATA = sa.MetaData()
ROOMS = sa.Table(
    "rooms",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger),
    sa.Column("game", sa.Text),  # its name, without options
    sa.Column("phase", sa.String(16)),
    sa.Column("saved_at", sa.Float(53)),  # seconds since 1970
    sa.Column("snapshot", sa.Text),  # as JSON
)
TIME = sa.Table("server_time", _METADATA, sa.Column("id", sa.Integer), sa.Column("seconds", sa.Float(53)))


# ------------------------------------------------------------------ opening


def default_folder() -> Path:
    """Where this system wants programs to keep what belongs to their user."""
    return platformdirs.user_data_path("kibitz")


def open_folder(folder: Path) -> DatabaseStore:
    """The store in a folder, which is created if it does not exist. Only its owner can read it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(folder / LOCK, f"The tables in {folder} are being served")
    except OSError as error:
        raise KibitzError(f"Tables cannot be kept in {folder} ({error.strerror}).") from None
    url = URL.create("sqlite+aiosqlite", database=str(folder / FILE))
    try:
        asyncio.run(prepare(url))
    except BaseException:
        lock.release()
        raise
    return DatabaseStore(url, lock)


def open_postgresql(address: str) -> DatabaseStore:
    """The store in a PostgreSQL database, named by an address like postgresql://user@host/database."""
    url = postgresql_url(address)
    asyncio.run(prepare(url))
    return DatabaseStore(url)


def postgresql_url(address: str) -> URL:
    """The address of a PostgreSQL database, with the driver that is used here."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise KibitzError("--database needs an address like postgresql://user@host/database.") from None
    if url.get_backend_name() != "postgresql":
        raise KibitzError("--database needs PostgreSQL: an address like postgresql://user@host/database.")
    return url.set(drivername="postgresql+asyncpg")


async def prepare(url: URL) -> None:
    """Create the database's tables, or bring those of an older version up to date."""
    engine = _engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            if url.get_backend_name() == "postgresql":
                await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ONE_MIGRATION)))
            await connection.run_sync(_migrate)
    except CommandError:
        raise KibitzError(f"{_shown(url)} was written by a newer version of kibitz, or by another program.") from None
    except ModuleNotFoundError as error:
        raise KibitzError(f'PostgreSQL needs {error.name}; install it with: pip install "kibitz[postgres]"') from None
    except (SQLAlchemyError, OSError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        words = str(reason).partition("\n")[0].removeprefix(f"{type(reason)}: ")
        raise KibitzError(f"{_shown(url)} cannot be used ({words}).") from None
    finally:
        await engine.dispose()


def _migrate(connection: sa.Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _shown(url: URL) -> str:
    """The database in an error message; never with its password."""
    return f"The database {url.render_as_string(hide_password=True).replace(f'+{url.get_driver_name()}', '')}"


def _engine(url: URL, **settings: Any) -> AsyncEngine:
    engine = create_async_engine(url, **settings)
    if url.get_backend_name() == "sqlite":
        sa.event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # what is committed survives a power failure, too
    cursor.close()


# ------------------------------------------------------------------ what is in it


class _Save(NamedTuple):
    """A snapshot that waits to be written."""

    snapshot: RoomSnapshot
    after: int | None
    done: asyncio.Future[None]


class DatabaseStore:
    """The store of a server with a database that has been prepared."""

    def __init__(self, url: URL, lock: Lock | None = None) -> None:
        """`lock` keeps others away until the store is closed."""
        self._lock = lock
        self._engine = _engine(url)
        self._insert = (postgresql if url.get_backend_name() == "postgresql" else sqlite).insert
        self._waiting: list[_Save] = []
        self._writing: asyncio.Task[None] | None = None

    async def load(self, key: str) -> RoomSnapshot | None:
        async with self._engine.connect() as connection:
            text = await connection.scalar(sa.select(ROOMS.c.snapshot).where(ROOMS.c.id == key))
        return None if text is None else RoomSnapshot.from_json(text)

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Save(snapshot, after, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await self._write(batch)
            except Exception:
                for save in batch:  # one by one: what is wrong with one must not keep the others from being saved
                    try:
                        await self._write([save])
                    except Exception as error:
                        if not save.done.done():
                            save.done.set_exception(error)

    async def _write(self, batch: Sequence[_Save]) -> None:
        """Write snapshots in one transaction, then say of each whether it is saved."""
        async with self._engine.begin() as connection:
            written = [await self._write_one(connection, save) for save in batch]
        for save, is_written in zip(batch, written, strict=True):
            if save.done.done():  # nobody waits for it any more
                continue
            if is_written:
                save.done.set_result(None)
            else:
                save.done.set_exception(SavedElsewhere())

    async def _write_one(self, connection: AsyncConnection, save: _Save) -> bool:
        snapshot = save.snapshot
        row = {
            "id": snapshot.id,
            "version": snapshot.version,
            "game": snapshot.game.partition(":")[0],
            "phase": snapshot.phase.value,
            "saved_at": time.time(),
            "snapshot": snapshot.to_json(),
        }
        if save.after is None:
            result = await connection.execute(self._insert(ROOMS).values(row).on_conflict_do_nothing())
        else:
            unchanged = sa.and_(ROOMS.c.id == snapshot.id, ROOMS.c.version == save.after)
            result = await connection.execute(sa.update(ROOMS).where(unchanged).values(row))
        return result.rowcount == 1

    async def load_time(self) -> float:
        async with self._engine.connect() as connection:
            return float(await connection.scalar(sa.select(TIME.c.seconds)) or 0.0)

    async def keep_time(self, seconds: float) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sa.update(TIME).where(TIME.c.seconds < seconds).values(seconds=seconds))

    async def close(self) -> None:
        if self._writing is not None:
            await asyncio.wait([self._writing])
        await self._engine.dispose()
        if self._lock is not None:
            self._lock.release()
