"""`kibitz logs`: export the logs of tournaments for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import progress_bar, screen, words
from kibitz.cli.trust import TrustOption, trusted_log
from kibitz.errors import KibitzError

group = typer.Typer(invoke_without_command=True, add_completion=False, rich_markup_mode="markdown")
LogArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A log written by `kibitz arena --log DIR`.")]


@group.callback()
def logs(context: typer.Context) -> None:
    """Export the log of a tournament as a single file or as tables of moves.

    Examples: `kibitz logs merge runs/first`, `kibitz logs export runs/first --csv`
    """
    if context.invoked_subcommand is None:
        context.get_help()  # typer prints it


@group.command()
def merge(
    log: LogArgument,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write.", show_default="DIR.parquet")
    ] = None,
) -> None:
    """Write all games of a log, in order, to one Parquet file.

    Example: `kibitz logs merge runs/first`
    """
    from kibitz.records.export import merge as merge_log

    with progress_bar("Merging") as step:
        path = merge_log(log, out, progress=step)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)


@group.command()
def export(
    log: LogArgument,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV, one row per move or chance outcome.")] = False,
    merged: Annotated[bool, typer.Option("--merged", help="Write one file for all games, not one per game.")] = False,
    layout: Annotated[
        str, typer.Option(metavar="NAME", help="The layout of the table; some games have others, such as camelai.")
    ] = "plies",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="The folder or file to write.", show_default="DIR-csv, or DIR.csv with --merged"
        ),
    ] = None,
    trust: TrustOption = False,
) -> None:
    """Write every move and chance outcome of a log as a row, with the resulting position.

    Example: `kibitz logs export runs/first --csv --merged`
    """
    from kibitz.records.export import export_csv

    if not csv:
        raise KibitzError("Choose an export format: --csv.")
    opened = trusted_log(log, trust)
    with progress_bar("Exporting") as step:
        path = export_csv(opened, out, merged=merged, layout=layout, progress=step)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)
