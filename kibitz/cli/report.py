"""`kibitz report`: write the report of a tournament, or of the training of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import progress_bar, screen, words
from kibitz.cli.trust import TrustOption, trusted_log


def report(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE.npz",
            help="A log written by `kibitz arena --log DIR`, or a merged log; or a network written by `kibitz train`.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write.", show_default="DIR.html, or FILE.html")
    ] = None,
    trust: TrustOption = False,
) -> None:
    """Write the report of a tournament, or of the training of a network, as an HTML page.

    For a tournament, the page shows standings, ratings, seats, game lengths, scores, times and faults, with confidence
    intervals. For a network, it shows how strong it became in the course of its training, the losses and the matches.
    It needs no Internet connection. The report can be written while the tournament or training is still running, and
    rewritten later.

    Examples: `kibitz report runs/first`, `kibitz report connect_four-zero.npz`
    """
    if log.suffix == ".npz":
        from kibitz.learn.zero.training_report import write_training_report

        screen.print(words(f"Wrote {write_training_report(log, out)}."), soft_wrap=True)
        return
    from kibitz.report.report import write_report

    opened = trusted_log(log, trust)
    with progress_bar("Reading the log") as step:
        path = write_report(opened, out, progress=step)
    screen.print(words(f"Wrote {path}."), soft_wrap=True)
