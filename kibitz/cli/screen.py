"""The terminal: what is printed where. Results go to stdout; progress, notices and errors to stderr."""

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

PIPED_WIDTH = 120  # where no terminal says how wide it is

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="A game: its name, name:option=value,…, or path/file.py:Class.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same game.")]


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False, emoji=False)  # pig.py:Pig: is no pig
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(stderr=stderr, highlight=False, emoji=False, width=PIPED_WIDTH)
    return console


screen = _console()
notes = _console(stderr=True)


def complain(sentence: str) -> None:
    """Print an error."""
    notes.print(f"[bold red]kibitz:[/] {escape(sentence)}", soft_wrap=True)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    screen.out(json.dumps(document, indent=2, ensure_ascii=False), highlight=False)


class _Compilation:
    announced = False


def announce_compilation(what: str) -> None:
    """Say, the first time only, that something is being compiled."""
    if not _Compilation.announced:
        _Compilation.announced = True
        notes.print("[dim]Compiling … (once; kept for next time)[/]")


def print_notice(sentence: str) -> None:
    """Print what is going on that takes its time."""
    notes.print(f"[dim]{escape(sentence)}[/]", soft_wrap=True)


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar on stderr, moved by calling `step(done, total)`; silent where stderr is not a terminal.

    The total is None while it is not known.
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
    """A spinner on stderr while something takes its time; silent where stderr is not a terminal."""
    with notes.status(f"[dim]{escape(what)}[/]") if sys.stderr.isatty() else contextlib.nullcontext():
        yield


def words(text: str, style: str = "") -> Text:
    """Text in which brackets are brackets, not markup."""
    return Text(text, style)
