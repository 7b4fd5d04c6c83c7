"""Shares of the win with 95 % confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

Z = 1.959964  # 95 % of a normal distribution lies within Z standard deviations of its mean


@dataclass(frozen=True)
class Share:
    """An estimated share of the win and its 95 % confidence interval."""

    share: float
    low: float
    high: float


def share_of(groups: Sequence[Sequence[float]]) -> Share:
    """The mean of payoffs in [0, 1] from independent groups, with the interval of `share_from_sums`."""
    payoffs = [payoff for group in groups for payoff in group]
    if not payoffs:
        return Share(math.nan, 0.0, 1.0)
    means = [sum(group) / len(group) for group in groups if group]
    return share_from_sums(len(means), sum(means), sum(mean * mean for mean in means), sum(payoffs) / len(payoffs))


def share_from_sums(groups: ArrayLike, total: ArrayLike, squares: ArrayLike, mean: float | None = None) -> Share:
    """A share with its 95 % interval, from the number of groups, the sum of their means and the sum of the squares.

    Games in the same group (rotations of the seats with the same dice) are not independent, so each group counts as one
    observation: its mean. If the arguments are arrays, they have one entry per line-up, and the spread is measured
    within line-ups, because who meets whom is not random. `mean` is the share over all games, if the groups differ in
    size.

    The interval is Wilson's (1927) with the number of groups divided by the design effect (Kish, 1965): the variance
    of the group means relative to that of all-or-nothing groups with the same share. Single wins and losses have a
    design effect of 1, which leaves Wilson's interval unchanged; draws, shared wins and equal luck from both seats
    lower it, so that each group counts for more. The design effect is estimated as if there were one more group that
    was all or nothing, so that pairs that all split 1–1 do not claim certainty: a hundred of them give 50 ± 1 %.

    In simulated matches of at least 30 groups, the interval covers the true share in 93–97 % of trials, paired or not,
    at shares from 50 to 95 %; half a per cent less or more if, with few groups or only wins and losses, it can move
    only in steps; and down to 87 % if fewer than three groups are expected to end differently from all others. The
    plain normal and Student's intervals fall below 80 % there and at high shares. That of Agresti and Coull, with its
    four imaginary groups, covers 97–100 % of paired matches and is up to twice as wide as it should be.
    """
    count, total, squares = _line_ups(groups, total, squares)
    n = float(count.sum())
    if not n:
        return Share(math.nan, 0.0, 1.0)
    centre = float(total.sum()) / n
    share = centre if mean is None else mean
    spread = float(((squares - total * total / count) * count / np.maximum(count - 1, 1)).sum())
    all_or_nothing = max(0.0, centre * (1 - centre))
    laplace = (n * centre + 1) / (n + 2)  # an estimate of the share that is never 0 or 1
    imaginary = laplace * (1 - laplace)
    design_effect = min(1.0, (max(0.0, spread) + imaginary) / (n * all_or_nothing + imaginary))
    q = Z * Z * design_effect / n
    middle = (centre + q / 2) / (1 + q)
    reach = math.sqrt(q * (all_or_nothing + q / 4)) / (1 + q)
    return Share(share, max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)))


def _line_ups(*sums: ArrayLike) -> tuple[np.ndarray, ...]:
    """The sums by line-up; line-ups with a single group, whose spread is unknown, are pooled."""
    table = np.array([np.ravel(part) for part in sums], "f8")
    alone = table[0] < 2
    together = table[:, alone].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, ~alone], together])
    return tuple(table[:, table[0] > 0])
