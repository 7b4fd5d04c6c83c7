"""Quantiles in constant memory, against those of all values."""

import math

import numpy as np
import pytest

from kibitz.report.quantiles import LEAST, MOST, PRECISION, Quantiles

SHARES = (0.0, 0.05, 0.5, 0.95, 1.0)


def quantiles_of(*batches):
    found = Quantiles()
    for batch in batches:
        found.add(np.array(batch, "f8"))
    return [found.quantile(share) for share in SHARES]


@pytest.mark.parametrize("spread", [0.01, 1.0, 3.0])
def test_quantiles_are_those_of_all_values_up_to_the_precision(spread):
    values = np.random.default_rng(1).lognormal(2.0, spread, 9999)
    exact = np.quantile(values, SHARES, method="inverted_cdf")
    assert quantiles_of(values) == pytest.approx(exact.tolist(), rel=PRECISION)


def test_it_does_not_matter_how_values_are_divided_into_batches():
    values = np.random.default_rng(1).lognormal(2.0, 1.0, 1000)
    assert quantiles_of(*np.split(values, 20)) == quantiles_of(values)


def test_nothing_at_all_and_what_is_beyond_the_ends_have_their_places():
    assert quantiles_of([0.0, LEAST / 2]) == [0.0] * len(SHARES)
    assert quantiles_of([10 * MOST]) == pytest.approx([MOST] * len(SHARES), rel=PRECISION)
    assert quantiles_of([0.0] * 3 + [1.0])[2:] == pytest.approx([0.0, 1.0, 1.0], rel=PRECISION)


def test_no_values_have_no_quantiles():
    assert all(map(math.isnan, quantiles_of([])))
