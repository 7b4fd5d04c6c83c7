"""Asks before a command runs a file that a log or a record names."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import complain
from kibitz.errors import KibitzError
from kibitz.records.log import Log

TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run the file of the game, whoever wrote the log.", show_default=False)
]


def trusted_log(path: Path, trust: bool) -> Log:
    """The log at a path; if somebody else wrote it, and its game is a file, the user has agreed to run that."""
    log = Log(path)
    agree(f"The log {path}", log.foreign_file, trust)
    log.is_trusted = True
    return log


def is_interactive() -> bool:
    """Whether there is a person to ask."""
    return sys.stdin.isatty()


def agree(what: str, file: Path | None, trust: bool) -> None:
    """Ask whether a file may be run that somebody else's log or record names; an error if not."""
    if file is None or trust:
        return
    sentence = f"{what} is not from you, or its game has moved: it names {file}, which would be run"
    if not is_interactive():
        raise KibitzError(f"{sentence}; if you trust that file, add --trust.")
    complain(f"{sentence}.")
    if not typer.confirm("Run it?", err=True):
        raise KibitzError("Nothing was run.")
