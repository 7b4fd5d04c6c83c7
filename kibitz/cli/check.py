"""`kibitz check`: whether a game keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from kibitz.cli.screen import GameArgument, SeedOption, progress_bar, screen
from kibitz.games import game as find_game

if TYPE_CHECKING:
    from kibitz.testing import Checked


def check(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 200,
    seed: SeedOption = 0,
) -> None:
    """Verify that a game keeps the contract, by playing it at random.

    Example: `kibitz check path/file.py:MyGame`
    """
    from kibitz.testing import check_game

    rules = find_game(game)
    with progress_bar("Checking") as step:
        report = check_game(rules, games=games, seed=seed, progress=step)
    screen.print(f"[bold green]✓[/] [bold]{escape(report.game)}[/] keeps the contract.")
    counts = Table.grid(padding=(0, 2))
    counts.add_column(justify="right")
    for count, what in _counts(report):
        counts.add_row(f"{count:,}".replace(",", " "), f"[dim]{what}[/]")
    screen.print(Padding(counts, (0, 0, 0, 2), expand=False))


def _counts(report: Checked) -> Iterator[tuple[int, str]]:
    yield report.games, f"random games, the longest of {report.longest} plies"
    yield report.choices, f"choices of {report.branching:.1f} moves on average, {report.most_moves} at most"
    if report.chances:
        yield report.chances, f"chance events of {report.most_outcomes} outcomes at most"
    if report.views:
        yield report.views, "views redacted and redealt"
    if report.compared:
        yield report.compared, "calls with the same result compiled and plain"
