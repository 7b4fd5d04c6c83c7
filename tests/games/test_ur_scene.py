"""The Royal Game of Ur as a scene."""

import itertools

import pytest

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.games.ur.scene import coin
from kibitz.games.ur.squares import path, squares
from kibitz.rules.contract import CHANCE, NOBODY
from kibitz.rules.engine import Engine

MASTERS = {"rosettes": 16, "coins": 3, "safe": False}


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def table_at(light=(), dark=(), roll=0, mover=0, home=(0, 0), **variant):
    """A table with pieces on the given steps and at home."""
    game = Ur(**variant)
    s = Engine(game).start()
    for player, steps in enumerate((light, dark)):
        s.at[player] = sum(1 << step for step in steps)
        s.hand[player] = game.pieces - len(steps) - home[player]
    s.roll, s.mover, s.turn = roll, mover, mover if roll else CHANCE
    return kibitz.Table(game, deal=False, position=s)


def pieces_of(table):
    return {piece.name: piece for piece in table.board.scene(table.game, table.state, NOBODY).pieces}


def moved(table, name):
    """The pieces that are gone after a move, and those that are new, without those that stay."""
    before = pieces_of(table)
    table.play(table.parse(name))
    after = pieces_of(table)
    return sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())


def effects_of(table, name):
    before, move = table.state, table.parse(name)
    table.play(move)
    return table.board.effects(table.game, before, move, table.state)


def clicks(table, name):
    return table.board.clicks(table.game, table.state, table.parse(name))


def test_the_board_has_twenty_squares_in_three_rows():
    assert [sum(square.row == row for square in squares(13)) for row in range(3)] == [6, 8, 6]


@pytest.mark.parametrize("rosettes", [13, 14, 16])
@pytest.mark.parametrize("player", [0, 1])
def test_every_step_is_beside_the_one_before(rosettes, player):
    way = path(rosettes, player)
    assert sorted(way) == list(range(1, Ur(rosettes=rosettes).home))
    for step, onward in itertools.pairwise(sorted(way)):
        assert abs(way[step].row - way[onward].row) + abs(way[step].column - way[onward].column) == 1


@pytest.mark.parametrize("rosettes", [13, 14, 16])
def test_players_meet_on_the_squares_of_both(rosettes):
    game = Ur(rosettes=rosettes)
    for square in squares(rosettes):
        light, dark = square.steps
        assert game.met(1 << dark if dark else 0) == (1 << light if light and dark else 0)


def test_a_piece_that_moves_leaves_one_place_and_comes_to_another():
    assert moved(table_at([3], [6], roll=4), "3-7") == (["light-3"], ["light-7"])


def test_a_piece_enters_from_the_hand():
    assert moved(table_at([3], roll=2, pieces=7), "0-2") == (["light-hand-5"], ["light-2"])


def test_a_captured_piece_goes_back_to_its_hand():
    table = table_at([5], [9], roll=4, pieces=4)
    assert moved(table, "5-9") == (["dark-9", "light-5"], ["dark-hand-3", "light-9"])


def test_pieces_that_are_home_lie_at_the_other_end_of_the_tray():
    table = table_at([14], roll=1, home=(2, 0), pieces=4)
    assert moved(table, "14-15") == (["light-14"], ["light-home-2"])
    pieces = pieces_of(table)
    assert pieces["light-hand-0"].x < 4 < pieces["light-home-2"].x < pieces["light-home-0"].x


def test_pieces_of_a_player_are_alike():
    groups = {name: piece.alike for name, piece in pieces_of(table_at([3], [6])).items() if piece.alike}
    assert {name.split("-")[0] for name in groups} == set(groups.values()) == {"light", "dark"}


def test_a_move_is_the_piece_and_where_it_lands():
    assert clicks(table_at([3], [6], roll=4), "3-7") == ("light-3", "square-2-3")
    assert clicks(table_at([3], [6], roll=2, mover=1), "6-8") == ("dark-6", "square-2-4")
    assert clicks(table_at([], [4], roll=2, mover=1), "0-2") == ("dark-hand-2", "square-3-3")
    assert clicks(table_at([13], roll=2), "13-15") == ("light-13", "light-home")


def test_paths_of_the_masters_cross_over():
    assert clicks(table_at([11], roll=1, **MASTERS), "11-12") == ("light-11", "square-3-7")
    assert clicks(table_at([], [11], roll=1, mover=1, **MASTERS), "11-12") == ("dark-11", "square-1-7")


def test_a_pass_is_a_button():
    assert clicks(table_at([14], roll=3, home=(3, 0)), "pass") == ()


def heads(pieces, coins=4):
    return [pieces[f"coin-{i}"].shapes == coin(heads=True) for i in range(coins)]


def test_coins_show_as_many_heads_as_were_rolled():
    pieces = pieces_of(table_at(roll=3))
    assert heads(pieces) == [True, True, True, False]
    assert (pieces["light-roll"].label, pieces["dark-roll"].label) == ("Light rolls 3", "")


def test_three_coins_without_heads_are_a_four():
    pieces = pieces_of(table_at(roll=4, mover=1, **MASTERS))
    assert heads(pieces, 3) == [False, False, False]
    assert pieces["dark-roll"].label == "Dark rolls 4"


def test_the_throw_is_no_part_of_the_move_before():
    table = table_at([3], [6], roll=4)
    before = table.board.scene(table.game, table.state, NOBODY)
    table.play(table.parse("3-7"))
    table.play(table.parse("roll 2"))
    after = table.board.scene(table.game, table.state, NOBODY).since(before)
    assert [piece.name for piece in after.pieces if piece.marked] == ["light-7"]


def test_the_throw_is_on_the_side_of_who_threw():
    assert pieces_of(table_at(roll=1))["coin-0"].y < pieces_of(table_at(roll=1, mover=1))["coin-0"].y


def test_captures_rosettes_and_homecomings_are_announced():
    assert effects_of(table_at([5], [9], roll=4), "5-9") == ["Light captures one of Dark's pieces."]
    assert effects_of(table_at([5], roll=3), "5-8") == ["A rosette! Light rolls again."]
    assert effects_of(table_at([13], roll=2), "13-15") == ["Light brings a piece home."]
    assert effects_of(table_at([13], roll=2, home=(3, 0)), "13-15") == [
        "Light brings a piece home.",
        "All of Light's pieces are home.",
    ]
    assert effects_of(table_at([5], roll=1), "5-6") == []


def test_a_capture_that_gives_another_roll_is_announced():
    table = table_at([5], [9], roll=4, rosettes=16, safe=False, captures=True)
    assert effects_of(table, "5-9") == ["Light captures one of Dark's pieces.", "Light rolls again."]


def test_a_throw_without_a_move_is_announced():
    assert effects_of(table_at(mover=1), "roll 0") == ["Dark cannot move."]
    assert effects_of(table_at(), "roll 2") == []


def test_counters_say_who_is_home():
    table = table_at([3], home=(2, 0), pieces=7)
    assert table.board.counters(table.game, table.state, 0) == {"home": "2 of 7", "in hand": 4}
