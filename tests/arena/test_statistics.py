"""Shares and their intervals."""

import math
import random

import pytest

from kibitz.arena.statistics import share_of


def test_the_share_is_the_mean_over_all_games():
    assert share_of([[1.0, 0.0], [1.0, 1.0], [0.5]]).share == pytest.approx(0.7)


def test_twenty_wins_in_a_row_are_not_certainty():
    share = share_of([[1.0, 1.0]] * 10)
    assert (share.share, share.high) == (1.0, 1.0)
    assert 0.6 < share.low < 0.8


def test_one_more_win_never_lowers_the_lower_end():
    lows = [share_of([[1.0]] * wins + [[0.0]] * (10 - wins)).low for wins in range(11)]
    assert lows == sorted(lows)


def test_many_games_approach_the_normal_interval():
    share = share_of([[1.0], [0.0]] * 5000)
    assert share.high - share.share == pytest.approx(1.96 * 0.5 / math.sqrt(10_000), rel=0.01)


def test_games_of_one_group_count_as_one_observation():
    apart = share_of([[1.0], [1.0], [0.0], [0.0]] * 25)
    together = share_of([[1.0, 1.0], [0.0, 0.0]] * 25)
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_pairs_in_which_the_first_seat_always_wins_leave_little_doubt():
    assert share_of([[1.0, 0.0]] * 100).high < 0.53


def test_nothing_played_says_nothing():
    share = share_of([])
    assert math.isnan(share.share)
    assert (share.low, share.high) == (0.0, 1.0)


@pytest.mark.parametrize("groups", [10, 40])
@pytest.mark.parametrize("strength", [0.5, 0.8, 0.95])
def test_about_95_of_100_intervals_hold_the_truth(groups, strength):
    rng = random.Random(1)
    shares = [share_of([[float(rng.random() < strength)] for _ in range(groups)]) for _ in range(1000)]
    assert 0.93 <= sum(share.low <= strength <= share.high for share in shares) / 1000 <= 0.995
