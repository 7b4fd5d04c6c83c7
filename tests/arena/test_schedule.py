"""Who sits where."""

from collections import Counter

from kibitz.arena.schedule import Seating, line_ups, rotations, schedule


def test_two_bots_swap_seats_within_a_group():
    assert schedule(players=2, bots=2, games=4) == [
        Seating(0, 0, (0, 1)),
        Seating(1, 0, (1, 0)),
        Seating(2, 1, (0, 1)),
        Seating(3, 1, (1, 0)),
    ]


def test_where_two_play_all_pairs_meet_equally_often():
    pairs = Counter(frozenset(seating.bots) for seating in schedule(players=2, bots=4, games=6 * 2 * 5))
    assert len(pairs) == 6
    assert set(pairs.values()) == {10}


def test_every_bot_sits_in_every_seat_equally_often():
    seats = Counter((bot, seat) for s in schedule(players=3, bots=3, games=9) for seat, bot in enumerate(s.bots))
    assert len(seats) == 9
    assert set(seats.values()) == {3}


def test_too_few_bots_take_several_seats():
    assert line_ups(players=4, bots=3) == [(0, 1, 2, 0)]


def test_more_bots_than_seats_meet_in_every_combination():
    assert len(line_ups(players=3, bots=5)) == 10


def test_rotations_that_are_the_same_are_played_once():
    assert rotations((0, 1, 0, 1)) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert rotations((0, 0)) == [(0, 0)]


def test_a_tournament_cut_short_is_the_beginning_of_a_longer_one():
    assert schedule(2, 3, 7) == schedule(2, 3, 50)[:7]
