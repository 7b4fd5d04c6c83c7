"""The application with all its commands, and `main`, which turns every error into a one-sentence message."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from kibitz import notices
from kibitz.cli.analyse import analyse
from kibitz.cli.arena import arena
from kibitz.cli.bench import bench
from kibitz.cli.check import check
from kibitz.cli.lists import bots, games
from kibitz.cli.logs import logs
from kibitz.cli.odds import odds
from kibitz.cli.play import play
from kibitz.cli.replay import replay
from kibitz.cli.report import report
from kibitz.cli.screen import complain, print_notice, screen
from kibitz.cli.serve import serve
from kibitz.cli.solve import solve
from kibitz.cli.train import train
from kibitz.cli.watch import watch
from kibitz.errors import KibitzError
from kibitz.version import VERSION

INTERRUPTED = 130  # the exit code of a program ended by Ctrl-C

app = typer.Typer(
    name="kibitz",
    help="A laboratory for board-game AI: rules in plain Python, search at the speed of C++.",
    epilog="Start with `kibitz play connect_four`. For help on a command, run `kibitz COMMAND --help`.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (games, bots, serve, play, watch, replay, analyse, odds, solve, train, arena, report, check, bench):
    app.command()(command)
app.add_typer(logs)


@app.callback(invoke_without_command=True)
def kibitz(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        screen.print(f"kibitz {VERSION}")
    elif context.invoked_subcommand is None:
        context.get_help()  # typer prints it


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. An error prints a sentence to stderr and exits with 2; KIBITZ_TRACEBACK=1 shows a traceback."""
    notices.listener = print_notice
    try:
        code = app(arguments, prog_name="kibitz", standalone_mode=False) or 0
    except Exception as error:
        if os.environ.get("KIBITZ_TRACEBACK"):
            raise
        complain(_sentence(error))
        code = 2
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def _sentence(error: Exception) -> str:
    if isinstance(error, KibitzError):
        return str(error)
    if isinstance(error, typer.TyperException):
        return error.format_message()
    from kibitz.rules.remedies import explained_exception
    from kibitz.rules.source import place_of_exception

    place = place_of_exception(error)
    if place:
        return f"{place.within}, {place}: {explained_exception(error)}\n    {place.text}"
    return (
        f"{type(error).__name__}: {error}; if the rules are your own, `kibitz check` finds the line, "
        "otherwise set KIBITZ_TRACEBACK=1 to see the traceback."
    )
