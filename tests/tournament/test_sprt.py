"""The sequential test: reference values, error rates and how it is written."""

import math
import random
from collections import Counter

import pytest

from kibitz.errors import SpecError
from kibitz.tournament.sprt import Sprt, expected_share

TEN_ELO = Sprt(0, 10)


def test_the_bounds_are_walds():
    assert TEN_ELO.bounds == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "llr"), [(60, 40, 0, 0.534), (300, 250, 450, 1.865), (0, 0, 0, 0.0)]
)
def test_the_ratio_has_the_reference_values(wins, losses, draws, llr):
    assert TEN_ELO.llr({1.0: wins, 0.0: losses, 0.5: draws}) == pytest.approx(llr, abs=5e-4)


def test_without_draws_the_ratio_is_that_of_coin_tosses():
    h0, h1 = expected_share(0), expected_share(10)
    exact = 7 * math.log(h1 / h0) + 3 * math.log((1 - h1) / (1 - h0))
    assert TEN_ELO.llr({1.0: 7, 0.0: 3}) == pytest.approx(exact)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_match_of_only_wins_or_only_losses_is_judged_like_any_other(share):
    h0, h1 = (abs(1 - share - expected_share(elo)) for elo in (0, 10))
    assert TEN_ELO.llr({share: 12}) == pytest.approx(12 * math.log(h1 / h0))


def test_pairs_that_are_all_split_support_no_difference():
    # The likeliest way to a mean above ½ is that whole pairs are won, at a rate not seen in any of a hundred.
    won = 2 * expected_share(10) - 1
    assert TEN_ELO.llr({0.5: 100}) == pytest.approx(100 * math.log(1 - won))
    assert TEN_ELO.decision({0.5: 110}) == "accept H0"


def test_the_ratio_of_the_opponent_is_the_opposite():
    counts = {0.0: 3, 0.25: 10, 0.5: 40, 0.75: 15, 1.0: 6}
    mirrored = {1 - share: count for share, count in counts.items()}
    assert Sprt(-10, 5).llr(counts) == pytest.approx(-Sprt(-5, 10).llr(mirrored))


def test_any_shares_are_accepted():
    assert Sprt(0, 50).llr({1 / 3: 10, 0.6: 20, 5 / 6: 30}) > 0 > Sprt(0, 50).llr({2 / 3: 10, 0.4: 20, 1 / 6: 30})


def test_a_share_slightly_above_1_is_a_win():
    assert TEN_ELO.llr({1 + 2**-52: 12, -(2**-60): 8}) == pytest.approx(TEN_ELO.llr({1.0: 12, 0.0: 8}))


def test_pairs_with_the_same_luck_are_more_informative_than_single_games():
    apart = TEN_ELO.llr({0.0: 100, 1.0: 120})
    together = TEN_ELO.llr({0.5: 100, 1.0: 10})
    assert together > 2 * apart > 0


def test_the_decision_follows_the_bounds():
    assert TEN_ELO.decision({}) is None
    assert TEN_ELO.decision({1.0: 60, 0.0: 40}) is None
    assert TEN_ELO.decision({1.0: 600, 0.0: 400}) == "accept H1"
    assert TEN_ELO.decision({1.0: 400, 0.0: 600}) == "accept H0"


def accepted(sprt, elo, shape, rng):
    """Play groups of a bot that is `elo` stronger until the test is decided; `shape`: the odds of ¼ (or ¾) and ½."""
    lift = expected_share(elo) - 0.5
    quarter, half = shape
    rest = (1 - half - 2 * quarter) / 2
    odds = [rest - lift, quarter, half, quarter, rest + lift]
    counts = Counter()
    while True:
        counts.update(rng.choices([0.0, 0.25, 0.5, 0.75, 1.0], odds, k=4))
        decision = sprt.decision(counts)
        if decision:
            return decision


@pytest.mark.parametrize("shape", [(0.0, 0.0), (0.0, 0.5), (0.2, 0.3)], ids=["games", "pairs", "pairs with draws"])
@pytest.mark.parametrize(("elo", "wrong"), [(0, "accept H1"), (100, "accept H0")])
def test_at_most_one_match_in_twenty_is_misjudged(shape, elo, wrong):
    rng = random.Random(7)
    errors = sum(accepted(Sprt(0, 100), elo, shape, rng) == wrong for _ in range(400))
    assert 1 <= errors <= 28  # 20 expected at most; 28 are two standard deviations more


def test_the_text_form_needs_the_hypotheses_and_can_set_the_errors():
    assert Sprt.parse("elo0=0,elo1=10") == Sprt(0, 10)
    assert Sprt.parse("elo1=-5, elo0=-10.5, alpha=0.01, beta=0.1") == Sprt(-10.5, -5, 0.01, 0.1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs elo0 and elo1"),
        ("elo0=0", "needs elo0 and elo1"),
        ("elo0=0,elo1", "not of the form key=value"),
        ("elo0=0,elo1=10,gamma=1", "no option 'gamma'"),
        ("elo0=0,elo1=ten", "elo1 must be a number, not 'ten'"),
        ("elo0=10,elo1=10", "elo0 must be less than elo1"),
        ("elo0=0,elo1=inf", "elo1 must be a number, not 'inf'"),
        ("elo0=0,elo1=10,alpha=0", "alpha, an error probability, must be between 0 and 0.5"),
        ("elo0=0,elo1=10,beta=5", "beta, an error probability, must be between 0 and 0.5"),
    ],
)
def test_an_invalid_test_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(SpecError, match=sentence):
        Sprt.parse(text)
