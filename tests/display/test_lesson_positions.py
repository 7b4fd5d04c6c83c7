"""Positions for the pictures in lessons."""

import pytest

import kibitz
from kibitz.display.lesson_positions import opening, position
from kibitz.games.connect_four.rules import ConnectFour


def test_a_picture_needs_no_compilation():
    assert position(ConnectFour(), [3, 3, 2]).plies == 3
    assert opening(ConnectFour()).plies == 0


def test_a_position_can_continue_another_and_leaves_it_unchanged():
    first = position(ConnectFour(), [3])
    assert position(ConnectFour(), [3], first).plies == 2
    assert first.plies == 1


def test_only_legal_moves_are_pictured():
    with pytest.raises(kibitz.IllegalMove, match="not a legal move"):
        position(ConnectFour(), [3] * 7)
    with pytest.raises(kibitz.IllegalMove, match="not a legal move"):
        position(ConnectFour(), [0, 1, 0, 1, 0, 1, 0, 1])
