"""`kibitz check`: check that a game fulfils its contract, or that a program speaks the protocol of docs/protocol.md."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from kibitz.cli.completion import complete_game
from kibitz.cli.screen import JsonOption, SandboxOption, SeedOption, print_json, progress_bar, screen, words
from kibitz.display.wording import counted
from kibitz.errors import KibitzError
from kibitz.players.seating import MOVE_SECONDS
from kibitz.rules.registry import find_game
from kibitz.rules.spec import COMMAND
from kibitz.sandbox.levels import AUTO

if TYPE_CHECKING:
    from kibitz.testing import Checked
    from kibitz.testing.programs import CheckedProgram

DEFAULT_GAME = "connect_four"
GAMES = 200  # random games to check a game with
SHOWN_LINE = 400  # characters of a line that was sent or received


def check(
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME|'cmd:PROGRAM ARGS'",
            help="A game, or a program that plays.",
            autocompletion=complete_game,
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option(min=1, help="The number of games to play.", show_default=f"{GAMES}; a few with a program"),
    ] = None,
    seed: SeedOption = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 if anything looks like a mistake.")
    ] = False,
    json: JsonOption = False,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="The game that a program plays.",
            show_default=DEFAULT_GAME,
            autocompletion=complete_game,
        ),
    ] = None,
    move_time: Annotated[
        float | None,
        typer.Option(min=0.001, max=86_400, help="A program's seconds per move.", show_default=f"{MOVE_SECONDS:g}"),
    ] = None,
    sandbox: SandboxOption = AUTO,
) -> None:
    """Check that a game fulfils its contract, by playing random games, and look for likely mistakes.

    With a program, check that it speaks the protocol for bots in any language, by letting it play.

    Examples: `kibitz check path/file.py:MyGame`, `kibitz check 'cmd:./bot --depth 3' --game camelup`
    """
    if what.strip().startswith(COMMAND):
        _check_program(what, game or DEFAULT_GAME, games, seed, move_time or MOVE_SECONDS, sandbox, json)
        return
    if game is not None or move_time is not None:
        raise KibitzError("--game and --move-time are for programs, as in `kibitz check 'cmd:./bot' --game camelup`.")
    from kibitz.testing import check_game

    rules = find_game(what)
    with progress_bar("Checking") as step:
        report = check_game(rules, games=games or GAMES, seed=seed, progress=step)
    if json:
        print_json(dataclasses.asdict(report))
    else:
        _print_report(report)
    if strict and report.findings:
        raise typer.Exit(1)


def _print_report(report: Checked) -> None:
    sign, end = ("[bold yellow]![/]", ", but:") if report.findings else ("[bold green]✓[/]", ".")
    screen.print(f"{sign} [bold]{escape(report.game)}[/] fulfils the contract{end}")
    for finding in report.findings:
        screen.print(Padding(words(f"{finding.method}: {finding.sentence}", "yellow"), (0, 0, 0, 2), expand=False))
    counts = Table.grid(padding=(0, 2))
    counts.add_column(justify="right")
    for count, what in _counts(report):
        counts.add_row(f"{count:,}", f"[dim]{what}[/]")
    screen.print(Padding(counts, (0, 0, 0, 2), expand=False))


def _counts(report: Checked) -> Iterator[tuple[int, str]]:
    yield report.games, f"random games, with up to {report.longest} plies"
    yield report.choices, f"decisions, with {report.branching:.1f} legal moves on average and up to {report.most_moves}"
    if report.chances:
        yield report.chances, f"chance events, with up to {report.most_outcomes} outcomes"
    if report.views:
        yield report.views, "views redacted and redealt"
    if report.solved:
        yield report.solved, "positions solved, to compare the values of those with the same key"
    if report.symmetries:
        yield report.symmetries, "symmetries, in each of which games go the same way"
    if report.compared:
        yield report.compared, "calls with the same result in compiled and plain mode"


# ------------------------------------------------------------------ programs


def _check_program(
    spec: str, game: str, games: int | None, seed: int, move_time: float, sandbox: str, json: bool
) -> None:
    from kibitz.testing.programs import check_program

    with progress_bar("Checking") as step:
        report = check_program(spec, find_game(game), games, seed, move_time, sandbox=sandbox, progress=step)
    if json:
        print_json(dataclasses.asdict(report))
    else:
        _print_program(report)
    if report.problems:
        raise typer.Exit(1)


def _print_program(report: CheckedProgram) -> None:
    called = f" ({escape(report.name)})" if report.name else ""
    played = f"[bold]{escape(report.spec)}[/]{called} played {counted(report.games, 'game')} of {escape(report.game)}"
    if report.problems:
        screen.print(f"[bold red]✗[/] {played}, but:")
    else:
        screen.print(f"[bold green]✓[/] {played} without a problem.", soft_wrap=True)
    for problem in report.problems:
        screen.print(Padding(words(problem.sentence, "red"), (0, 0, 0, 2), expand=False))
        for direction, line in (("sent", problem.sent), ("received", problem.received)):
            shown = line if len(line) <= SHOWN_LINE else f"{line[:SHOWN_LINE]}…"
            screen.print(Padding(words(f"{direction}: {shown or 'nothing'}", "dim"), (0, 0, 0, 4), expand=False))
    if report.moves:
        screen.print(f"  [dim]{counted(report.moves, 'move')}, the slowest in {report.slowest * 1000:.1f} ms[/]")
    if not report.is_repeatable:
        sentence = "It played differently in the same game with the same seed, so tournaments cannot be repeated."
        screen.print(Padding(words(sentence, "yellow"), (0, 0, 0, 2), expand=False))
