"""Terminal output: results go to stdout; progress, notices and errors to stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from kibitz.cli.completion import complete_game
from kibitz.notices import Notice

PIPED_WIDTH = 120  # the width if the output is not a terminal

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game: its name, name:option=value,…, or path/file.py:Class.",
        autocompletion=complete_game,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON document and nothing else.")]
LimitOption = Annotated[
    str | None,
    typer.Option(
        metavar="LIMIT",
        help="The limit of each search, instead of the bot's own: ms=500, sims=10000, nodes=…, depth=…",
        show_default=False,
    ),
]
DelayOption = Annotated[float, typer.Option(min=0, max=3600, help="Seconds to wait after each move.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same game.")]


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False, emoji=False)  # or else pig.py:Pig: would show a pig
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(stderr=stderr, highlight=False, emoji=False, width=PIPED_WIDTH)
    return console


screen = _console()
notes = _console(stderr=True)


def complain(sentence: str) -> None:
    """Print an error."""
    notes.print(f"[bold red]kibitz:[/] {escape(sentence)}", soft_wrap=True)


def print_json(document: Any) -> None:
    """Print a JSON document; what the terminal cannot show is escaped."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    screen.out(json.dumps(document, indent=2, ensure_ascii=not is_unicode), highlight=False)


class _Compiling:
    announced = False


def print_notice(notice: Notice, text: str) -> None:
    """Print a notice about something that takes a while; compilation is announced only once."""
    if notice is Notice.COMPILING:
        if _Compiling.announced:
            return
        _Compiling.announced = True
        text = "Compiling … (only the first time)"
    notes.print(f"[dim]{escape(text)}[/]", soft_wrap=True)


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on stderr, updated by calling `step(done, total)`; silent if stderr is not a terminal.

    `total` is None as long as it is unknown.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=notes, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(what, total=None)

        def step(done: int, total: int | None) -> None:
            progress.update(task, completed=done, total=total)

        yield step


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner on stderr during a block that takes a while; silent if stderr is not a terminal."""
    with notes.status(f"[dim]{escape(what)}[/]") if sys.stderr.isatty() else contextlib.nullcontext():
        yield


def words(text: str, style: str = "") -> Text:
    """Plain text, in which brackets are not markup."""
    return Text(text, style)
