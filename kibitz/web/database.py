"""A store in a database: SQLite in a folder of this machine, or PostgreSQL.

Snapshots that wait while others are being written, and a moment longer, are written together, in one transaction: many
tables at once cost hardly more than one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
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
from kibitz.web.access import SPECTATOR, Access, Grant
from kibitz.web.limits import Busy
from kibitz.web.peers import Alone, Peers
from kibitz.web.peers_in_postgresql import PostgresPeers
from kibitz.web.playthrough import Phase
from kibitz.web.recent import Recent
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import DAY, IN_DATABASE, Retention, SavedElsewhere, TableQuery, full, too_many_own
from kibitz.web.summaries import Listing, ListPlace, TableSummary

FILE = "tables.sqlite"
LOCK = "lock"
MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_MILLISECONDS = 10_000  # that SQLite waits while another program, such as a backup, reads or writes the file
GATHERING_SECONDS = 0.01  # between two transactions: what is saved meanwhile shares the next one
MOST_REMEMBERED = 10_000  # rooms whose owners are known to be in the database
MOST_DROPPED = 500  # tables in one transaction
ONE_MIGRATION = 5_268_931  # the number of PostgreSQL's lock for servers that start at the same time; any will do

_METADATA = sa.MetaData()
ROOMS = sa.Table(
    "rooms",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger),
    sa.Column("game", sa.Text),  # its name, without options
    sa.Column("phase", sa.String(16)),
    sa.Column("since", sa.Float(53)),  # when this phase began, in seconds since 1970
    sa.Column("used_at", sa.Float(53)),  # when the room was last saved or, to the day, loaded
    sa.Column("is_listed", sa.Boolean),
    sa.Column("summary", sa.Text),  # as JSON
    sa.Column("snapshot", sa.Text),  # as JSON
)
OWNERS = sa.Table(  # whose rooms they are: those who set them up, and those who have a seat
    "room_owners",
    _METADATA,
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("room", sa.String(64), primary_key=True),
    sa.Column("is_host", sa.Boolean),
    sa.Column("seats", sa.Text),  # their numbers, as JSON
)
TIME = sa.Table("server_time", _METADATA, sa.Column("id", sa.Integer), sa.Column("seconds", sa.Float(53)))


def _new(column: sa.Column[Any]) -> sa.BindParameter[Any]:
    return sa.bindparam(f"new_{column.name}", type_=column.type)


_SINCE = sa.case((ROOMS.c.phase == _new(ROOMS.c.phase), ROOMS.c.since), else_=_new(ROOMS.c.since))
UPDATE = (  # of a room, if it is still the version that is known
    sa.update(ROOMS)
    .where(ROOMS.c.id == _new(ROOMS.c.id), ROOMS.c.version == sa.bindparam("known_version"))
    .values({column.name: _new(column) for column in ROOMS.c} | {"since": _SINCE})
)


# ------------------------------------------------------------------ opening


def default_folder() -> Path:
    """Where this system wants programs to keep what belongs to their user."""
    return platformdirs.user_data_path("kibitz")


def open_folder(folder: Path, retention: Retention = IN_DATABASE) -> DatabaseStore:
    """The store in a folder, which is created if it does not exist. Only its owner can read it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(folder / LOCK, f"The tables in {folder} are being served")
    except OSError as error:
        raise KibitzError(f"Tables cannot be kept in {folder} ({error.strerror}).") from None
    url = sqlite_url(folder / FILE)
    try:
        asyncio.run(prepare(url))
    except BaseException:
        lock.release()
        raise
    return DatabaseStore(url, lock, retention)


def sqlite_url(file: Path) -> URL:
    """The address of a SQLite database."""
    return URL.create("sqlite+aiosqlite", database=str(file))


def open_postgresql(address: str, retention: Retention = IN_DATABASE) -> DatabaseStore:
    """The store in a PostgreSQL database, named by an address like postgresql://user@host/database."""
    url = postgresql_url(address)
    asyncio.run(prepare(url))
    return DatabaseStore(url, retention=retention)


def postgresql_url(address: str) -> URL:
    """The address of a PostgreSQL database, with the driver that is used here."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise KibitzError("--database needs an address like postgresql://user@host/database.") from None
    if url.get_backend_name() != "postgresql":
        raise KibitzError("--database needs PostgreSQL: an address like postgresql://user@host/database.")
    return url.set(drivername="postgresql+asyncpg")


async def prepare(url: URL, revision: str = "head") -> None:
    """Create the database's tables, or bring those of an older version up to date."""
    async with explained(url), opened(url) as connection:
        if url.get_backend_name() == "postgresql":
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ONE_MIGRATION)))
        await connection.run_sync(_migrate, revision)


@contextlib.asynccontextmanager
async def opened(url: URL) -> AsyncIterator[AsyncConnection]:
    """A connection for one transaction, with an engine of its own."""
    engine = _engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            yield connection
    finally:
        await engine.dispose()


