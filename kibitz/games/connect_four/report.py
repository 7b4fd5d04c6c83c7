"""Connect Four's section of a report: how Red fared after each opening move."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.display.axis import Axis, percent
from kibitz.records.games import Outcome
from kibitz.records.log import Log
from kibitz.report.charts import Interval, interval_plot
from kibitz.report.findings import whole_groups
from kibitz.report.page import Section, paragraph
from kibitz.tournament.statistics import share_from_sums


def report_sections(game: Any, log: Log) -> list[Section]:
    # For each column: groups of games, the sum of their means and of its squares; games, and the sum of their payoffs.
    sums = np.zeros((game.columns, 5))
    for games in whole_groups(log):
        games = games.rows(games.outcome == Outcome.BOARD)
        first = np.array([moves[0] for moves in games.moves], "i8")
        for column in np.unique(first):
            chosen = first == column
            payoff, group = games.payoff[chosen, 0], np.unique(games.group[chosen], return_inverse=True)[1]
            means = np.bincount(group, payoff) / np.bincount(group)
            sums[column] += len(means), means.sum(), (means**2).sum(), len(payoff), payoff.sum()
    rows = []
    for column, (groups, total, squares, played, won) in enumerate(sums.tolist()):
        if played:
            share = share_from_sums(groups, total, squares, won / played)
            label = f"{percent(share.share)} of {played:.0f} games"
            rows.append(Interval(f"column {column + 1}", share.share, share.low, share.high, label))
    if not rows:
        return []
    intro = "Red's share of the win by the column of the first disc, with 95\u202f% confidence intervals."
    plot = interval_plot(rows, Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), percent), "Openings", reference=0.5)
    return [Section("Openings", paragraph(intro) + plot)]
