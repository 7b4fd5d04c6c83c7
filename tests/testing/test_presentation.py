"""Bugs in how a game is shown are caught."""

from faults import fault
from toys import DiceBoard, DiceRace, Nim, NimBoard

import kibitz
from kibitz.display.scene import Piece, Scene
from kibitz.rules.contract import CHANCE, game
from kibitz.testing import check_game


def test_two_moves_with_the_same_name_are_caught():
    class Same(NimBoard):
        def name(self, game, s, move):
            return "TAKE" if move else "take"  # which differ by case only, and that is allowed

    @game
    class Alike(Nim):
        board = Same

    fault(Alike(), "board.name", "1 and 2 are both called 'TAKE'")


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


def test_two_moves_with_the_same_words_are_caught():
    class Vague(NimBoard):
        def say(self, game, s, move):
            return "take some"

    @game
    class Mumbled(Nim):
        board = Vague

    fault(Mumbled(), "board.say", "0 and 1 are both called 'take some'")


def test_words_that_are_the_name_of_another_move_are_caught():
    class Swapped(NimBoard):
        def say(self, game, s, move):
            return self.name(game, s, 2 - move)

    @game
    class Confused(Nim):
        board = Swapped

    fault(Confused(), "board.say", "are both called")


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


# ------------------------------------------------------------------ scenes


class NimScene(NimBoard):
    """Three buttons, named after the moves that they make."""

    label = "take"

    def scene(self, game, s, viewer, last=None):
        return Scene(3, 1, tuple(Piece(f"button {i}", i + 0.5, 0.5, (), label=self.label) for i in range(3)))

    def clicks(self, game, s, move):
        return (f"button {move}",)


def drawn(board):
    """Nim with this board."""

    @game
    class Drawn(Nim):
        pass

    Drawn.board = board
    return Drawn()


def test_a_sound_scene_passes():
    with kibitz.plain():
        assert check_game(drawn(NimScene), games=5).games == 5


def test_a_click_on_nothing_is_caught():
    class Missed(NimScene):
        def clicks(self, game, s, move):
            return (f"button {move + 1}",)

    fault(drawn(Missed), "board.clicks", "2 clicks on 'button 3', which is not in the scene")


def test_a_button_without_a_label_is_caught():
    class Unlabelled(NimScene):
        label = ""

    fault(drawn(Unlabelled), "board.scene", "has no label")


def test_clicks_that_begin_other_clicks_are_caught():
    class Prefix(NimScene):
        def clicks(self, game, s, move):
            return ("button 0", "button 1")[: move + 1]

    fault(drawn(Prefix), "board.clicks", "the clicks of 0 begin those of 1")


def test_two_pieces_of_the_same_name_are_caught():
    class Twice(NimScene):
        def scene(self, game, s, viewer, last=None):
            return Scene(3, 1, (Piece("button", 0, 0, ()), Piece("button", 1, 0, ())))

    fault(drawn(Twice), "board.scene", "two pieces are called 'button'")


def test_a_scene_that_raises_is_caught():
    class Raising(NimScene):
        def scene(self, game, s, viewer, last=None):
            return s.nothing

    fault(drawn(Raising), "board.scene", "no field 'nothing'")