@contextlib.asynccontextmanager
async def explained(url: URL) -> AsyncIterator[None]:
    """What goes wrong with a database, in a sentence."""
    try:
        yield
    except CommandError:
        raise KibitzError(f"{_shown(url)} was written by a newer version of kibitz, or by another program.") from None
    except ModuleNotFoundError as error:
        raise KibitzError(f'PostgreSQL needs {error.name}; install it with: pip install "kibitz[postgres]"') from None
    except (SQLAlchemyError, OSError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        words = str(reason).partition("\n")[0].removeprefix(f"{type(reason)}: ")
        raise KibitzError(f"{_shown(url)} cannot be used ({words}).") from None


def _migrate(connection: sa.Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _shown(url: URL) -> str:
    """The database in an error message; never with its password."""
    return f"The database {url.render_as_string(hide_password=True).replace(f'+{url.get_driver_name()}', '')}"


def _engine(url: URL, **settings: Any) -> AsyncEngine:
    engine = create_async_engine(url, hide_parameters=True, **settings)  # error messages would contain snapshots
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

    def __init__(
        self,
        url: URL,
        lock: Lock | None = None,
        retention: Retention = IN_DATABASE,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`lock` keeps others away until the store is closed."""
        self._lock = lock
        self._retention = retention
        self._now = now
        self._engine = _engine(url)
        is_shared = url.get_backend_name() == "postgresql"
        self._insertion = (postgresql if is_shared else sqlite).insert(ROOMS).on_conflict_do_nothing()
        self.peers: Peers = PostgresPeers(_engine(url, poolclass=NullPool)) if is_shared else Alone()
        self._waiting: list[_Save] = []
        self._writing: asyncio.Task[None] | None = None
        self._grants: Recent[str, tuple[Grant, ...]] = Recent(MOST_REMEMBERED)  # whose owners are saved

    # -------------------------------------------------------------- one table

    async def load(self, key: str) -> RoomSnapshot | None:
        async with self._engine.connect() as connection:
            query = sa.select(ROOMS.c.snapshot, ROOMS.c.used_at).where(ROOMS.c.id == key)
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        if row.used_at < self._now() - DAY:
            await self._note_use([key])
        snapshot = RoomSnapshot.from_json(row.snapshot)
        self._remember_grants(snapshot)
        return snapshot

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
            await asyncio.sleep(GATHERING_SECONDS)

    async def _write(self, batch: Sequence[_Save]) -> None:
        """Write snapshots in one transaction: all of them or none. SavedElsewhere if another server was faster."""
        async with self._engine.begin() as connection:
            await self._update(connection, [save for save in batch if save.after is not None])
            for save in batch:
                if save.after is None:
                    await self._add(connection, save.snapshot)
                if self._grants.get(save.snapshot.id) != save.snapshot.grants:
                    await self._write_owners(connection, save.snapshot)
            await self.peers.announce(connection, [save.snapshot.id for save in batch])
        for save in batch:
            self._remember_grants(save.snapshot)
            if not save.done.done():  # somebody still waits for it
                save.done.set_result(None)

    async def _add(self, connection: AsyncConnection, snapshot: RoomSnapshot) -> None:
        await self._make_space(connection, snapshot)
        result = await connection.execute(self._insertion, self._row(snapshot))
        if result.rowcount != 1:
            raise SavedElsewhere

    async def _update(self, connection: AsyncConnection, saves: Sequence[_Save]) -> None:
        rows = [
            {f"new_{column}": value for column, value in self._row(save.snapshot).items()}
            | {"known_version": save.after}
            for save in saves
        ]
        can_count = connection.dialect.supports_sane_multi_rowcount  # how many rows were changed by one statement
        for some in [rows] if rows and can_count else [[row] for row in rows]:
            result = await connection.execute(UPDATE, some)
            if result.rowcount != len(some):
                raise SavedElsewhere

    def _row(self, snapshot: RoomSnapshot) -> dict[str, Any]:
        now = self._now()
        return {
            "id": snapshot.id,
            "version": snapshot.version,
            "game": snapshot.game_name,
            "phase": snapshot.phase.value,
            "since": now,
            "used_at": now,
            "is_listed": snapshot.is_listed,
            "summary": snapshot.summary.to_json(),
            "snapshot": snapshot.to_json(),
        }

    async def _write_owners(self, connection: AsyncConnection, snapshot: RoomSnapshot) -> None:
        owners = [
            {"visitor": grant.visitor, "room": snapshot.id, "is_host": grant.host, "seats": json.dumps(grant.seats)}
            for grant in snapshot.grants
            if grant.host or grant.seats
        ]
        await connection.execute(sa.delete(OWNERS).where(OWNERS.c.room == snapshot.id))
        if owners:
            await connection.execute(sa.insert(OWNERS), owners)

    def _remember_grants(self, snapshot: RoomSnapshot) -> None:
        """What the database knows of a room's owners: as long as that is right, it need not be written again."""
        self._grants[snapshot.id] = snapshot.grants

    async def delete(self, key: str) -> None:
        async with self._engine.begin() as connection:
            await self._delete(connection, [key])

    async def _delete(self, connection: AsyncConnection, keys: Sequence[str]) -> None:
        """Delete tables, and tell the other servers: they may have them open."""
        await connection.execute(sa.delete(OWNERS).where(OWNERS.c.room.in_(keys)))
        await connection.execute(sa.delete(ROOMS).where(ROOMS.c.id.in_(keys)))
        await self.peers.announce(connection, keys)

    # -------------------------------------------------------------- lists

    async def find(self, query: TableQuery, before: ListPlace | None, most: int) -> list[Listing]:
        columns = (ROOMS.c.id, ROOMS.c.phase, ROOMS.c.since, ROOMS.c.summary, OWNERS.c.is_host, OWNERS.c.seats)
        statement = _wanted(query, *columns)
        if before is not None:
            statement = statement.where(sa.tuple_(ROOMS.c.since, ROOMS.c.id) < sa.tuple_(*before))
        statement = statement.order_by(ROOMS.c.since.desc(), ROOMS.c.id.desc()).limit(most)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(statement)).all()
        return [
            Listing(
                row.id,
                Phase(row.phase),
                row.since,
                TableSummary.from_json(row.summary),
                SPECTATOR if row.seats is None else Access(tuple(json.loads(row.seats)), row.is_host),
            )
            for row in rows
        ]

    async def counts(self, queries: Sequence[TableQuery], most: int) -> list[int]:
        found = [_wanted(query, ROOMS.c.id).limit(most).subquery() for query in queries]
        numbers = [sa.select(sa.func.count()).select_from(some).scalar_subquery() for some in found]
        async with self._engine.connect() as connection:
            return list((await connection.execute(sa.select(*numbers))).one())

    # -------------------------------------------------------------- what is dropped

    async def _make_space(self, connection: AsyncConnection, snapshot: RoomSnapshot) -> None:
        """Drop an old table if there are too many for another one; Busy if there is none to drop."""
        for host in snapshot.hosts:
            own = sa.and_(OWNERS.c.visitor == host, OWNERS.c.is_host)
            count = sa.select(sa.func.count()).select_from(OWNERS).where(own)
            if (await connection.scalar(count) or 0) >= self._retention.tables_each:
                theirs = sa.select(OWNERS.c.room).where(own)
                error = too_many_own(self._retention.tables_each)
                await self._drop_one(connection, sa.select(ROOMS.c.id).where(ROOMS.c.id.in_(theirs)), error)
        if (await connection.scalar(sa.select(sa.func.count()).select_from(ROOMS)) or 0) >= self._retention.tables:
            await self._drop_one(connection, sa.select(ROOMS.c.id), full())

    async def _drop_one(self, connection: AsyncConnection, among: sa.Select[Any], otherwise: Busy) -> None:
        """Drop the finished table that was used longest ago."""
        finished = among.where(ROOMS.c.phase == Phase.OVER.value).order_by(ROOMS.c.used_at).limit(1)
        keys = (await connection.scalars(finished)).all()
        if not keys:
            raise otherwise
        await self._delete(connection, keys)

    async def drop_expired(self, in_use: Collection[str]) -> int:
        if in_use:
            await self._note_use(in_use)
        dropped, now = 0, self._now()
        for phase in Phase:
            old = sa.and_(ROOMS.c.phase == phase.value, ROOMS.c.used_at < self._retention.oldest_use(now, phase))
            while some := await self._drop_some(old):
                dropped += some
        return dropped

    async def _drop_some(self, old: sa.ColumnElement[bool]) -> int:
        """Drop some of the old tables: not all at once, so that nobody has to wait for long; how many."""
        async with self._engine.begin() as connection:
            keys = (await connection.scalars(sa.select(ROOMS.c.id).where(old).limit(MOST_DROPPED))).all()
            if keys:
                await self._delete(connection, keys)
        return len(keys)

    async def _note_use(self, keys: Collection[str]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sa.update(ROOMS).where(ROOMS.c.id.in_(keys)).values(used_at=self._now()))

    # -------------------------------------------------------------- time

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


def _wanted(query: TableQuery, *columns: Any) -> sa.Select[Any]:
    """The rooms that somebody wants to see."""
    is_theirs = sa.and_(OWNERS.c.room == ROOMS.c.id, OWNERS.c.visitor == query.visitor)
    statement = sa.select(*columns).select_from(ROOMS).join(OWNERS, is_theirs, isouter=not query.own)
    if not query.own:
        statement = statement.where(ROOMS.c.is_listed)
    if query.game is not None:
        statement = statement.where(ROOMS.c.game == query.game)
    # Of the few rooms of one visitor, the database must not look for the phase in an index of all rooms.
    phase = ROOMS.c.phase.concat("") if query.own else ROOMS.c.phase
    return statement.where(phase.in_([phase.value for phase in query.phases]))
