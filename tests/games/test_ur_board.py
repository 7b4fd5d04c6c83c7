"""Ur in the terminal."""

import pytest

import kibitz
from kibitz.display.board import board_of
from kibitz.games.ur.rules import Ur
from kibitz.rules.engine import Engine


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def table_at(game, light, dark, roll, hand=(2, 3)):
    state = Engine(game).start()
    for player, steps in enumerate((light, dark)):
        state.at[player] = sum(1 << step for step in steps)
        state.hand[player] = hand[player]
    state.roll, state.turn = roll, 0
    return kibitz.Table(game, deal=False, position=state)


def test_the_board_is_legible_without_colour():
    assert table_at(Ur(), [4], [10], 2).text().splitlines() == [
        " Light  hand ○○  home ○  rolled 2 ▲▲△△",
        "  ┌────┬────┬────┬────┐         ┌────┬────┐",
        "3 │ ○ ✿│ 3  │ 2  │ 1  │         │14  │13 ✿│",
        "  ├────┼────┼────┼────┼────┬────┼────┼────┤",
        "2 │ 5  │ 6  │ 7  │ 8 ✿│ 9  │ ●  │11  │12  │",
        "  ├────┼────┼────┼────┼────┴────┼────┼────┤",
        "1 │ 4 ✿│ 3  │ 2  │ 1  │         │14  │13 ✿│",
        "  └────┴────┴────┴────┘         └────┴────┘",
        "    a    b    c    d    e    f    g    h",
        " Dark   hand ●●●  home –",
    ]


def test_on_the_masters_path_squares_are_numbered_for_the_player_to_act():
    rows = table_at(Ur(rosettes=16), [12], [12], 1).text().splitlines()
    assert rows[2].endswith("│ ● ✿│15  │")
    assert rows[4].endswith("│11  │14  │")
    assert rows[6].endswith("│ ○ ✿│13  │")


def test_finkels_last_rosette_is_on_fourteen():
    assert table_at(Ur(rosettes=14), [], [], 1).text().splitlines()[2].endswith("│14 ✿│13  │")


def test_three_coins_without_heads_are_a_four():
    assert "rolled 4 △△△" in table_at(Ur(rosettes=16, coins=3), [], [], 4).text()


def test_moves_are_named_by_the_steps_they_leave_and_reach():
    table = table_at(Ur(), [4, 12], [], 3)
    assert [table.name(move) for move in table.moves] == ["0-3", "4-7", "12-15"]
    assert table_at(Ur(), [14], [], 3, hand=(0, 3)).name(15) == "pass"


def test_people_call_squares_by_letter_and_number():
    table = table_at(Ur(), [4, 12], [], 3)
    assert [table.say(move) for move in table.moves] == ["enter on b3", "move a3 to c2", "bring h2 home"]
    assert table_at(Ur(), [14], [], 3, hand=(0, 3)).say(15) == "pass"


def test_outcomes_are_named_by_the_roll():
    table = kibitz.Table(Ur(), deal=False)
    assert [table.name(outcome) for outcome in table.moves] == ["roll 0", "roll 1", "roll 2", "roll 3", "roll 4"]


def test_exported_columns_say_where_the_pieces_are():
    columns = board_of(Ur()).columns(Ur(), table_at(Ur(), [4, 9], [], 2, hand=(1, 4)).state)
    assert columns["steps_0"] == "4 9"
    assert (columns["hand_0"], columns["home_0"], columns["hand_1"]) == (1, 1, 4)
