"""Scores: the value of a position in a two-player search, as an integer for the player to move.

A score is the share of the win, or the normalized utility, from −WIN to WIN; less a point for each ply to a win, plus
one for each ply to a loss: faster wins and slower losses are better. Evaluations and draws are whole steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled

DEEPEST = 500  # plies from the root; below half a STEP, so that distances and shares never mix
STEP = 1 << 10  # the smallest difference between two shares
STEPS = 1 << 20  # from an even position to a won one
WIN = STEPS * STEP
INFINITE = WIN + STEP
HALF_LEAD = 20.0  # a lead of this many points counts as three quarters of the win


class Horizon(NamedTuple):
    """What counts at the horizon of a search: at most one of evaluation, points and leaf values; others are None."""

    shares: Any  # receives what a position is worth to each player
    evaluation: Any = None  # True: the evaluation of the rules
    points: Any = None  # receives the points of the players, whose difference counts
    leaf_values: Any = None  # the LeafValues of a bot …
    memory: Any = None  # … and what they work on


@compiled
def final_score(share: float, plies: int) -> int:
    """The score of a game that ends with a share of the win, `plies` plies from the root."""
    worth = (int(share * (2 * STEPS) + 0.5) - STEPS) * STEP
    return worth - plies if worth > 0 else worth + plies if worth < 0 else 0


@compiled
def guess(game: Any, s: Any, mover: int, by: Horizon) -> int:
    """The score of a position at the horizon for the player who moved there; never as good as a win."""
    share = guessed_share(game, s, mover, by.shares, by.evaluation, by.points, by.leaf_values, by.memory)
    worth = int(share * (2 * STEPS) + 0.5) - STEPS
    return max(1 - STEPS, min(STEPS - 1, worth)) * STEP


@compiled
def guessed_share(
    game: Any, s: Any, mover: int, shares: Any, evaluation: Any, points: Any, leaf_values: Any, memory: Any
) -> float:
    """A player's share of the win, by what is not None: numba drops the branches that would ask for the others."""
    share = 0.5
    if evaluation is not None:
        game.evaluate(s, shares)
        share = shares[mover]
    if leaf_values is not None:
        leaf_values.evaluate(game, s, memory, shares)
        share = shares[mover]
    if points is not None:
        game.score(s, points)
        lead = points[mover] - points[1 - mover]
        if game.score_lower_wins:
            lead = -lead
        share = 0.5 + 0.5 * lead / (HALF_LEAD + abs(lead))
    return share


@compiled
def shifted(score: int, plies: int) -> int:
    """A score as seen from `plies` plies further up, where a win or loss is that much further away."""
    away = ((score + STEP // 2) // STEP) * STEP - score
    return score - plies if away > 0 else score + plies if away < 0 else score


def share_of(score: int) -> float:
    """The share of the win that a score stands for."""
    steps = (score + STEP // 2) // STEP
    return round(0.5 + steps / (2 * STEPS), 6)
