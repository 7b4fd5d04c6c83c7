"""What a search may spend."""

import threading

import pytest

from kibitz.search.budget import allowance, spend, stoppable


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


def test_a_search_that_nobody_waits_for_ends_after_its_slice():
    stopped, slices = threading.Event(), []

    def run(count):
        slices.append(count)
        stopped.set()
        return count

    with stoppable(stopped):
        spend(run, limit=1_000_000)
    assert len(slices) == 1


def test_other_searches_of_the_thread_go_on_afterwards():
    stopped = threading.Event()
    stopped.set()
    with stoppable(stopped):
        assert spend(lambda count: count, limit=300) == 0
    assert spend(lambda count: count, limit=300) == 300
