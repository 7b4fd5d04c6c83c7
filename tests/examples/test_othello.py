"""Othello, the example of docs/add-a-game.md for a game with a board: published counts, captures and passes."""

from pathlib import Path

import pytest

import kibitz
from kibitz.testing import check_game

OTHELLO = f"{Path(__file__).parents[2] / 'examples' / 'othello.py'}:Othello"


def position(text, turn=0, size=6):
    """A position from rows of `.`, `X` (Black) and `O` (White)."""
    game = kibitz.game(OTHELLO, size=size)
    state = kibitz.Table(game, seed=0).state
    for row, line in enumerate(text.split()):
        for column, sign in enumerate(line):
            state.board[row, column] = ".XO".index(sign)
    state.turn = turn
    return kibitz.Table(game, seed=0, position=state)


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396), (6, 8200), (7, 55092), (8, 390216)]
)
def test_the_number_of_move_sequences_is_the_published_one(depth, count):
    assert kibitz.perft(OTHELLO, depth) == count


def test_black_moves_first_and_turns_a_disc_over():
    table = kibitz.Table(OTHELLO, seed=0)
    assert table.names == ["d3", "c4", "f5", "e6"]
    table.play("d3")
    assert table.turn == 1
    assert table.score() == [4.0, 1.0]


def test_discs_are_turned_over_in_every_direction_up_to_the_next_own_disc():
    table = position("X.X.X. .OOO.. XO.OXO .OOO.. X.X.X. ......")
    table.play("c3")
    rows = ["".join(".XO"[table.state.board[row, column]] for column in range(6)) for row in range(6)]
    assert rows == ["X.X.X.", ".XXX..", "XXXXXO", ".XXX..", "X.X.X.", "......"]


def test_whoever_cannot_move_passes():
    table = position("XO.... ...... ...... ...... ...... ......", turn=1)
    assert table.names == ["pass"]
    table.play("pass")
    assert table.names == ["c1"]


def test_the_game_is_over_when_nobody_can_move():
    table = position("XO.... ...... ...... ...... ...... ......")
    table.play("c1")
    assert table.over
    assert table.score() == [3.0, 0.0]
    assert table.payoff() == [1.0, 0.0]


def test_as_many_discs_are_a_draw():
    table = position("XO.... ...... ...... .....O ...... .O...O")
    table.play("c1")
    assert table.over
    assert table.score() == [3.0, 3.0]
    assert table.payoff() == [0.5, 0.5]


def test_a_board_has_an_even_size():
    with pytest.raises(kibitz.SpecError, match="a board of size 4, 6, 8 or 10"):
        kibitz.game(OTHELLO, size=7)


@pytest.mark.slow
def test_it_fulfils_the_contract():
    assert check_game(kibitz.game(OTHELLO, size=4), games=40).games == 40
