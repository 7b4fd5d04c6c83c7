"""`kibitz report`: a tournament as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import screen, waiting, words


def report(
    log: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that `kibitz arena --log DIR` wrote, or a merged log.")
    ],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write.", show_default="DIR.html")] = None,
) -> None:
    """Write what a tournament found as one HTML page.

    Standings, ratings, seats, lengths, scores, times and faults, with intervals. The page needs no network. It can be
    written while the tournament is still going on, and again.

    Example: `kibitz report runs/first`
    """
    from kibitz.records.report import write_report

    with waiting("Writing the report …"):
        path = write_report(log, out)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)
