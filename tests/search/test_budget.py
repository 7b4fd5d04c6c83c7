"""What a search may spend."""

import pytest

from kibitz.search.budget import allowance


@pytest.mark.parametrize(
    ("limit", "ms", "seconds", "allowed"),
    [
        (0, 0, None, (1000, 0)),
        (50, 0, None, (50, 0)),
        (0, 20, None, (0, 20)),
        (50, 20, None, (50, 20)),
        (0, 0, 2.0, (0, 1800.0)),
        (50, 0, 2.0, (50, 1800.0)),
        (0, 20, 2.0, (0, 20)),
        (0, 5000, 2.0, (0, 1800.0)),
    ],
)
def test_the_tightest_time_counts_beside_the_units_and_the_usual_is_for_no_budget(limit, ms, seconds, allowed):
    assert allowance(limit, ms, seconds, usual=1000) == allowed
