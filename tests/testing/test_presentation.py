"""Bugs in how a game is shown are caught."""

from faults import fault
from toys import DiceBoard, DiceRace, Nim, NimBoard

from kibitz.rules.contract import CHANCE, game


def test_two_moves_with_the_same_name_are_caught():
    class Same(NimBoard):
        def name(self, game, s, move):
            return "TAKE" if move else "take"

    @game
    class Alike(Nim):
        board = Same

    fault(Alike(), "board.name", "0 and 1 are both called 'TAKE'")


def test_a_name_that_does_not_parse_back_is_caught():
    class Spaced(NimBoard):
        def name(self, game, s, move):
            return f"take  {move}"

    @game
    class Wide(Nim):
        board = Spaced

    fault(Wide(), "board.name", "does not parse back")


def test_an_empty_name_is_caught():
    class Blank(NimBoard):
        def name(self, game, s, move):
            return " "

    @game
    class Nameless(Nim):
        board = Blank

    fault(Nameless(), "board.name", "one line of text")


def test_outcomes_with_the_same_name_are_caught():
    class Vague(DiceBoard):
        def name(self, game, s, move):
            return "rolled" if s.turn == CHANCE else DiceBoard.name(self, game, s, move)

    @game
    class VagueDice(DiceRace):
        board = Vague

    fault(VagueDice(), "board.name", "both called 'rolled'")


def test_a_board_that_raises_is_caught():
    class Broken(NimBoard):
        def text(self, game, s, last=None):
            return s.nothing

    @game
    class Undrawn(Nim):
        board = Broken

    fault(Undrawn(), "board.text", "no field 'nothing'")


def test_text_that_is_not_valid_markup_is_caught():
    class Unbalanced(NimBoard):
        def text(self, game, s, last=None):
            return "[/red] heap"

    @game
    class Garbled(Nim):
        board = Unbalanced

    fault(Garbled(), "board.text", "markup")
