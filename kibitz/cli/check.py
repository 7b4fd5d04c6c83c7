"""`kibitz check`: check that a game fulfils its contract, and look for likely mistakes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from kibitz.cli.screen import GameArgument, JsonOption, SeedOption, print_json, progress_bar, screen, words
from kibitz.rules.registry import find_game

if TYPE_CHECKING:
    from kibitz.testing import Checked


def check(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, help="The number of random games to play.")] = 200,
    seed: SeedOption = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 if anything looks like a mistake.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check that a game fulfils its contract, by playing random games, and look for likely mistakes.

    Example: `kibitz check path/file.py:MyGame`
    """
    from kibitz.testing import check_game

    rules = find_game(game)
    with progress_bar("Checking") as step:
        report = check_game(rules, games=games, seed=seed, progress=step)
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
    if report.compared:
        yield report.compared, "calls with the same result in compiled and plain mode"
