"""`kibitz backup`: all tables of a web server in one file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import progress_bar, screen, words
from kibitz.display.wording import counted
from kibitz.errors import KibitzError


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, or with `--restore` to read.")],
    restore: Annotated[
        bool, typer.Option("--restore", help="Copy the tables of FILE into an empty folder or database.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder in which the server keeps its tables; by default, your own."),
    ] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="The PostgreSQL database in which the server keeps them.")
    ] = None,
) -> None:
    """Copy all tables of a web server to one file, while it runs, or from there to another server.

    The file is a SQLite database with everything that the server keeps, seeds and hidden hands included; only you can
    read it.

    Examples: `kibitz backup tables.sqlite`, `kibitz backup tables.sqlite --restore --data another`
    """
    try:
        from kibitz.web.backup import back_up
        from kibitz.web.backup import restore as restore_from
        from kibitz.web.database import (
            FILE,
            default_folder,
            open_folder,
            open_postgresql,
            postgresql_url,
            sqlite_url,
        )
    except ImportError:
        raise KibitzError('Backups need more packages; install them with: pip install "kibitz[web]"') from None
    if data is not None and database is not None:
        raise KibitzError("Tables are kept either in a folder (--data) or in PostgreSQL (--database), not in both.")
    folder = data or default_folder()
    url = sqlite_url(folder / FILE) if database is None else postgresql_url(database)
    if restore:
        store = open_folder(folder) if database is None else open_postgresql(database)  # so that no server uses it
        try:
            with progress_bar("Restoring") as step:
                count = restore_from(file, url, step)
        finally:
            asyncio.run(store.close())
        screen.print(words(f"Restored {counted(count, 'table')} from {file}."), soft_wrap=True)
        return
    if database is None and not (folder / FILE).is_file():
        raise KibitzError(f"There are no tables in {folder}; --data names another folder.")
    with progress_bar("Copying") as step:
        count = back_up(url, file, step)
    megabytes = file.stat().st_size / 1e6
    screen.print(words(f"Wrote {counted(count, 'table')} to {file} ({megabytes:.1f} MB)."), soft_wrap=True)
