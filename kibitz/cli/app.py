"""The application with all its commands, and `run`, which turns every error into a one-sentence message."""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from kibitz import notices
from kibitz.cli.ascii import replace_what_cannot_be_encoded
from kibitz.cli.screen import INTERRUPTED, complain, print_notice
from kibitz.errors import KibitzError

# The module of each command, imported when the command is used: together they take a second to import.
COMMANDS = {
    "games": "lists",
    "bots": "lists",
    "serve": "serve",
    "backup": "backup",
    "play": "play",
    "watch": "watch",
    "replay": "replay",
    "analyse": "analyse",
    "puzzles": "puzzles",
    "odds": "odds",
    "solve": "solve",
    "train": "train",
    "arena": "arena",
    "report": "report",
    "check": "check",
    "perft": "perft",
    "warm": "warm",
    "doctor": "doctor",
    "bench": "bench",
    "logs": "logs",
}


class Commands(TyperGroup):
    """All commands by their names and summaries; one is loaded when it is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, module in COMMANDS.items():
            self.add_command(TyperCommand(name, help=_summary(name, module)))

    def resolve_command(self, context: Any, arguments: list[str]) -> tuple[str | None, Any, list[str]]:
        name, listed, rest = super().resolve_command(context, arguments)
        return name, _load(name) if name and listed else None, rest


def _summary(name: str, module: str) -> str:
    """The first line of a command's help, read without importing its module."""
    tree = ast.parse((Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8"))
    command = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    return (ast.get_docstring(command) or "").partition("\n")[0]


def _load(name: str) -> Any:
    """Import a command, or the group of commands of that name."""
    module = importlib.import_module(f"kibitz.cli.{COMMANDS[name]}")
    if hasattr(module, "group"):
        return get_command(module.group)
    single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    single.command()(getattr(module, name))
    return get_command(single)


app = typer.Typer(
    name="kibitz",
    cls=Commands,
    help="A laboratory for board-game AI: rules in plain Python, search at the speed of C++.",
    epilog=(
        "Start with `kibitz play connect_four`. For help on a command, run `kibitz COMMAND --help`.\n\n"
        "Environment variables: `KIBITZ_CACHE` sets the folder for compiled code and solved games; `KIBITZ_PLAIN=1` "
        "runs rules and bots as plain Python, for debugging; `KIBITZ_TRACEBACK=1` shows where an error arose."
    ),
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def kibitz(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:  # the version is printed by kibitz.cli.main
    if context.invoked_subcommand is None:
        context.get_help()  # typer prints it


def run(arguments: Sequence[str]) -> None:
    """Run a command. An error prints a sentence to stderr and exits with 2; KIBITZ_TRACEBACK=1 shows a traceback."""
    notices.listener = print_notice
    replace_what_cannot_be_encoded()
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


def _with_help(error: typer.TyperException) -> str:
    """The message of a mistake in the arguments, and where the help is."""
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if context is None or message.endswith("?"):  # it says already what was meant
        return message
    return f"{message.rstrip('.')}; see `{context.command_path} --help`."


def _sentence(error: Exception) -> str:
    if isinstance(error, KibitzError):
        return str(error)
    if isinstance(error, typer.TyperException):
        return _with_help(error)
    if isinstance(error, MemoryError):
        return f"Not enough memory: {str(error) or 'an allocation failed'}."
    from kibitz.rules.remedies import explained_exception
    from kibitz.rules.source import place_of_exception

    place = place_of_exception(error)
    if place:
        return f"{place.within}, {place}: {explained_exception(error)}{place.quoted}"
    return (
        f"{type(error).__name__}: {error}; if the rules are your own, `kibitz check` finds the line, "
        "otherwise set KIBITZ_TRACEBACK=1 to see the traceback."
    )
