"""Mexican Train as a scene, its hint, and the sentences about moves."""

import random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import kibitz
from kibitz.display.board import board_of
from kibitz.games.mexican_train.hand_hint import longest_sequence
from kibitz.games.mexican_train.lessons import HAND, TRAINS, table
from kibitz.games.mexican_train.rules import MexicanTrain
from kibitz.games.mexican_train.tiles import TILE
from kibitz.rules.contract import NOBODY

GAME = MexicanTrain(players=3)
BOARD = board_of(GAME)


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def pieces_of(state, viewer=NOBODY, last=None):
    return {piece.name: piece for piece in BOARD.scene(GAME, state, viewer, last).pieces}


def rows_of(tiles):
    rows = [0] * 13
    for one, other in tiles:
        rows[one] |= 1 << other
        rows[other] |= 1 << one
    return rows


def longest(tiles, end):
    """How many tiles can be laid one after the other, by trying all ways."""
    lengths = [0]
    for one, other in tiles:
        for start, following in {(one, other), (other, one)}:
            if start == end:
                lengths.append(1 + longest(tiles - {(one, other)}, following))
    return max(lengths)


tile_sets = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: tuple(sorted(pair))), max_size=7)


@settings(max_examples=100)
@given(tile_sets, st.integers(0, 5))
def test_the_hint_is_a_longest_sequence(tiles, end):
    sequence = longest_sequence(rows_of(tiles), end)
    assert len(sequence) == longest(frozenset(tiles), end)
    number = end
    for start, following in sequence:
        assert start == number
        assert tuple(sorted((start, following))) in tiles
        number = following
    assert len({tuple(sorted(halves)) for halves in sequence}) == len(sequence)


def test_the_hint_of_a_large_hand_is_found_within_bounds():
    tiles = {(low, high) for high in range(13) for low in range(high + 1)}
    assert len(longest_sequence(rows_of(tiles), 12)) > 50


def test_the_hand_begins_with_the_sequence_and_goes_on_by_pips():
    pieces = pieces_of(table(GAME), viewer=0)
    hand = [piece for piece in pieces.values() if piece.label.endswith("in your hand")]
    names = [piece.name for piece in sorted(hand, key=lambda piece: piece.x)]
    assert names == ["tile-1-7", "tile-7-10", "tile-2-10", "tile-9-9", "tile-3-8", "tile-0-4"]
    assert pieces["sequence"].label == "a sequence of 3 tiles for your train"


def test_nobody_but_its_player_sees_a_hand():
    state = table(GAME)
    hidden = [f"tile-{min(halves)}-{max(halves)}" for halves in HAND]
    with_hand, without = pieces_of(state, viewer=0), pieces_of(state)
    assert set(hidden) <= with_hand.keys()
    assert not set(hidden) & without.keys()
    assert "sequence" not in without


def test_tiles_of_a_train_lie_end_to_end():
    pieces = pieces_of(table(GAME))
    laid = [pieces[f"tile-{min(halves)}-{max(halves)}"] for halves in TRAINS[1]]
    assert [piece.x for piece in laid] == sorted(piece.x for piece in laid)
    assert {piece.y for piece in laid} == {pieces["train-1"].y}


def test_of_a_long_train_the_first_tiles_lie_in_a_pile():
    tiles = [(12, 0), *((number, number + 1) for number in range(10))]
    pieces = pieces_of(table(GAME, {0: tiles}))
    assert pieces["pile-tile-0-12"].label == "5 more tiles"
    assert pieces["tile-9-10"].x < 12


def test_open_trains_and_the_gate_are_marked():
    opened, shut = table(GAME, opened=(1,)), table(GAME, gate=2)
    assert pieces_of(opened)["train-1"].label == "Player 2's train, ending in 4, open"
    assert pieces_of(opened)["train-0"].label == "Player 1's train, ending in 1"
    assert pieces_of(shut)["train-2"].label == "Player 3's train, ending in 8, the gate is shut here"
    assert pieces_of(opened)["train-1"].shapes != pieces_of(opened)["train-0"].shapes
    assert pieces_of(shut)["train-2"].shapes != pieces_of(opened)["train-1"].shapes


def test_the_last_tile_is_marked():
    last = 9 * int(TILE[8, 12]) + 2
    assert [name for name, piece in pieces_of(table(GAME), last=last).items() if piece.marked] == ["tile-8-12"]


def test_draws_and_passes_are_marked():
    def marked(last):
        return [name for name, piece in pieces_of(table(GAME), last=last).items() if piece.marked]

    assert marked(GAME.draw_move) == ["boneyard"]
    assert marked(GAME.pass_move) == ["label-2"]  # it is the turn of the first player


def test_a_move_is_the_tile_and_its_train():
    state = table(GAME)
    assert BOARD.clicks(GAME, state, 9 * int(TILE[7, 1]) + 0) == ("tile-1-7", "train-0")
    assert BOARD.clicks(GAME, state, 9 * int(TILE[0, 4]) + 8) == ("tile-0-4", "sauce")
    assert BOARD.clicks(GAME, state, GAME.draw_move) == ("boneyard",)
    assert BOARD.clicks(GAME, state, GAME.pass_move) == ()


def effects_of(state, move):
    after = state.copy()
    GAME.play(after, move)
    return BOARD.effects(GAME, state, move, after)


def test_doubles_and_gates_are_announced():
    state = table(GAME, {0: [(12, 9)]})
    assert effects_of(state, 9 * int(TILE[9, 9])) == ["A double shuts the gate: only a 9 may follow."]
    shut = table(GAME, {0: [(12, 1)]}, gate=0)
    assert effects_of(shut, 9 * int(TILE[1, 7])) == ["The gate is open again."]


def test_trains_that_open_and_close_are_announced():
    assert effects_of(table(GAME, opened=(0,)), 9 * int(TILE[1, 7])) == ["Player 1's train is closed again."]
    assert effects_of(table(GAME), GAME.pass_move) == ["Player 1's train is now open."]
    assert effects_of(table(GAME), GAME.draw_move) == []


def test_the_ends_of_rounds_and_of_the_game_are_announced():
    game = MexicanTrain(players=2, hand=5, target=40)
    play, choose, sentences = kibitz.Table(game, deal=False), random.Random(3), []
    while not play.over:
        before, move = play.state, choose.choice(play.moves)
        play.play(move)
        sentences += BOARD.effects(game, before, move, play.state)
    assert sentences[-1] == "The game is over."
    assert "Round 2 begins." in sentences
    assert any(sentence.endswith("has no tiles left.") for sentence in sentences)


def test_tiles_and_points_are_counted():
    assert BOARD.counters(GAME, table(GAME), 1) == {"tiles": 8, "points": 0}


def test_lessons_show_tiles_that_fit():
    for train in TRAINS.values():
        number = 12
        for start, following in train:
            assert start == number
            number = following
    laid = {tuple(sorted(halves)) for train in TRAINS.values() for halves in train}
    assert not laid & {tuple(sorted(halves)) for halves in HAND}
