"""How sure a tournament can be: shares of the win with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations
IMAGINARY = Z * Z / 2  # groups added at either end of the scale


@dataclass(frozen=True)
class Share:
    """An estimated share of the win and its 95 % interval."""

    share: float
    low: float
    high: float


def share_of(groups: Sequence[Sequence[float]]) -> Share:
    """The mean of payoffs in [0, 1] that come in independent groups, with a 95 % interval.

    Games of one group (rotations of seats with the same dice) depend on each other, so each group counts as one
    observation: its mean. The interval is Agresti and Coull's (1998), carried over from wins and losses to
    means: about two imaginary groups that won everything and two that lost everything are added, then the normal
    interval is taken and cut off at 0 and 1. It needs no exception for few games or for 20–0, where the
    plain normal interval would claim certainty, and it approaches the normal interval as games are played.
    """
    payoffs = [payoff for group in groups for payoff in group]
    if not payoffs:
        return Share(math.nan, 0.0, 1.0)
    share = sum(payoffs) / len(payoffs)
    means = [sum(group) / len(group) for group in groups if group]
    count = len(means) + 2 * IMAGINARY
    centre = (sum(means) + IMAGINARY) / count
    squares = sum((mean - centre) ** 2 for mean in means) + IMAGINARY * (centre**2 + (1 - centre) ** 2)
    reach = Z * math.sqrt(squares) / count
    return Share(share, max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach)))
