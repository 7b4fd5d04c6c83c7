"""`kibitz check`: check that a game fulfils its contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from kibitz.cli.screen import GameArgument, SeedOption, progress_bar, screen
from kibitz.rules.registry import find_game

if TYPE_CHECKING:
    from kibitz.testing import Checked


def check(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, help="The number of random games to play.")] = 200,
    seed: SeedOption = 0,
) -> None:
    """Check that a game fulfils its contract, by playing random games.

    Example: `kibitz check path/file.py:MyGame`
    """
    from kibitz.testing import check_game

    rules = find_game(game)
    with progress_bar("Checking") as step:
        report = check_game(rules, games=games, seed=seed, progress=step)
    screen.print(f"[bold green]✓[/] [bold]{escape(report.game)}[/] fulfils the contract.")
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
    if report.compared:
        yield report.compared, "calls with the same result in compiled and plain mode"
