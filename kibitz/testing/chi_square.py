"""Tests of random draws that raise a false alarm less than once in ten billion cases."""

from __future__ import annotations

import math
from collections.abc import Sequence

FALSE_ALARM = 6.5  # in standard deviations
LEAST = 10  # draws expected in a bin; with fewer, the test would be invalid


def is_improbable(expected: Sequence[float], drawn: Sequence[int]) -> bool:
    """Whether numbers of draws deviate from the expected ones by more than chance, by Pearson's chi-square test."""
    bins: list[tuple[float, int]] = []  # rare outcomes share one
    wanted, found = 0.0, 0
    for e, d in sorted(zip(expected, drawn, strict=True)):
        wanted, found = wanted + e, found + d
        if wanted >= LEAST:
            bins.append((wanted, found))
            wanted, found = 0.0, 0
    freedom = len(bins) - 1
    if freedom < 1:
        return False
    statistic = sum((found - wanted) ** 2 / wanted for wanted, found in bins)
    spread = 2 / (9 * freedom)  # Wilson and Hilferty: the cube root is nearly normal
    return statistic > freedom * (1 - spread + FALSE_ALARM * math.sqrt(spread)) ** 3


def is_lopsided(more: int, fewer: int) -> bool:
    """Whether two counts that should be about equal differ by more than chance."""
    return abs(more - fewer) > FALSE_ALARM * math.sqrt(more + fewer)
