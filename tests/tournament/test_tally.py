"""The sums of a tournament, compared with a slow and obvious count."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import kibitz
from kibitz.records.games import Games, Outcome
from kibitz.tournament.ratings import plackett_luce
from kibitz.tournament.result import ArenaResult
from kibitz.tournament.schedule import GAUNTLET, Schedule
from kibitz.tournament.tally import Tally, finishing_order, group_edges


def invented(schedule, faults=0.1, seed=7):
    """The games of a schedule with results drawn at random: won, drawn, shared, or lost by a fault."""
    draw = np.random.default_rng(seed)
    count, players = schedule.games, schedule.players
    games = Games.empty(count, players)
    games.game[:] = np.arange(count)
    games.group[:] = schedule.group(games.game)
    games.bots[:] = schedule.seats(games.game)
    games.score[:] = draw.integers(0, 4, (count, players))
    best = games.score == games.score.max(axis=1, keepdims=True)
    games.payoff[:] = best / best.sum(axis=1, keepdims=True)
    games.choices[:] = draw.integers(1, 9, (count, players))
    games.seconds[:] = draw.random((count, players))
    for row in np.flatnonzero(draw.random(count) < faults):
        games.outcome[row] = draw.integers(1, len(Outcome))
        games.fault_seat[row] = draw.integers(players)
        games.fault[row] = f"fault in game {row}"
        games.score[row] = math.nan
    return games


SCHEDULES = [
    Schedule(2, 2, 101),
    Schedule(2, 2, 60, paired=False),
    Schedule(2, 1, 20),
    Schedule(2, 4, 150),
    Schedule(2, 4, 61, format=GAUNTLET),
    Schedule(3, 3, 90),
    Schedule(3, 2, 60),
    Schedule(3, 4, 100, paired=False),
    Schedule(4, 5, 100),
]


@pytest.fixture(params=SCHEDULES, ids=str)
def counted(request):
    schedule = request.param
    games = invented(schedule)
    tally = Tally(schedule)
    tally.add(games)
    return schedule, games, tally


def seats_of(games, bot):
    return [(row, seat) for row, seats in enumerate(games.bots.tolist()) for seat, b in enumerate(seats) if b == bot]


def test_sums_by_bot_are_those_of_its_seats(counted):
    schedule, games, tally = counted
    for bot in range(schedule.bots):
        seats = seats_of(games, bot)
        scores = [games.score[at] for at in seats if not math.isnan(games.score[at])]
        assert tally.bots.games[bot] == len({row for row, _ in seats})
        assert tally.bots.seats[bot] == len(seats)
        assert tally.bots.payoff[bot] == pytest.approx(sum(games.payoff[at] for at in seats))
        assert tally.bots.seconds[bot] == pytest.approx(sum(games.seconds[at] for at in seats))
        assert tally.bots.choices[bot] == sum(games.choices[at] for at in seats)
        assert (tally.bots.score[bot], tally.bots.scored[bot]) == (sum(scores), len(scores))


def group_means(schedule, games, chosen):
    """By stratum, the mean payoff of the chosen seats of every group in which there are any."""
    means = {}
    for group in dict.fromkeys(games.group.tolist()):
        payoffs = [games.payoff[row, seat] for row, seat in chosen if games.group[row] == group]
        if payoffs:
            means.setdefault(int(schedule.stratum(np.array([group]))[0]), []).append(sum(payoffs) / len(payoffs))
    return means


def assert_sums(sums, row, means):
    for column in range(sums.groups.shape[1]):
        values = means.get(column, [])
        assert sums.groups[row, column] == len(values)
        assert sums.total[row, column] == pytest.approx(sum(values))
        assert sums.squares[row, column] == pytest.approx(sum(value * value for value in values))


def test_a_bots_share_of_each_group_is_one_observation(counted):
    schedule, games, tally = counted
    for bot in range(schedule.bots):
        assert_sums(tally.bot_groups, bot, group_means(schedule, games, seats_of(games, bot)))


def test_a_seats_share_of_each_group_is_one_observation(counted):
    schedule, games, tally = counted
    for seat in range(schedule.players):
        chosen = [(row, seat) for row in range(len(games))]
        assert_sums(tally.seat_groups, seat, group_means(schedule, games, chosen))


def test_in_games_for_two_the_points_of_each_pair_are_counted(counted):
    schedule, games, tally = counted
    for bot in range(schedule.bots):
        for other in range(schedule.bots):
            met = [
                (row, seat)
                for row, seat in seats_of(games, bot)
                if schedule.players == 2 and bot != other == games.bots[row, 1 - seat]
            ]
            assert tally.pairs.games[bot, other] == len(met)
            assert tally.pairs.points[bot, other] == pytest.approx(sum(games.payoff[at] for at in met))
            means = [mean for means in group_means(schedule, games, met).values() for mean in means]
            assert tally.pair_groups.groups[bot, other] == len(means)
            assert tally.pair_groups.total[bot, other] == pytest.approx(sum(means))
            assert tally.pair_groups.squares[bot, other] == pytest.approx(sum(mean * mean for mean in means))


def test_the_first_bots_shares_are_those_of_its_groups_in_a_match_of_two(counted):
    schedule, games, tally = counted
    expected = Counter()
    if schedule.players == schedule.bots == 2:
        for means in group_means(schedule, games, seats_of(games, 0)).values():
            expected.update(means)
    assert tally.first_bot_groups == expected


def test_lengths_and_faults_are_counted(counted):
    schedule, games, tally = counted
    lengths = games.choices.sum(axis=1).tolist()
    assert tally.lengths == Counter(lengths)
    assert tally.decisions == sum(lengths)
    assert (tally.games, tally.groups) == (schedule.games, len(set(games.group.tolist())))
    at_fault = [row for row in range(len(games)) if games.outcome[row]]
    culprits = [int(games.bots[row, games.fault_seat[row]]) for row in at_fault]
    assert tally.faults == Counter(
        (bot, Outcome(games.outcome[row])) for bot, row in zip(culprits, at_fault, strict=True)
    )
    assert tally.fault_words == [(row, bot, games.fault[row]) for bot, row in zip(culprits, at_fault, strict=True)]


def test_faults_beyond_number_take_no_more_memory(counted, monkeypatch):
    schedule, games, whole = counted
    monkeypatch.setattr("kibitz.tournament.tally.MOST_FAULTS", 7)
    monkeypatch.setattr("kibitz.tournament.tally.MOST_MESSAGES", 2)
    tally = Tally(schedule)
    for start, end in itertools.pairwise(group_edges(games).tolist()):
        tally.add(games.rows(slice(start, end)))
    assert tally.faults == whole.faults
    assert tally.fault_words == whole.fault_words[:7]
    for fault, count in whole.faults.items():
        ours, theirs = tally.messages[fault], whole.messages[fault]
        assert list(ours.counts) == list(theirs.counts)[:2]
        assert all(ours.counts[message] == theirs.counts[message] for message in ours.counts)
        assert all(games.fault[ours.first[message]] == message for message in ours.counts)
        assert ours.counts.total() + ours.others == count


def test_every_finishing_order_is_in_memory_once(counted):
    *_, tally = counted
    orders = list(itertools.chain(*tally.orders))
    assert len(set(map(id, orders))) == len(set(orders))


def test_ratings_see_the_finishing_order_of_every_game(counted):
    schedule, games, tally = counted
    if schedule.players == 2:
        assert not tally.orders
        return
    groups = {}
    for row, group in enumerate(games.group.tolist()):
        groups.setdefault(group, []).append(finishing_order(games, row, -1))
    one_by_one = plackett_luce(Counter(map(tuple, groups.values())), schedule.bots)
    ours = plackett_luce(tally.orders, schedule.bots)
    for a, b in zip(ours, one_by_one, strict=True):
        assert (a.rating, a.low, a.high) == pytest.approx((b.rating, b.low, b.high), abs=1e-6)


def test_the_sums_are_bit_for_bit_the_same_in_any_batches(counted):
    schedule, games, whole = counted
    tally, first, about = Tally(schedule), 0, 1
    while first < schedule.games:
        chunk = schedule.chunk(first, about)
        tally.add(games.rows(slice(chunk.start, chunk.stop)))
        first, about = chunk.stop, about + 3
    assert same_sums(tally, whole)


def test_the_sums_are_bit_for_bit_the_same_in_plain_mode(counted):
    schedule, games, compiled = counted
    with kibitz.plain():
        tally = Tally(schedule)
        tally.add(games)
    assert same_sums(tally, compiled)


def same_sums(a, b):
    families = ("bots", "pairs", "bot_groups", "seat_groups", "pair_groups")
    arrays = ((x, y) for name in families for x, y in zip(getattr(a, name), getattr(b, name), strict=True))
    counters = ("games", "decisions", "orders", "lengths", "faults", "fault_words", "first_bot_groups")
    return all(x.tobytes() == y.tobytes() for x, y in arrays) and all(
        getattr(a, name) == getattr(b, name) for name in counters
    )


def test_adding_no_games_changes_nothing():
    tally = Tally(Schedule(2, 2, 2))
    tally.add(Games.empty(0, 2))
    assert (tally.games, tally.groups) == (0, 0)


def test_the_finishing_order_goes_by_payoff_then_by_score():
    games = Games.empty(1, 4)
    games.bots[0] = [3, 1, 2, 0]
    games.payoff[0] = [0.0, 0.5, 0.5, 0.0]
    games.score[0] = [3, 9, 9, 5]
    assert finishing_order(games, 0, score_sign=-1) == ((1, 2), (0,), (3,))
    assert finishing_order(games, 0, score_sign=1) == ((1, 2), (3,), (0,))


def test_after_a_fault_the_finishing_order_ignores_the_score():
    games = Games.empty(1, 3)
    games.bots[0] = [0, 1, 2]
    games.payoff[0] = [0.5, 0.0, 0.5]
    games.score[0] = math.nan
    assert finishing_order(games, 0, score_sign=-1) == ((0, 2), (1,))


# ------------------------------------------------------------------ intervals of the whole arena

TRIALS, GROUPS = 1000, 100


def covered(schedule, play, truth):
    """In how many of 1000 tournaments the intervals contain the true share: of each bot, and of the first seat."""
    rules = kibitz.game("connect_four")
    draw = np.random.default_rng(11)
    hits = np.zeros(len(truth))
    for _ in range(TRIALS):
        games = Games.empty(schedule.games, schedule.players)
        games.game[:] = np.arange(schedule.games)
        games.group[:], games.bots[:] = schedule.group(games.game), schedule.seats(games.game)
        games.payoff[:] = play(draw, games)
        tally = Tally(schedule)
        tally.add(games)
        result = ArenaResult(rules, ("random",) * schedule.bots, 0, schedule, tally, 1.0, True)
        shares = [result._standing(bot, "").share for bot in range(schedule.bots)] + result.seats[:1]
        hits += [share.low <= true <= share.high for share, true in zip(shares, truth, strict=True)]
    return hits / TRIALS


def two_players(strength, first_seat, luck):
    """A game for two in which the first seat has an advantage and rotations share part of their luck."""

    def play(draw, games):
        at_first = np.where(games.bots[:, 0] == 0, strength, 1 - strength) + first_seat
        shared = draw.random(games.group.max() + 1)[games.group]  # the same dice from both seats
        dice = np.where(draw.random(len(games)) < luck, shared, draw.random(len(games)))
        won = dice < at_first
        drawn = draw.random(len(games)) < 0.1
        points = np.where(drawn, 0.5, won)
        return np.stack([points, 1 - points], axis=1)

    truth = 0.9 * strength + 0.05
    return play, [truth, 1 - truth, 0.9 * (0.5 + first_seat) + 0.05]


@pytest.mark.parametrize(("strength", "first_seat"), [(0.5, 0.0), (0.6, 0.1), (0.8, 0.05)])
@pytest.mark.parametrize(("paired", "luck"), [(True, 0.8), (True, 0.0), (False, 0.0)])
def test_intervals_of_a_match_contain_the_true_shares(strength, first_seat, paired, luck):
    play, truth = two_players(strength, first_seat, luck)
    schedule = Schedule(2, 2, 2 * GROUPS, paired=paired)
    shares = covered(schedule, play, truth)
    assert (shares >= 0.93).all()
    assert (shares <= 0.97).all()


def test_intervals_at_a_table_of_three_contain_the_true_shares():
    strengths = np.array([1.0, 2.0, 3.0])

    def play(draw, games):
        luck = draw.exponential(size=(games.group.max() + 1, 3))  # by bot: good cards are good from every seat
        shared = np.take_along_axis(luck[games.group], games.bots.astype("i8"), axis=1)
        lots = np.where(draw.random((len(games), 1)) < 0.5, shared, draw.exponential(size=games.bots.shape))
        winner = (lots / strengths[games.bots]).argmin(axis=1)
        return np.eye(3)[winner]

    shares = covered(Schedule(3, 3, 3 * GROUPS), play, [*strengths / 6, 1 / 3])
    assert (shares >= 0.93).all()
    assert (shares <= 0.97).all()
