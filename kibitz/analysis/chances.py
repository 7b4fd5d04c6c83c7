"""Chances to win from what a search says of a position.

Monte Carlo searches report how often they won. Alpha-beta reports what an evaluation says at the horizon, which is on
no scale in particular: positions that it values at 80 % may be won in two games out of three. How often positions are
won is measured (benchmarks/chances.py), and one number, the slope of a logistic curve, keeps the result with the game:
its extra CHANCE_SCALE (kibitz/rules/extras.py), for the values of its `best`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kibitz.errors import SpecError
from kibitz.players.bot import Report, Searcher
from kibitz.players.roster import bot
from kibitz.rules.contract import Game


def chance(value: Any, scale: float) -> Any:
    """The chance to win of positions with some value (a number from 0 to 1, or an array of these).

    Examples:
        >>> from kibitz.analysis.chances import chance
        >>> round(chance(0.8, scale=0.5), 4), chance(0.5, scale=0.5), chance(1.0, scale=0.5)
        (0.6667, 0.5, 1.0)
    """
    won, lost = np.power(value, scale), np.power(np.subtract(1.0, value), scale)
    found = won / (won + lost)
    return found if isinstance(value, np.ndarray) else float(found)


def scale_of(searcher: Searcher, game: Game) -> float | None:
    """What turns the values of a search into chances; 1.0 if they are chances, and None if that is not known."""
    if not searcher.by_evaluation:
        return 1.0
    scale: float | None = game.extra("chance_scale")
    try:
        is_measured = scale is not None and type(bot("best", game)) is type(searcher)
    except SpecError:
        is_measured = False
    return scale if is_measured else None


def in_chances(report: Report, scale: float) -> Report:
    """The same report with chances to win in place of values; what is proven stays as it is."""
    moves = (move if move.exact else replace(move, value=chance(move.value, scale)) for move in report.moves)
    return replace(report, moves=tuple(sorted(moves, key=lambda move: -move.value)))
