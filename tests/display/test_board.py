"""How a game without its own Board is shown, and where a game's own Board is found."""

import pytest
from toys import CardBoard, HighCard, Nim

import kibitz
from kibitz.display.board import Board, board_of, find_move
from kibitz.errors import IllegalMove, RulesError
from kibitz.rules.contract import CHANCE, game


@game
class Bare(Nim):
    board = None


def test_a_game_without_a_board_shows_numbers_and_fields():
    table = kibitz.Table(Bare(heap=7))
    assert type(table.board) is Board
    assert table.name(2) == "2"
    assert table.parse("2") == 2
    assert "left = 7" in table.text()


def test_arrays_are_not_taken_for_markup():
    with kibitz.plain():
        table = kibitz.Table(HighCard())
        assert "hand = [2, 2, 2]" in table.text()
        assert "_pool" not in table.text()


def test_a_game_names_its_board():
    assert isinstance(board_of(HighCard()), CardBoard)


def test_a_shipped_game_has_its_board_next_to_its_rules():
    board = board_of(kibitz.game("connect_four"))
    assert type(board).__module__ == "kibitz.games.connect_four.board"


def test_seats_have_names_or_numbers():
    class Named(Board):
        seats = ("North", "South")

    assert [Named().seat(player) for player in (0, 1, 2)] == ["North", "South", "player 3"]
    assert Board().seat(0) == "player 1"
    assert Named().seat(CHANCE) == "chance"


def test_colours_repeat_when_they_run_out():
    class Two(Board):
        colours = ("red", "blue")

    assert [Two().colour(player) for player in range(3)] == ["red", "blue", "red"]


def test_a_move_is_found_by_its_name_in_any_case_and_spacing():
    names = ["roll", "leg c_0", "Leg C_1"]
    assert find_move(" ROLL", [4, 5, 6], names) == 4
    assert find_move("leg   c_1\n", [4, 5, 6], names) == 6


def test_case_counts_if_two_moves_differ_by_nothing_else():
    """In chess, a pawn and a bishop can capture on the same square."""
    for name, move in (("bxc3", 1), ("Bxc3", 2)):
        assert find_move(name, [1, 2], ["bxc3", "Bxc3"]) == move


def test_a_name_not_found_is_answered_with_the_first_legal_ones():
    with pytest.raises(IllegalMove, match=r"'99' is not a legal move; legal moves: 0, 1, .*11, …\."):
        find_move("99", range(20), [str(i) for i in range(20)])
    with pytest.raises(IllegalMove, match="legal moves: none"):
        find_move("1", [], [])


def test_a_method_with_other_parameters_is_refused_with_those_it_needs():
    class Odd(Board):
        def text(self, game, s, viewer):
            return ""

    class Fine(Board):
        @staticmethod
        def name(game, s, move):
            return f"move {move}"

        def text(self, *anything):
            return ""

    with pytest.raises(RulesError, match=r"Odd.text must take \(self, game, s, last=None\) \(test_board.py"):
        board_of(drawn_by(Odd))
    assert isinstance(board_of(drawn_by(Fine)), Fine)


def drawn_by(cls):
    class Drawn(Nim):
        board = cls

    return kibitz.game(Drawn)()
