"""`kibitz report`: write the report of a tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import progress_bar, screen, words
from kibitz.cli.trust import TrustOption, trusted_log


def report(
    log: Annotated[
        Path, typer.Argument(metavar="DIR", help="A log written by `kibitz arena --log DIR`, or a merged log.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write.", show_default="DIR.html")
    ] = None,
    trust: TrustOption = False,
) -> None:
    """Write the report of a tournament as an HTML page.

    The page shows standings, ratings, seats, game lengths, scores, times and faults, with confidence intervals. It
    needs no network. The report can be written while the tournament is still running, and rewritten later.

    Example: `kibitz report runs/first`
    """
    from kibitz.report.report import write_report

    opened = trusted_log(log, trust)
    with progress_bar("Reading the log") as step:
        path = write_report(opened, out, progress=step)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)
