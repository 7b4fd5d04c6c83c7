"""The axis of a chart: round ends, ticks, and where a value lies between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MOST_STEPS = 6  # between ticks


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of a chart, from `low` at the left to `high` at the right."""

    low: float
    high: float
    ticks: tuple[float, ...]
    words: Callable[[float], str] = "{:g}".format
    logarithmic: bool = False

    @classmethod
    def linear(
        cls, values: Iterable[float], words: Callable[[float], str] = "{:g}".format, steps: int = MOST_STEPS
    ) -> Axis:
        """An axis with round ends that covers all values, in `steps` steps or slightly more."""
        low, high = _ends(values)
        if low == high:
            low, high = low - 0.5, high + 0.5
        step = round_step((high - low) / steps)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        ticks = tuple(step * i for i in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks, words)

    @classmethod
    def powers(cls, values: Iterable[float], words: Callable[[float], str] = "{:g}".format) -> Axis:
        """A logarithmic axis between powers of ten that covers all values, which must be positive."""
        low, high = _ends(values)
        first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
        ticks = tuple(10.0**i for i in range(first, max(last, first + 1) + 1))
        return cls(ticks[0], ticks[-1], ticks, words, logarithmic=True)

    def at(self, value: float) -> float:
        """The position of a value, in per cent; values beyond an end are placed at that end."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return 100 * (value - low) / (high - low)


def _ends(values: Iterable[float]) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    return min(finite), max(finite)


def round_step(least: float) -> float:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5, 10 … that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def percent(share: float, fine: bool = False) -> str:
    """A share in per cent, with one decimal if `fine`."""
    return f"{100 * share:.{1 if fine else 0}f}\u202f%"
