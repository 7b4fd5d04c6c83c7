"""Camel Up in the terminal."""

import pytest

import kibitz
from kibitz.display.board import board_of
from kibitz.games.camelup.rules import CamelUp
from kibitz.rules.engine import Engine

GAME = CamelUp(players=3)


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def table_at(game=GAME):
    state = Engine(game).start()
    for square, stack in {4: [0, 3], 5: [1], 7: [4, 2]}.items():
        for height, camel in enumerate(stack):
            state.square[camel], state.height[camel] = square, height
    state.leg, state.dice, state.turn = 2, 0b10110, 0
    state.tile[1], state.tile[2] = 9, -12
    return kibitz.Table(game, deal=False, position=state)


def play(table, *names):
    for name in names:
        table.play(table.parse(name))
    return table


def test_the_board_is_legible_without_colour():
    table = play(table_at(), "leg c_2", "winner c_2", "loser c_0", "winner c_4", "leg c_2")
    assert [line.rstrip() for line in table.text(1).splitlines()] == [
        "                  Y           O",
        "                  B   G       W",
        " ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔+1 ▔▔▔▔▔▔▔▔▔−1 ▔▔▔▔▔▔▔▔▔▔▔▔▔═══",
        "  0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  end",
        "",
        " leg 2      dice left  G   O   W",
        " leg tiles   B  5   G  5   O  2   Y  5   W  5",
        " winner     2: O  1:?",
        " loser      3:?",
        "",
        "             coins  desert tile  leg tiles",
        "  player 1       3  –             O  5",
        "  player 2       3  oasis 9       O  3",
        " ▸player 3       3  mirage 12    –",
    ]


def test_rolls_that_are_not_paid_yet_are_shown():
    assert "rolls 1" in play(table_at(), "roll", "c_1 moves 2").text()


def test_a_camel_past_the_last_square_is_shown_behind_it():
    table = table_at(CamelUp(players=3, squares=8))
    assert play(table, "roll", "c_2 moves 2").text().splitlines()[1].endswith(" O ")


def test_long_tracks_take_several_lines():
    lines = table_at(CamelUp(players=3, squares=20)).text().splitlines()
    assert lines[3].split() == [str(square) for square in range(16)]
    assert lines[6].split() == ["16", "17", "18", "19", "end"]


def test_moves_are_named_as_one_would_say_them():
    table = table_at()
    names = [table.name(move) for move in table.moves]
    assert names[:4] == ["roll", "oasis 1", "oasis 2", "oasis 3"]
    assert {"mirage 15", "leg c_4", "winner c_0", "loser c_3"} <= set(names)


def test_people_call_camels_by_their_colours():
    table = table_at()
    assert table.say(table.parse("leg c_4")) == "bet on white to win the leg"
    assert table.say(table.parse("winner c_0")) == "bet on blue to win the race"
    assert table.say(table.parse("loser c_3")) == "bet on yellow to come last"
    assert table.say(table.parse("mirage 15")) == "mirage on square 15"
    play(table, "roll")
    assert table.say(table.parse("c_1 moves 3")) == "green moves 3"


def test_words_for_a_hidden_card_do_not_tell_its_camel():
    table = play(table_at(), "winner c_2", "loser c_2")
    assert [ply.say for ply in table.plies_seen(2)] == ["bet on a camel to win the race", "bet on a camel to come last"]
    assert table.plies_seen(0)[0].say == "bet on orange to win the race"


def test_exported_columns_say_where_the_camels_are_and_who_has_what():
    columns = board_of(GAME).columns(GAME, table_at().state)
    assert (columns["c_3_square"], columns["c_3_height"], columns["tile_2"], columns["coins_0"]) == (4, 1, -12, 3)
