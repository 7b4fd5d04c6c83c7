"""Connect Four in the terminal."""

import pytest

import kibitz
from kibitz.games.connect_four.board import winning_discs


def table_after(moves, spec="connect_four"):
    table = kibitz.Table(spec)
    for name in moves.split():
        table.play(table.parse(name))
    return table


def test_columns_are_counted_from_one():
    table = kibitz.Table("connect_four")
    assert [table.name(move) for move in table.moves] == ["1", "2", "3", "4", "5", "6", "7"]


def test_the_board_is_legible_without_colour():
    assert table_after("4 4 3").text().splitlines() == [
        "         ▾",
        " │ ·  ·  ·  ·  ·  ·  · │",
        " │ ·  ·  ·  ·  ·  ·  · │",
        " │ ·  ·  ·  ·  ·  ·  · │",
        " │ ·  ·  ·  ·  ·  ·  · │",
        " │ ·  ·  ·  ○  ·  ·  · │",
        " │ ·  ·  ●  ●  ·  ·  · │",
        " └─────────────────────┘",
        "   1  2  3  4  5  6  7 ",
    ]


def test_the_four_that_won_are_marked():
    rows = table_after("4 1 5 1 6 1 7").text().splitlines()
    assert rows[6] == " │ ○  ·  ·  ★  ★  ★  ★ │"
    assert "★" not in "".join(rows[:6])


def test_yellow_wins_with_rings():
    assert table_after("1 2 1 2 1 2 7 2").text().count("☆") == 4


def test_a_column_numbered_ten_keeps_the_board_straight():
    lines = table_after("10", "connect_four:columns=10,rows=4").text().splitlines()
    assert lines[4].index("●") == lines[0].index("▾") == lines[-1].index("0")


@pytest.mark.parametrize(("moves", "count"), [("1 2 1 2 1 2 1", 4), ("1 1 2 2 3 3 5 5 6 6 7 7 4", 7), ("4 4", 0)])
def test_every_disc_of_a_line_counts(moves, count):
    table = table_after(moves)
    assert bin(winning_discs(table.game, table.state)).count("1") == count
