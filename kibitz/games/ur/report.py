"""Ur's part of a report: how far each bot was from perfect play, where the game is solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.arena.games import Outcome
from kibitz.arena.result import labels
from kibitz.records.charts import Axis, Bar, bars
from kibitz.records.findings import whole_groups
from kibitz.records.log import Log
from kibitz.records.page import Column, Section, paragraph, spec, table
from kibitz.solve import is_solved, values_of
from kibitz.solve.regret import Judge


def sections(log: Log, game: Any) -> list[Section]:
    if not is_solved(game):
        return []
    specs = log.tournament["bots"]
    regret, choices, errors, played = (np.zeros(len(specs)) for _ in range(4))
    judge = Judge(game, values_of(game))
    for games in whole_groups(log):
        for row in np.flatnonzero(games.outcome == Outcome.BOARD):
            account = judge.account(games.turns[row], games.moves[row])
            for seat, bot in enumerate(games.bots[row]):
                regret[bot] += account.regret[seat]
                choices[bot] += account.choices[seat]
                errors[bot] += account.errors[seat]
                played[bot] += 1
    names = labels(specs)
    judged = sorted((bot for bot in range(len(specs)) if choices[bot]), key=lambda bot: regret[bot] / played[bot])
    if not judged:
        return []
    told = (
        "What bots gave away, by the exact value of every position: a move’s regret is how much more of the win the "
        "best move would have kept. Positions with one legal move do not count."
    )
    per_game = [Bar(names[bot], regret[bot] / played[bot], cent(regret[bot] / played[bot])) for bot in judged]
    axis = Axis.linear([0, *(row.length for row in per_game)], lambda part: f"{100 * part:.3g}\u202f%")
    columns = Column("Bot"), *(Column(name, number=True) for name in ("A game", "A choice", "Best moves", "Choices"))
    rows = [
        [
            spec(names[bot]),
            cent(regret[bot] / played[bot]),
            cent(regret[bot] / choices[bot]),
            f"{100 * (1 - errors[bot] / choices[bot]):.1f}\u202f%",
            f"{choices[bot]:,.0f}".replace(",", "\u202f"),
        ]
        for bot in judged
    ]
    html = paragraph(told) + bars(per_game, axis, "Regret a game") + table(columns, rows, "Regret by bot")
    return [Section("Regret", html)]


def cent(part: float) -> str:
    """A part of the win in per cent, to two digits after the point."""
    return f"{100 * part:.2f}\u202f%"
