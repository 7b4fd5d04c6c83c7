"""Who sits where in which game."""

import itertools
from collections import Counter

import numpy as np
import pytest

from kibitz import KibitzError
from kibitz.tournament.schedule import GAUNTLET, Schedule, rotations


def seatings(schedule):
    return [tuple(seats) for seats in schedule.seats(np.arange(schedule.games)).tolist()]


def groups(schedule):
    return schedule.group(np.arange(schedule.games)).tolist()


def test_two_bots_swap_seats_and_share_the_luck():
    schedule = Schedule(players=2, bots=2, games=4)
    assert seatings(schedule) == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert groups(schedule) == [0, 0, 1, 1]


def test_in_a_round_robin_all_pairs_meet_from_both_seats():
    schedule = Schedule(players=2, bots=4, games=12)
    assert Counter(seatings(schedule)) == Counter(itertools.permutations(range(4), 2))


def test_a_round_is_followed_by_the_same_round_with_other_luck():
    schedule = Schedule(players=2, bots=3, games=12)
    assert seatings(schedule)[:6] == seatings(schedule)[6:]
    assert groups(schedule) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_every_bot_has_every_seat_equally_often_at_a_table_of_three():
    schedule = Schedule(players=3, bots=4, games=12)
    taken = Counter((bot, seat) for seats in seatings(schedule) for seat, bot in enumerate(seats))
    assert set(taken.values()) == {3}
    assert len(taken) == 12
    assert groups(schedule) == [number // 3 for number in range(12)]


def test_too_few_bots_take_several_seats():
    assert Schedule(players=3, bots=2, games=3).line_ups == [(0, 1, 0)]
    assert seatings(Schedule(players=3, bots=2, games=3)) == [(0, 1, 0), (0, 0, 1), (1, 0, 0)]


def test_a_bot_against_itself_has_one_seating():
    schedule = Schedule(players=2, bots=1, games=3)
    assert seatings(schedule) == [(0, 0)] * 3
    assert groups(schedule) == [0, 1, 2]


def test_identical_rotations_are_played_once():
    assert rotations((0, 1, 0, 1)) == [(0, 1, 0, 1), (1, 0, 1, 0)]


def test_in_a_gauntlet_the_first_bot_meets_each_of_the_others():
    schedule = Schedule(players=2, bots=3, games=4, format=GAUNTLET)
    assert seatings(schedule) == [(0, 1), (1, 0), (0, 2), (2, 0)]


def test_in_a_gauntlet_of_three_an_opponent_takes_the_other_seats():
    schedule = Schedule(players=3, bots=3, games=6, format=GAUNTLET)
    assert schedule.line_ups == [(0, 1, 1), (0, 2, 2)]
    assert seatings(schedule)[:3] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_unpaired_every_game_has_its_own_luck():
    schedule = Schedule(players=2, bots=3, games=7, paired=False)
    assert groups(schedule) == list(range(7))
    assert seatings(schedule) == seatings(Schedule(players=2, bots=3, games=7))


@pytest.mark.parametrize(("players", "bots"), [(2, 2), (2, 4), (3, 2), (3, 5), (4, 4)])
def test_groups_of_the_same_stratum_have_the_same_line_up(players, bots):
    schedule = Schedule(players, bots, games=200)
    strata = schedule.stratum(schedule.group(np.arange(200))).tolist()
    assert set(strata) == set(range(schedule.strata))
    for seats, stratum in zip(seatings(schedule), strata, strict=True):
        assert seats in rotations(schedule.line_ups[stratum])


def test_unpaired_games_of_the_same_stratum_have_the_same_seating():
    schedule = Schedule(3, 4, games=60, paired=False)
    strata = schedule.stratum(schedule.group(np.arange(60))).tolist()
    assert len(set(zip(seatings(schedule), strata, strict=True))) == schedule.strata == 12


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("players", "bots", "games"), [(2, 2, 101), (3, 2, 50), (3, 4, 64), (2, 1, 9)])
@pytest.mark.parametrize("about", [1, 5, 1000])
def test_chunks_cover_everything_and_end_between_groups(players, bots, games, about, paired):
    schedule = Schedule(players, bots, games, paired=paired)
    chunks, first = [], 0
    while first < games:
        chunks.append(schedule.chunk(first, about))
        first = chunks[-1].stop
    assert list(itertools.chain(*chunks)) == list(range(games))
    number = groups(schedule)
    assert all(number[chunk.start] != number[chunk.start - 1] for chunk in chunks[1:])
    assert all(about <= len(chunk) < about + players for chunk in chunks[:-1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bots": 0}, "at least one bot"),
        ({"games": 0}, "number of games must be a whole number of at least 1, not 0"),
        ({"games": 10**30}, "number of games must be at most 1,000,000,000,000, not 1,000,000,"),
        ({"format": "knock-out"}, "no format 'knock-out'; choose round-robin or gauntlet"),
        ({"bots": 1, "format": GAUNTLET}, "gauntlet needs at least two bots"),
    ],
)
def test_impossible_schedules_are_refused(arguments, message):
    with pytest.raises(KibitzError, match=message):
        Schedule(**{"players": 2, "bots": 2, "games": 2, **arguments})
