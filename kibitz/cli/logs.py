"""`kibitz logs`: the logs of tournaments for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import progress_bar, screen, waiting, words
from kibitz.errors import KibitzError

logs = typer.Typer(
    name="logs",
    help="Turn the log of a tournament into one file, or into tables of all moves.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
LogArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `kibitz arena --log DIR` wrote.")]


@logs.command()
def merge(
    log: LogArgument,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write.", show_default="DIR.parquet")
    ] = None,
) -> None:
    """Write all games of a log, in order, into one Parquet file.

    Example: `kibitz logs merge runs/first`
    """
    from kibitz.records.export import merge as merge_log

    with waiting("Merging …"):
        path = merge_log(log, out)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)


@logs.command()
def export(
    log: LogArgument,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV: one row per move or chance outcome.")] = False,
    merged: Annotated[bool, typer.Option("--merged", help="One file for all games instead of one each.")] = False,
    layout: Annotated[
        str, typer.Option(metavar="NAME", help="Another layout, where the game has one: camelup has camelai.")
    ] = "plies",
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Where to write.", show_default="DIR-csv, or DIR.csv with --merged"),
    ] = None,
) -> None:
    """Write every move and chance outcome of a log as a row, with the position after it.

    Example: `kibitz logs export runs/first --csv --merged`
    """
    from kibitz.records.export import export_csv

    if not csv:
        raise KibitzError("Say in which form to export the log: --csv.")
    with progress_bar("Exporting") as step:
        path = export_csv(log, out, merged=merged, layout=layout, progress=step)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)
