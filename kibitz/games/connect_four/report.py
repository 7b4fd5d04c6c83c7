"""Connect Four's part of a report: what the first disc is worth in each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.arena.games import Outcome
from kibitz.arena.statistics import share_of
from kibitz.records.charts import Axis, Interval, interval_plot, percent
from kibitz.records.log import Log
from kibitz.records.page import Section, paragraph


def sections(log: Log, game: Any) -> list[Section]:
    games = log.games()
    games = games.rows(games.outcome == Outcome.BOARD)
    first = np.array([moves[0] for moves in games.moves], "i8")
    rows = []
    for column in range(game.columns):
        chosen = games.rows(first == column)
        if len(chosen):
            groups = np.split(chosen.payoff[:, 0], np.flatnonzero(np.diff(chosen.group)) + 1)
            share = share_of([group.tolist() for group in groups])
            words = f"{percent(share.share)} of {len(chosen)} games"
            rows.append(Interval(f"column {column + 1}", share.share, share.low, share.high, words))
    if not rows:
        return []
    told = "What Red, who begins, won after playing the first disc into each column, with 95\u202f% intervals."
    plot = interval_plot(rows, Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), percent), "Openings", reference=0.5)
    return [Section("Openings", paragraph(told) + plot)]
