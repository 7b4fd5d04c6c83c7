"""Terminal output: results go to stdout; progress, notices and errors to stderr."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.errors import LiveError
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.status import Status
from rich.text import Text

from kibitz.cli.completion import complete_game
from kibitz.errors import KibitzError
from kibitz.notices import Notice
from kibitz.sandbox.levels import CHOICES

if TYPE_CHECKING:
    from kibitz.rules.contract import Game

INTERRUPTED = 130  # the exit code of a program ended by Ctrl-C
PIPED_WIDTH = 120  # the width if the output is not a terminal
LINE_SECONDS = 3.0  # between two lines about what is being compiled


def _known_level(name: str) -> str:
    if name not in CHOICES:
        raise KibitzError(f"There is no sandbox {name!r}; choose one of {', '.join(CHOICES)}.")
    return name


GAME: Any = typer.Argument(
    metavar="GAME",
    help="A game: its name, name:option=value,…, or path/file.py:Class.",
    autocompletion=complete_game,
)
GameArgument = Annotated[str, GAME]
OptionalGame = Annotated[str | None, GAME]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON document and nothing else.")]
LimitOption = Annotated[
    str | None,
    typer.Option(
        metavar="LIMIT",
        help="The limit of each search, instead of the bot's own: ms=500, sims=10000, nodes=…, depth=…",
        show_default=False,
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT|auto",
        help="The Ray cluster for the engine ray.",
        show_default="$RAY_ADDRESS, or this machine alone",
    ),
]
DelayOption = Annotated[float, typer.Option(min=0, max=3600, help="Seconds to wait after each move.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same game.")]
SandboxOption = Annotated[
    str,
    typer.Option(
        metavar="LEVEL",
        callback=_known_level,
        help="For bots that do not ship with kibitz: bwrap, landlock, none, or auto, the strongest this machine gives.",
    ),
]
SecretOption = Annotated[
    str | None,
    typer.Option(
        metavar="HEX", help="The secret shown at the end, to repeat a game with bots from files.", show_default=False
    ),
]
FreshSeedOption = Annotated[int | None, typer.Option(help="The same seed gives the same game.", show_default="random")]


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


def utility_entry(game: Game, value: float) -> dict[str, float]:
    """What a JSON document says beside a normalized value: its utility, in a game that has utilities."""
    return {"utility": game.utility(value)} if game.has_utilities else {}


class CompileNotices:
    """Shows what is being compiled and for how long: a spinner in a terminal, a line every few seconds elsewhere."""

    def __init__(self) -> None:
        self._spinner: Status | None = None
        self._began: float | None = None  # when what is being compiled now was begun
        self._spent = 0.0  # seconds, on what has been compiled before
        self._next_line = -math.inf

    def begin(self, what: str) -> None:
        """Something is being compiled."""
        self.end()
        now = self._began = time.perf_counter()
        if sys.stderr.isatty():
            with contextlib.suppress(LiveError):  # another display has the last line: print above it
                self._spinner = notes.status(Since(f"Compiling {what} …"))
                self._spinner.start()
                return
        if now < self._next_line:
            return
        first = self._next_line == -math.inf
        since = "only the first time" if first else f"{self._spent:.0f} s so far"
        notes.print(f"[dim]Compiling {escape(what)} … ({since})[/]", soft_wrap=True)
        self._next_line = now + LINE_SECONDS

    def end(self) -> None:
        """It is compiled."""
        if self._began is not None:
            self._spent += time.perf_counter() - self._began
            self._began = None
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


class Since:
    """A line that also says for how long it has been shown."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.perf_counter()

    def __rich__(self) -> Text:
        return Text(f"{self._what} {time.perf_counter() - self._began:.0f} s", "dim")


_compile_notices = CompileNotices()


def print_notice(notice: Notice, text: str) -> None:
    """Print a notice about something that takes a while."""
    match notice:
        case Notice.COMPILING:
            _compile_notices.begin(text)
        case Notice.COMPILED:
            _compile_notices.end()
        case Notice.WORKING:
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
    with notes.status(Since(what)) if sys.stderr.isatty() else contextlib.nullcontext():
        yield


def words(text: str, style: str = "") -> Text:
    """Plain text, in which brackets are not markup."""
    return Text(text, style)
