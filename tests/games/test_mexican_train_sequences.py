"""The best sequence of a hand of Mexican Train: found by a bounded search, and kept as long as it is the best."""

import random

import hypothesis.strategies as st
import numpy as np
import pytest
from dominoes import name_of, tile
from hypothesis import given, settings

import kibitz
from kibitz.games.mexican_train.policies import STEPS
from kibitz.games.mexican_train.rules import MexicanTrain
from kibitz.games.mexican_train.sequences import find_sequence, new_planner, plan
from kibitz.games.mexican_train.tiles import HALVES, PIPS, add_tile
from kibitz.rules.contract import CHANCE


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def rows_of(tiles, numbers=13):
    rows = [0] * numbers
    for number in tiles:
        add_tile(rows, number)
    return rows


def trails(tiles, end):
    """All sequences that can be laid on a train with this end."""
    yield ()
    for number in tiles:
        low, high = HALVES[number].tolist()
        if end in (low, high):
            for rest in trails(tiles - {number}, low + high - end):
                yield (number, *rest)


def rank(sequence):
    """Longer is better, then more doubles, then more pips."""
    return len(sequence), sum(is_double(number) for number in sequence), sum(int(PIPS[number]) for number in sequence)


def is_double(number):
    low, high = HALVES[number].tolist()
    return low == high


def sequence_of(planner, player):
    return planner.tiles[player].tolist()[planner.begin[player] : planner.length[player]]


def best_of(hand, end, limit=STEPS):
    """The sequence found for a hand of tiles by name."""
    planner = new_planner()
    plan(planner, 0, rows_of(map(tile, hand.split())), end, limit)
    return [name_of(number) for number in sequence_of(planner, 0)]


def test_the_longest_sequence_is_best():
    assert best_of("12|12 5|12 3|5 4|12", 12) == ["12|12", "5|12", "3|5"]
    assert best_of("0|1 1|2", 12) == []


def test_of_equally_long_sequences_the_one_with_more_doubles_is_best():
    assert best_of("11|12 10|11 0|12 0|0", 12) == ["0|12", "0|0"]


def test_of_sequences_with_as_many_doubles_the_one_with_more_pips_is_best():
    assert best_of("3|12 3|9 4|12 4|10", 12) == ["4|12", "4|10"]


small_hands = st.sets(st.integers(0, 20), max_size=8)  # of numbers up to 5


@settings(max_examples=200)
@given(small_hands, st.integers(0, 5))
def test_no_sequence_is_better_than_the_one_found(hand, end):
    planner = new_planner()
    assert find_sequence(planner, 0, rows_of(hand, 6), end, STEPS)
    found = tuple(sequence_of(planner, 0))
    every = list(trails(frozenset(hand), end))
    assert found in every
    assert rank(found) == max(map(rank, every))


def test_the_search_of_a_large_hand_stops_at_its_limit_with_a_sequence():
    choose = random.Random(1)
    for _ in range(5):
        rows, planner = rows_of(choose.sample(range(90), 40)), new_planner()
        assert not find_sequence(planner, 0, rows, 12, 300)
        sequence, end = sequence_of(planner, 0), 12
        assert len(sequence) > 15
        for number in sequence:
            assert end in HALVES[number]
            end = int(PIPS[number]) - end


@pytest.mark.parametrize("game", [MexicanTrain(players=3, highest=9, hand=9), MexicanTrain(players=2)])
def test_the_sequence_kept_is_the_one_that_would_be_found_anew(game):
    choose, searches = random.Random(2), 0
    for seed in range(3):
        table, kept = kibitz.Table(game, seed=seed), new_planner()
        for _ in range(60):
            state, player = table.state, table.turn
            if player == CHANCE or table.over:
                break
            fresh = new_planner()
            before = kept.rows[player].tolist(), kept.length[player]
            plan(kept, player, state.hand[player], state.end[player], 2000)
            plan(fresh, player, state.hand[player], state.end[player], 2000)
            searches += before != (kept.rows[player].tolist(), kept.length[player])
            assert sequence_of(kept, player) == sequence_of(fresh, player)
            planned = sequence_of(kept, player)
            own = [move for move in table.moves if planned and move == 9 * planned[0] + player]
            table.play(own[0] if own and choose.random() < 0.6 else choose.choice(table.moves))
    assert 0 < searches < 120  # of about 180


def test_a_hand_with_nothing_for_the_train_has_no_sequence():
    planner = new_planner()
    plan(planner, 3, rows_of([0, 1, 2]), 12, STEPS)
    assert sequence_of(planner, 3) == []
    assert np.asarray(planner.known).tolist()[3]
