"""Connect Four's section of a report: how Red fared after each opening move."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.records.games import Outcome
from kibitz.records.log import Log
from kibitz.report.charts import Axis, Interval, interval_plot, percent
from kibitz.report.page import Section, paragraph
from kibitz.tournament.statistics import share_of


def report_sections(game: Any, log: Log) -> list[Section]:
    games = log.games()
    games = games.rows(games.outcome == Outcome.BOARD)
    first = np.array([moves[0] for moves in games.moves], "i8")
    rows = []
    for column in range(game.columns):
        chosen = games.rows(first == column)
        if len(chosen):
            groups = np.split(chosen.payoff[:, 0], np.flatnonzero(np.diff(chosen.group)) + 1)
            share = share_of([group.tolist() for group in groups])
            label = f"{percent(share.share)} of {len(chosen)} games"
            rows.append(Interval(f"column {column + 1}", share.share, share.low, share.high, label))
    if not rows:
        return []
    intro = "Red's share of the win by the column of the first disc, with 95\u202f% confidence intervals."
    plot = interval_plot(rows, Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), percent), "Openings", reference=0.5)
    return [Section("Openings", paragraph(intro) + plot)]
