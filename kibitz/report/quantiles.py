"""Quantiles of any number of values in constant memory."""

from __future__ import annotations

import math

import numpy as np

LEAST, MOST = 1e-9, 1e9  # values below count as 0, values above as MOST
PRECISION = 1e-3  # the relative width of a bin
_SCALE = 1 / math.log1p(PRECISION)


class Quantiles:
    """Counts values in bins of the same relative width, so that quantiles are off by less than PRECISION."""

    def __init__(self) -> None:
        self._counts = np.zeros(2 + int(_SCALE * math.log(MOST / LEAST)), "i8")  # the first bin is for 0

    def add(self, values: np.ndarray) -> None:
        """Count values, none of which is negative."""
        bins = 1 + (_SCALE * np.log(np.clip(values, LEAST, MOST) / LEAST)).astype("i8")
        self._counts += np.bincount(np.where(values < LEAST, 0, bins), minlength=len(self._counts))

    def quantile(self, share: float) -> float:
        """The value that this share of the values does not exceed; NaN if there are none."""
        upto = np.cumsum(self._counts)
        if not upto[-1]:
            return math.nan
        found = int(np.searchsorted(upto, max(1, math.ceil(share * int(upto[-1])))))
        return LEAST * math.exp((found - 0.5) / _SCALE) if found else 0.0
