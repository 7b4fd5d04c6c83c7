"""Ur's section of a report: how far each bot was from perfect play, if the game is solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.display.axis import Axis
from kibitz.records.games import Outcome
from kibitz.records.log import Log
from kibitz.report.charts import Bar, bars
from kibitz.report.findings import whole_groups
from kibitz.report.page import Column, Section, paragraph, spec, table
from kibitz.solve import is_solved, values_of
from kibitz.solve.regret import RegretMeter
from kibitz.tournament.standings import labels


def report_sections(game: Any, log: Log) -> list[Section]:
    if not is_solved(game):
        return []
    specs = log.tournament["bots"]
    regret, choices, errors, played = (np.zeros(len(specs)) for _ in range(4))
    judge = RegretMeter(game, values_of(game))
    for games in whole_groups(log):
        for row in np.flatnonzero(games.outcome == Outcome.BOARD):
            regrets = judge.regrets(games.turns[row], games.moves[row])
            for seat, bot in enumerate(games.bots[row]):
                regret[bot] += regrets.regret[seat]
                choices[bot] += regrets.choices[seat]
                errors[bot] += regrets.errors[seat]
                played[bot] += 1
    names = labels(specs)
    judged = sorted((bot for bot in range(len(specs)) if choices[bot]), key=lambda bot: regret[bot] / played[bot])
    if not judged:
        return []
    intro = (
        "What each bot gave away, by the exact value of every position: a move’s regret is the share of the win that "
        "it loses compared with the best move. Positions with one legal move do not count."
    )
    per_game = [Bar(names[bot], regret[bot] / played[bot], as_percent(regret[bot] / played[bot])) for bot in judged]
    axis = Axis.linear([0, *(row.length for row in per_game)], lambda part: f"{100 * part:.3g}\u202f%")
    heads = "Per game", "Per choice", "Best moves", "Choices"
    columns = Column("Bot"), *(Column(name, number=True) for name in heads)
    rows = [
        [
            spec(names[bot]),
            as_percent(regret[bot] / played[bot]),
            as_percent(regret[bot] / choices[bot]),
            f"{100 * (1 - errors[bot] / choices[bot]):.1f}\u202f%",
            f"{choices[bot]:,.0f}",
        ]
        for bot in judged
    ]
    html = paragraph(intro) + bars(per_game, axis, "Regret per game") + table(columns, rows, "Regret by bot")
    return [Section("Regret", html)]


def as_percent(share: float) -> str:
    """A share of the win as a percentage with two decimals."""
    return f"{100 * share:.2f}\u202f%"
