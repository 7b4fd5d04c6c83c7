"""Hex, in examples/."""

from pathlib import Path

import pytest

import kibitz
from kibitz.testing import check_game

SPEC = f"{Path(__file__).parents[2] / 'examples' / 'hex.py'}:Hex"


def table_after(moves, size=3):
    table = kibitz.Table(f"{SPEC}:size={size}")
    for move in moves.split():
        table.play(move)
    return table


def test_it_fulfils_the_contract():
    checked = check_game(f"{SPEC}:size=4", games=30)
    assert checked.symmetries == 1
    assert not checked.findings


def test_red_connects_top_and_bottom():
    assert table_after("b1 a1 b2 a2 b3").payoff() == [1.0, 0.0]
    assert table_after("c1 a1 b2 a2 a3").payoff() == [1.0, 0.0]  # c1, b2 and a3 touch
    assert not table_after("a1 c1 b2 c2 c3").over  # a1 and b2 do not


def test_blue_connects_left_and_right():
    assert table_after("a1 a2 b1 b2 a3 c2").payoff() == [0.0, 1.0]


@pytest.mark.parametrize("size", [2, 3])
def test_the_first_player_wins_small_boards(size):
    game = kibitz.game(f"{SPEC}:size={size}")
    report = kibitz.bot("alphabeta:depth=9", game).analyse(kibitz.Table(game).view(0))
    assert (report.value, report.best.exact) == (1.0, True)


def test_no_game_is_drawn():
    result = kibitz.arena(SPEC, ["random", "random"], games=500, seed=1)
    assert result.played == 500
    assert not result.tally.faults
    assert sum(share.share for share in result.seats) == pytest.approx(1.0)


def test_the_size_is_bounded():
    with pytest.raises(kibitz.SpecError, match="board of size 2 to 19"):
        kibitz.game(f"{SPEC}:size=20")
