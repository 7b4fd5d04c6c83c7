"""Grades of moves, on the game's own scale: how much of the win, or of the range of utilities, each gave away."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Protocol

# What a move must give away, as a share of the win, to be called so.
INACCURACY, MISTAKE, BLUNDER = 0.02, 0.05, 0.10
LEAST_AT_STAKE = 0.02  # a game in which less was at stake says nothing about how well it was played


class Grade(Enum):
    """How good a move was."""

    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


class Decision(Protocol):
    """A move that was chosen from several."""

    @property
    def regret(self) -> float:
        """How much better the best move was."""

    @property
    def stake(self) -> float:
        """How much better the best move was than the worst."""


def grade_of(regret: float) -> Grade:
    """The grade of a move that gave so much away.

    Examples:
        >>> from kibitz.analysis.grades import grade_of
        >>> [grade_of(regret).value for regret in (0.0, 0.01, 0.03, 0.07, 0.4)]
        ['best', 'good', 'inaccuracy', 'mistake', 'blunder']
    """
    if regret >= BLUNDER:
        return Grade.BLUNDER
    if regret >= MISTAKE:
        return Grade.MISTAKE
    if regret >= INACCURACY:
        return Grade.INACCURACY
    return Grade.GOOD if regret > 0 else Grade.BEST


def accuracy(decisions: Iterable[Decision]) -> float | None:
    """The share kept of all that the worst moves would have given away: 1 for perfect play, 0 for the worst possible.

    None if nothing was at stake. Decisions count by what was at stake, so that neither forced moves nor moves in a
    position that is won anyway are a merit.
    """
    stakes, regrets = 0.0, 0.0
    for decision in decisions:
        stakes += decision.stake
        regrets += decision.regret
    return None if stakes < LEAST_AT_STAKE else max(0.0, 1.0 - regrets / stakes)
