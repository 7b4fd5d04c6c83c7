"""Shares and their confidence intervals."""

import math

import numpy as np
import pytest

from kibitz.tournament.statistics import share_from_sums, share_of


def test_the_share_is_the_mean_over_all_games():
    assert share_of([[1.0, 0.0], [1.0, 1.0], [0.5]]).share == pytest.approx(0.7)


def test_single_wins_and_losses_have_wilsons_interval():
    share = share_of([[1.0]] * 8 + [[0.0]] * 2)
    assert (share.low, share.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_sums_give_the_same_share_as_the_games():
    means = [0.75, 0.5, 0.0, 1.0]
    assert share_from_sums(4, 2.25, sum(m * m for m in means)) == share_of([[m] for m in means])


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


def test_the_games_of_a_group_count_as_one_observation():
    apart = share_of([[1.0], [1.0], [0.0], [0.0]] * 25)
    together = share_of([[1.0, 1.0], [0.0, 0.0]] * 25)
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_a_hundred_pairs_split_evenly_leave_a_percent_of_doubt():
    share = share_of([[1.0, 0.0]] * 100)
    assert share.share - share.low == pytest.approx(share.high - share.share)
    assert share.high - 0.5 == pytest.approx(0.01, abs=0.001)


def test_the_intervals_of_both_players_mirror_each_other():
    ours = share_from_sums(50, 40.0, 35.0)
    theirs = share_from_sums(50, 10.0, 5.0)  # Σ (1 − m) and Σ (1 − m)²
    assert (theirs.low, theirs.high) == pytest.approx((1 - ours.high, 1 - ours.low))


def test_the_spread_between_line_ups_adds_no_uncertainty():
    mixed = share_from_sums(100, 50.0, 50.0)
    by_opponent = share_from_sums([50, 50], [49.0, 1.0], [49.0, 1.0])
    assert by_opponent.share == mixed.share
    assert by_opponent.high - by_opponent.low < 0.35 * (mixed.high - mixed.low)


def test_line_ups_with_a_single_group_are_pooled():
    assert share_from_sums([1] * 8, [1.0] * 6 + [0.0] * 2, [1.0] * 6 + [0.0] * 2) == share_from_sums(8, 6.0, 6.0)


def test_without_games_nothing_is_known():
    for share in (share_of([]), share_from_sums(0, 0.0, 0.0), share_from_sums([0, 0], [0.0, 0.0], [0.0, 0.0])):
        assert math.isnan(share.share)
        assert (share.low, share.high) == (0.0, 1.0)


def single_games(strength, draws):
    """The scores of a game and how likely each is."""
    win = strength - draws / 2
    return [0.0, 0.5, 1.0], [1 - win - draws, draws, win]


def pairs(strength, draws, luck):
    """Pairs of games: with probability `luck` the dice decide, so that each side wins from the same seat."""
    scores, odds = single_games(strength, draws)
    by_mean = dict.fromkeys((0.0, 0.25, 0.5, 0.75, 1.0), 0.0)
    for first, p in zip(scores, odds, strict=True):
        for second, q in zip(scores, odds, strict=True):
            by_mean[(first + second) / 2] += (1 - luck) * p * q
    by_mean[0.5] += luck
    return list(by_mean), list(by_mean.values())


MATCHES = {
    "even, no draws": single_games(0.5, 0.0),
    "95 %, no draws": single_games(0.95, 0.0),
    "even, mostly draws": single_games(0.5, 0.7),
    "60 %, some draws": single_games(0.6, 0.3),
    "even pairs, no luck": pairs(0.5, 0.0, 0.0),
    "even pairs, much luck": pairs(0.5, 0.2, 0.6),
    "60 % pairs, much luck": pairs(0.6, 0.0, 0.5),
    "95 % pairs, no luck": pairs(0.95, 0.0, 0.0),
    "95 % pairs with draws": pairs(0.95, 0.05, 0.0),
    "four shared seats": ([0.0, 0.25, 0.5, 1.0], [0.5, 0.2, 0.2, 0.1]),
}


@pytest.mark.parametrize(("groups", "most"), [(30, 0.975), (60, 0.97), (100, 0.97), (1000, 0.97)])
@pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)
def test_95_of_100_intervals_contain_the_true_share(match, groups, most):
    scores, odds = np.array(match)
    counts = np.random.default_rng(1).multinomial(groups, odds, size=1000)
    found = [share_from_sums(groups, row @ scores, row @ scores**2) for row in counts]
    assert 0.93 <= np.mean([share.low <= scores @ odds <= share.high for share in found]) <= most


@pytest.mark.parametrize("groups", [5, 12])
@pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)
def test_intervals_of_few_groups_do_not_claim_too_much(match, groups):
    scores, odds = np.array(match)
    counts = np.random.default_rng(2).multinomial(groups, odds, size=1000)
    found = [share_from_sums(groups, row @ scores, row @ scores**2) for row in counts]
    assert np.mean([share.low <= scores @ odds <= share.high for share in found]) >= 0.9


def test_intervals_of_a_round_robin_contain_the_true_shares():
    rng = np.random.default_rng(3)
    strengths = np.array([0.95, 0.6, 0.2])
    wins = rng.binomial(25, strengths, size=(2000, 3))
    found = [share_from_sums([25, 25, 25], row, row) for row in wins]
    assert 0.93 <= np.mean([share.low <= strengths.mean() <= share.high for share in found]) <= 0.97
