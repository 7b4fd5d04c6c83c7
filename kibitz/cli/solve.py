"""`kibitz solve`: the value of a game with perfect play."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as Grid

from kibitz.cli.screen import (
    AddressOption,
    GameArgument,
    JsonOption,
    print_json,
    progress_bar,
    screen,
    utility_entry,
    words,
)
from kibitz.display.board import board_of
from kibitz.display.wording import value_words
from kibitz.notices import tell
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.table import Table, View

if TYPE_CHECKING:
    from kibitz.solve import Solution, ValueTable
    from kibitz.solve.exhaustive import Progress
    from kibitz.solve.values import Valued

SECONDS_BETWEEN_NOTES = 30


def solve(
    game: GameArgument,
    tolerance: Annotated[float, typer.Option(help="The maximum error of the values in a game with chance.")] = 1e-9,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to save the values of a game with chance, instead of the cache."),
    ] = None,
    memory: Annotated[
        float, typer.Option(metavar="GB", min=0.001, max=1e6, help="The memory for positions and values.")
    ] = 4.0,
    threads: Annotated[
        int, typer.Option(min=0, max=1024, help="The number of threads or, on a cluster, workers; 0: one per core.")
    ] = 0,
    engine: Annotated[
        str, typer.Option(help="threads, or ray: a cluster, for games whose positions are divided into layers.")
    ] = "threads",
    address: AddressOption = None,
    json: JsonOption = False,
) -> None:
    """Solve a game: its value with perfect play, and the value of every first move.

    Example: `kibitz solve connect_four:columns=4,rows=4`
    """
    from kibitz.solve import Solution, kept_table
    from kibitz.solve import solve as solve_game

    rules = find_game(game)
    with progress_bar("Positions") as step:
        solved = solve_game(
            rules,
            tolerance=tolerance,
            memory=int(memory * 1e9),
            threads=threads,
            engine=engine,
            address=address,
            out=out or kept_table(rules),
            progress=_with_notes(step),
        )
    if isinstance(solved, Solution):
        _show_solution(solved, json)
    else:
        _show_table(solved, json)


def _with_notes(step: Progress) -> Progress:
    """Progress as a bar, or as a line on stderr now and then where that is not a terminal."""
    noted = time.monotonic()

    def progress(done: int, total: int | None) -> None:
        nonlocal noted
        step(done, total)
        if not sys.stderr.isatty() and time.monotonic() - noted > SECONDS_BETWEEN_NOTES:
            noted = time.monotonic()
            tell(f"{done:,} positions found …" if total is None else f"{done:,} of {total:,} positions solved …")

    return progress


def _show_solution(solution: Solution, json: bool) -> None:
    """Print the solution of a game without chance."""
    view = Table(solution.game).view(0)
    if json:
        return print_json(_document(solution, view))
    first, second = (f"[{view.board.colour(p)}]{escape(view.board.seat(p))}[/]" for p in range(2))
    how = {1.0: f"{first} wins", 0.5: "nobody wins", 0.0: f"{second} wins"}
    ends = how.get(solution.value, f"{first} gets {solution.value:.6g} of the win")
    if solution.game.has_utilities:
        ends = f"{first} gets {value_words(solution.game, solution.value)}"
    after = f" after {solution.plies} plies" if solution.plies else ""
    screen.print(f"With perfect play, [bold]{ends}[/]{after}. First moves of {first}:")
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("Move", style="bold")
    grid.add_column("Result")
    grid.add_column("Plies", justify="right")
    for valued in solution.moves:
        grid.add_row(words(view.say(valued.move)), words(*_verdict(solution.game, valued)), str(valued.plies or "–"))
    screen.print(grid)
    screen.print(f"Best line: [bold]{escape(', '.join(view.say_line(solution.line)))}[/]", soft_wrap=True)
    positions = f"{sum(solution.layers):,}"
    screen.print(f"[dim]All {positions} reachable positions in {solution.seconds:.2f} s.[/]")
    return None


def _verdict(game: Game, valued: Valued) -> tuple[str, str]:
    """The result of a move and the style to print it in."""
    if game.has_utilities:
        return value_words(game, valued.value), ""
    verdicts = {1.0: ("win", "bold green"), 0.5: ("draw", "bold yellow"), 0.0: ("loss", "bold red")}
    return verdicts.get(valued.value, (f"{valued.value:.6g}", ""))


def _document(solution: Solution, view: View) -> dict[str, Any]:
    return {
        "game": spec_of(solution.game),
        "value": solution.value,
        **utility_entry(solution.game, solution.value),
        "plies": solution.plies,
        "positions": sum(solution.layers),
        "layers": solution.layers,
        "moves": [
            {
                "move": view.name(valued.move),
                "value": valued.value,
                **utility_entry(solution.game, valued.value),
                "plies": valued.plies,
            }
            for valued in solution.moves
        ],
        "line": view.line_names(solution.line),
        "seconds": solution.seconds,
    }


def _show_table(table: ValueTable, json: bool) -> None:
    """Print the value table of a game with chance."""
    label = table.label
    if json:
        return print_json(
            {
                "game": label.game,
                "value": label.value,
                **utility_entry(table.values.game, label.value),
                "positions": label.positions,
                "tolerance": label.tolerance,
                "sweeps": label.sweeps,
                "seconds": label.seconds,
                "file": table.path and str(table.path),
            }
        )
    game = table.values.game
    board = board_of(game)
    digits = max(1, round(-math.log10(label.tolerance)))
    beginner = f"[{board.colour(0)}]{escape(board.seat(0))}[/]"
    gets = f"wins with probability [bold]{label.value:.{digits}f}[/]"
    if game.has_utilities:
        gets = f"gets [bold]{game.utility(label.value):.{digits}f}[/] on average"
    screen.print(f"With perfect play, {beginner}, who moves first, {gets}.")
    positions = f"{label.positions:,}"
    work = f"{positions} positions to within {label.tolerance:g}, {label.sweeps:g} sweeps on average"
    screen.print(f"[dim]{work}, in {label.seconds:.2f} s.[/]")
    if table.path:
        screen.print(f"[dim]Saved to {escape(str(table.path))}.[/]", soft_wrap=True)
    return None
