"""Backups: all tables of a server in one file, copied while it runs, and back into an empty database.

The file is a SQLite database like the server's own, also if the server uses PostgreSQL; so a server with either can be
restored from it, or moved to the other. It has the version of the database that it was copied from.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection

from kibitz.errors import KibitzError
from kibitz.records.files import ASIDE, sync_folder
from kibitz.web.database import ROOMS, explained, opened, prepare, sqlite_url

VERSION = sa.table("alembic_version", sa.column("version_num"))
ROWS_AT_ONCE = 500

Progress = Callable[[int, int | None], None]


def back_up(source: URL, file: Path, progress: Progress) -> int:
    """Copy a database, as it is at one moment, to a new file that only its owner can read; how many tables."""
    if file.exists():
        raise KibitzError(f"{file} exists already; choose another name for the backup.")
    aside = file.with_name(file.name + ASIDE)
    try:
        aside.unlink(missing_ok=True)
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        count = asyncio.run(_back_up(source, aside, progress))
        os.replace(aside, file)
        sync_folder(file.parent)
    except OSError as error:
        raise KibitzError(f"The backup cannot be written to {file} ({error.strerror}).") from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()
    return count


def restore(file: Path, target: URL, progress: Progress) -> int:
    """Copy a backup, also of an older version, into a database that is prepared and has no tables; how many."""
    if not file.is_file():
        raise KibitzError(f"There is no file {file}.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "backup.sqlite"  # which is brought up to date; the backup stays as it is
        shutil.copyfile(file, copy)
        return asyncio.run(_restore(sqlite_url(copy), file, target, progress))


async def _back_up(source: URL, file: Path, progress: Progress) -> int:
    url = sqlite_url(file)
    async with explained(source), opened(source) as original:
        await _look_at_one_moment(original)
        await prepare(url, await _version(original))
        async with opened(url) as backup:
            count = await _copy(original, backup, progress)
    async with opened(url) as backup:
        await backup.exec_driver_sql("PRAGMA journal_mode = DELETE")  # a single file, which can be moved and mailed
    return count


async def _restore(backup_url: URL, file: Path, target: URL, progress: Progress) -> int:
    try:
        async with opened(backup_url) as backup:
            await _version(backup)
    except (sa.exc.SQLAlchemyError, KibitzError):
        raise KibitzError(f"{file} is not a backup of kibitz.") from None
    await prepare(backup_url)
    async with explained(target), opened(target) as database, opened(backup_url) as backup:
        if await database.scalar(sa.select(ROOMS.c.id).limit(1)) is not None:
            raise KibitzError("There are tables already; restore a backup into an empty folder or database.")
        return await _copy(backup, database, progress)


async def _look_at_one_moment(connection: AsyncConnection) -> None:
    """Whatever the server writes from now on is not seen over this connection."""
    if connection.dialect.name == "postgresql":
        await connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    else:
        await connection.exec_driver_sql("BEGIN")


async def _version(connection: AsyncConnection) -> str:
    """The version of a database, as migrations/ names it."""
    try:
        return str(await connection.scalar(sa.select(VERSION.c.version_num)))
    except sa.exc.DBAPIError:
        raise KibitzError("No server has kept its tables there yet.") from None


async def _copy(source: AsyncConnection, target: AsyncConnection, progress: Progress) -> int:
    """Copy all that is in a database to another one of the same version; how many rooms."""
    layout = sa.MetaData()
    await target.run_sync(layout.reflect)
    rooms = layout.tables["rooms"]
    total, done = int(await source.scalar(sa.select(sa.func.count()).select_from(rooms)) or 0), 0
    for table in layout.sorted_tables:
        if table.name == VERSION.name:
            continue
        await target.execute(sa.delete(table))  # what a migration has put there
        rows = await source.stream(sa.select(table).execution_options(yield_per=ROWS_AT_ONCE))
        async for some in rows.mappings().partitions():
            async with explained(target.engine.url):
                await target.execute(sa.insert(table), [dict(row) for row in some])
            if table is rooms:
                done += len(some)
                progress(done, total)
    return total
