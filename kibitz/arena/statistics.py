"""How sure a tournament can be: shares of the win with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Share:
    """An estimated share of the win and its 95 % interval."""

    share: float
    low: float
    high: float


def share_of(groups: Sequence[Sequence[float]]) -> Share:
    """The mean of payoffs in [0, 1] that come in independent groups, with the interval of `share_from_sums`."""
    payoffs = [payoff for group in groups for payoff in group]
    if not payoffs:
        return Share(math.nan, 0.0, 1.0)
    means = [sum(group) / len(group) for group in groups if group]
    return share_from_sums(len(means), sum(means), sum(mean * mean for mean in means), sum(payoffs) / len(payoffs))


def share_from_sums(groups: ArrayLike, total: ArrayLike, squares: ArrayLike, mean: float | None = None) -> Share:
    """A share with its 95 % interval, from the number of groups, the sum of their means and the sum of the squares.

    Games of one group (rotations of seats with the same dice) depend on each other, so each group counts as one
    observation: its mean. Arrays hold one entry per line-up: then the spread is taken within line-ups, because who
    meets whom is no chance. `mean` is the share over all games, where groups are not of one size.

    The interval is Wilson's (1927) with the number of groups divided by the design effect (Kish, 1965): the variance
    of the group means relative to all-or-nothing groups of the same share. Wins and losses one by one have a
    design effect of 1, which leaves Wilson's interval as it is; draws, shared wins and the same luck from both seats
    have less and count for more. The design effect is estimated as if one more group had been all or nothing, so
    that pairs that were all split 1–1 do not claim certainty: a hundred of them leave 50 ± 1 %.

    In simulated matches of 30 groups and more it covers the truth in 93–97 % of trials, paired or not, at shares from
    50 to 95 %; half a per cent less or more where few groups or only wins and losses let it move in steps only, and
    down to 87 % where fewer than three groups are expected to end unlike all others. The plain normal and
    Student's intervals fall below 80 % there and at high shares; Agresti and Coull's, with its four imaginary
    groups, covers 97–100 % of paired matches and is up to twice as wide as it should be.
    """
    count, total, squares = _line_ups(groups, total, squares)
    n = float(count.sum())
    if not n:
        return Share(math.nan, 0.0, 1.0)
    centre = float(total.sum()) / n
    share = centre if mean is None else mean
    spread = float(((squares - total * total / count) * count / np.maximum(count - 1, 1)).sum())
    all_or_nothing = max(0.0, centre * (1 - centre))
    laplace = (n * centre + 1) / (n + 2)  # a guess at the share that is never 0 or 1
    imaginary = laplace * (1 - laplace)
    design_effect = min(1.0, (max(0.0, spread) + imaginary) / (n * all_or_nothing + imaginary))
    q = Z * Z * design_effect / n
    middle = (centre + q / 2) / (1 + q)
    reach = math.sqrt(q * (all_or_nothing + q / 4)) / (1 + q)
    return Share(share, max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)))


def _line_ups(*sums: ArrayLike) -> tuple[np.ndarray, ...]:
    """The sums by line-up; line-ups with a single group, which say nothing of their spread, are taken together."""
    table = np.array([np.ravel(part) for part in sums], "f8")
    alone = table[0] < 2
    together = table[:, alone].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, ~alone], together])
    return tuple(table[:, table[0] > 0])
