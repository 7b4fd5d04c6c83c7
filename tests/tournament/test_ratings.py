"""Ratings: Bradley–Terry for two players, Plackett–Luce for more."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from kibitz.tournament.ratings import ELO, bradley_terry, plackett_luce


def match(points, games):
    """The tables of points and games of a match of two."""
    return np.array([[0, points], [games - points, 0]]), np.array([[0, games], [games, 0]])


def values(ratings):
    return [(rating.rating, rating.low, rating.high) for rating in ratings]


def test_a_match_of_two_has_a_closed_form():
    wins, losses = 70, 30
    first, second = bradley_terry(*match(wins, wins + losses))
    assert first.rating == pytest.approx(200 * math.log10((wins + 0.5) / (losses + 0.5)))
    assert second.rating == pytest.approx(-first.rating)
    error = ELO / 2 * math.sqrt((1 / (wins + 0.5) + 1 / (losses + 0.5)) * 100 / 99)
    assert (first.high - first.rating, first.rating - first.low) == pytest.approx((1.96 * error,) * 2, rel=1e-3)


def test_400_points_are_ten_wins_to_one():
    first, second = bradley_terry(*match(10_000_000, 11_000_000))
    assert first.rating - second.rating == pytest.approx(400, abs=0.01)


def test_only_wins_give_a_finite_rating_with_a_wide_interval():
    first, second = bradley_terry(*match(10, 10))
    assert first.rating == pytest.approx(200 * math.log10(10.5 / 0.5))
    assert 0 < first.low < 50
    assert first.high > 450
    assert values([second]) == [pytest.approx((-first.rating, -first.high, -first.low))]


def test_ten_million_wins_in_a_row_lose_no_accuracy():
    won = np.triu(np.full((3, 3), 1e7), 1)
    first, second, third = bradley_terry(won, won + won.T)
    assert first.rating == pytest.approx(-third.rating) == pytest.approx(400 * math.log10(2e7), rel=1e-3)
    assert second.rating == pytest.approx(0, abs=1e-3)
    assert second.high - second.low < first.high - first.low < 1000


def test_only_draws_are_not_certainty():
    points, games = match(50, 100)
    first, second = bradley_terry(points, games, games, games / 4)
    assert first.rating == second.rating == pytest.approx(0)
    assert 1 < first.high < 5


def test_draws_narrow_the_interval():
    points, games = match(60, 100)
    decisive = bradley_terry(points, games)[0]
    drawish = bradley_terry(points, games, games, np.array([[0, 20 + 80 / 4], [80 / 4, 0]]))[0]  # 20 won, 80 drawn
    assert drawish.rating == pytest.approx(decisive.rating)
    assert drawish.high - drawish.low < 0.5 * (decisive.high - decisive.low)


def test_games_that_always_end_alike_in_pairs_count_once():
    pairs = bradley_terry(*match(12, 20))[0]  # each of these games played twice:
    games = bradley_terry(*match(24, 40), np.array([[0, 20], [20, 0]]), np.array([[0, 12], [8, 0]]))[0]
    assert values([games]) == [pytest.approx(values([pairs])[0])]


def test_the_mean_rating_is_0_and_games_of_a_bot_against_itself_do_not_count():
    points, games = np.array([[9, 6, 8], [4, 0, 7], [2, 3, 0]]), np.array([[9, 10, 10], [10, 0, 10], [10, 10, 0]])
    ratings = bradley_terry(points, games)
    assert sum(rating.rating for rating in ratings) == pytest.approx(0)
    points[0, 0] = games[0, 0] = 0
    assert bradley_terry(points, games) == ratings


def test_the_order_of_the_bots_does_not_matter():
    rng = np.random.default_rng(1)
    won = rng.integers(0, 20, (5, 5))
    turned = [3, 1, 4, 0, 2]
    ratings = bradley_terry(won, won + won.T)
    assert values(bradley_terry(won[np.ix_(turned, turned)], (won + won.T)[np.ix_(turned, turned)])) == [
        pytest.approx(values([ratings[bot]])[0]) for bot in turned
    ]


def test_bots_that_never_met_are_in_different_pools_of_mean_0():
    won = np.zeros((5, 5))
    won[0, 3], won[3, 0] = 15, 5
    won[1, 2], won[2, 1] = 10, 10
    ratings = bradley_terry(won, won + won.T)
    assert [rating.pool for rating in ratings] == [0, 1, 1, 0, 2]
    alone = bradley_terry(*match(15, 20))
    assert ratings[0].rating == pytest.approx(alone[0].rating) == pytest.approx(-ratings[3].rating)
    assert values([ratings[4]]) == [(0.0, -math.inf, math.inf)]


def test_without_games_nothing_is_known():
    nothing = [(0.0, -math.inf, math.inf)] * 2
    assert values(bradley_terry(np.zeros((2, 2)), np.zeros((2, 2)))) == nothing
    assert values(plackett_luce({}, 2)) == nothing


def test_plackett_luce_agrees_with_bradley_terry_at_tables_of_two():
    won = np.array([[0, 7, 9], [3, 0, 6], [1, 4, 0]])
    orders = {((a,), (b,)): won[a, b] for a, b in itertools.permutations(range(3), 2)}
    expected = values(bradley_terry(won, won + won.T))
    assert values(plackett_luce(orders, 3)) == [pytest.approx(rating) for rating in expected]


def test_plackett_luce_agrees_with_bradley_terry_for_pairs_of_games_with_draws():
    win, draw, loss = ((0,), (1,)), ((0, 1),), ((1,), (0,))
    pairs = {(win, win): 5, (win, loss): 20, (draw, win): 10, (draw, draw): 7, (loss, loss): 2}
    means = np.array([1, 0.5, 0.75, 0.5, 0])
    counts = np.array(list(pairs.values()))
    points, games = match(2 * counts @ means, 2 * counts.sum())
    squares = np.array([[0, counts @ means**2], [counts @ (1 - means) ** 2, 0]])
    expected = values(bradley_terry(points, games, games / 2, squares))
    assert values(plackett_luce(pairs, 2)) == [pytest.approx(rating) for rating in expected]


def test_a_tie_is_the_average_of_the_orders_compatible_with_it():
    others = {((0,), (1,), (2,), (3,)): 12.0, ((3,), (1,), (0,), (2,)): 6.0}
    tied = {((1,), (0, 2, 3)): 6.0}
    open_orders = {((1,), *((bot,) for bot in order)): 1.0 for order in itertools.permutations((0, 2, 3))}
    averaged = plackett_luce({**others, **open_orders}, 4)
    assert [r.rating for r in plackett_luce({**others, **tied}, 4)] == pytest.approx([r.rating for r in averaged])


def test_equal_bots_at_several_seats_of_one_table_are_rated_equal():
    # Two seats of bot 0 against one of bot 1, each order as often as expected for equal strengths.
    orders = {((0,), (0,), (1,)): 100, ((0,), (1,), (0,)): 100, ((1,), (0,), (0,)): 100}
    assert [rating.rating for rating in plackett_luce(orders, 2)] == pytest.approx([0, 0], abs=1e-6)


def test_a_bot_with_two_seats_that_finish_first_and_second_is_stronger():
    first, second = plackett_luce({((0,), (0,), (1,)): 60, ((0,), (1,), (0,)): 30, ((1,), (0,), (0,)): 10}, 2)
    assert first.low > 0 > second.high


def test_the_order_of_the_bots_does_not_matter_at_tables_of_three():
    orders = {((0,), (1, 2)): 5, ((1,), (0,), (2,)): 9, ((0,), (2,), (1,)): 14, ((0, 1, 2),): 3}
    turned = {tuple(tuple(2 - bot for bot in rank) for rank in order): count for order, count in orders.items()}
    expected = [pytest.approx(rating) for rating in reversed(values(plackett_luce(orders, 3)))]
    assert values(plackett_luce(turned, 3)) == expected


def round_robin(strengths, groups, rng):
    """A round robin of pairs of games with draws; in half of the pairs, the luck of one game is reversed."""
    bots = len(strengths)
    points, games, squares = np.zeros((3, bots, bots))
    for a, b in itertools.combinations(range(bots), 2):
        p = 1 / (1 + math.exp(strengths[b] - strengths[a]))
        draws = 0.4 * min(p, 1 - p)
        luck = rng.random((groups, 2))
        luck[: groups // 2, 1] = 1 - luck[: groups // 2, 0]
        means = ((luck < p - draws / 2) / 2 + (luck < p + draws / 2) / 2).mean(axis=1)
        for x, y, shares in ((a, b, means), (b, a, 1 - means)):
            points[x, y] = 2 * shares.sum()
            games[x, y] = 2 * groups
            squares[x, y] = (shares**2).sum()
    return points, games, games / 2, squares


def rotations(strengths, groups, rng, paired):
    """Tables at which all bots meet in every rotation of the seats, with the luck of the seats kept or redrawn."""
    orders = Counter()
    bots = len(strengths)
    for _ in range(groups):
        luck = rng.gumbel(size=(bots, bots))  # the order of strength + Gumbel noise is Plackett and Luce's
        if paired:
            luck = np.array([np.roll(luck[0], turn) for turn in range(bots)])
        group = tuple(tuple((int(bot),) for bot in np.argsort(-strengths - seat)) for seat in luck)
        orders.update([group] if paired else group)
    return orders


def centred(elo):
    return np.array(elo) / ELO - np.mean(elo) / ELO


@pytest.mark.parametrize("elo", [[0, 150], [0, 50, 300], [-400, 0, 100, 100]])
def test_known_strengths_are_recovered_within_the_intervals(elo):
    rng = np.random.default_rng(5)
    strengths = centred(elo)
    found = np.array([values(bradley_terry(*round_robin(strengths, 60, rng))) for _ in range(500)])
    middle, low, high = np.moveaxis(found, 2, 0)
    assert middle.mean(axis=0) == pytest.approx(ELO * strengths, abs=8)
    assert 0.93 <= np.mean((low <= ELO * strengths) & (ELO * strengths <= high)) <= 0.97


@pytest.mark.parametrize("paired", [True, False])
def test_known_strengths_at_tables_of_four_are_recovered_within_the_intervals(paired):
    rng = np.random.default_rng(6)
    strengths = centred([0, 100, 150, 400])
    found = np.array([values(plackett_luce(rotations(strengths, 50, rng, paired), 4)) for _ in range(250)])
    middle, low, high = np.moveaxis(found, 2, 0)
    assert middle.mean(axis=0) == pytest.approx(ELO * strengths, abs=8)
    assert 0.93 <= np.mean((low <= ELO * strengths) & (ELO * strengths <= high)) <= 0.97


def test_the_same_luck_in_every_seat_narrows_the_intervals():
    strengths = centred([0, 20, 40])
    together, apart = (
        plackett_luce(rotations(strengths, 100, np.random.default_rng(7), paired), 3) for paired in (True, False)
    )
    assert all(t.high - t.low < 0.6 * (a.high - a.low) for t, a in zip(together, apart, strict=True))
