"""SEPARO in the terminal."""

import pytest

import kibitz
from kibitz.games.separo.board import BOTH_COLOURS, LAST_MOVE

CROSSED = "0,0-1,1-2,1 5,0-4,1-3,1 2,1-3,0-4,0 3,1-2,0-1,0"


@pytest.fixture(autouse=True)
def _plain():
    with kibitz.plain():
        yield


def table_after(moves, spec="separo:size=6"):
    table = kibitz.Table(spec)
    for name in moves.split():
        table.play(table.parse(name))
    return table


def test_stones_stand_on_the_points_with_roots_between_them():
    assert table_after(CROSSED).text().splitlines() == [
        "    a   b   c   d   e   f",
        "  6 ●───○───○───●───●───○",
        "    │ ╲       ╳       ╱ │",
        "  5 ·   ●───●   ○───○   ·",
        "    │                   │",
        "  4 ·   ·   ·   ·   ·   ·",
        "    │                   │",
        "  3 ·   ·   ·   ·   ·   ·",
        "    │                   │",
        "  2 ·   ·   ·   ·   ·   ·",
        "    │                   │",
        "  1 ○───·───·───·───·───●",
        "",
        "    ● Red 2 regions    ○ Blue 2 regions",
    ]


def test_a_move_in_words_is_its_points_by_letter_and_number():
    table = table_after("")
    assert table.say(table.parse("0,0-1,1-2,1")) == "a6-b5-c5"
    assert table.parse("A6-b5-c5") == table.parse("0,0-1,1-2,1")


def test_a_single_region_is_no_plural():
    assert table_after("").text().splitlines()[-1] == "    ● Red 1 region    ○ Blue 1 region"


def test_a_crossing_of_both_players_roots_has_a_colour_of_its_own():
    assert BOTH_COLOURS in table_after(CROSSED).markup()
    assert BOTH_COLOURS not in table_after(CROSSED.rpartition(" ")[0]).markup()


def test_the_last_move_is_marked_from_its_first_point_to_its_third():
    assert table_after("").markup().count(LAST_MOVE) == 0
    assert table_after("0,0-1,1-2,1").markup().count(LAST_MOVE) == len("●╲●───●")


def test_large_boards_keep_their_columns_straight():
    rows = table_after("0,0-1,1-2,1", "separo:size=12").text().splitlines()
    assert rows[0].index("k") == 4 + 4 * 10
    assert len({len(row) for row in rows[1:24]}) == 1


def test_a_position_is_exported_as_stones_and_regions():
    table = table_after("0,0-1,1-2,1")
    columns = table.board.columns(table.game, table.state)
    assert columns["stones"][:12] == "●····○·●●···"
    assert (columns["red"], columns["blue"], columns["turn"]) == (1, 1, 1)
