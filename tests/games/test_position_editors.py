"""Positions that people set up by hand: whatever they click, it can be drawn, and what is possible can be played."""

import random

import pytest

import kibitz
from kibitz.display.board import board_of

GAMES = ["connect_four", "hexplode:side=2,damage=0.3", "hexplode:side=3", "separo:size=6", "ur", "ur:rosettes=16"]


@pytest.mark.parametrize("spec", GAMES)
def test_whatever_is_clicked_can_be_drawn_and_what_is_possible_can_be_played(spec):
    game, luck = kibitz.game(spec), random.Random(1)
    board, editor, error = board_of(game), game.extra("editor")(), game.extra("position_error")
    played = 0
    for _ in range(8):
        state = kibitz.Table(game, deal=False).state
        for _ in range(luck.randrange(1, 25)):
            item = luck.randrange(len(editor.items))
            if places := editor.places(game, state, item):
                editor.put(game, state, item, luck.choice(places))
            if editor.chooses_turn and luck.random() < 0.2:
                editor.give_turn(game, state, luck.randrange(2))
        names = {piece.name for piece in board.scene(game, state, 0).pieces}
        every = [clicks for item in range(len(editor.items)) for clicks in editor.places(game, state, item)]
        assert names.issuperset(name for clicks in every for name in clicks)
        if error(state) is None:
            table = kibitz.Table(game, seed=1, position=state)
            while not table.over:
                table.play(luck.choice(table.moves))
            played += 1
    assert played


@pytest.mark.parametrize("spec", [spec for spec in GAMES if not spec.startswith(("separo", "ur"))])
def test_what_was_put_down_can_be_taken_away(spec):
    game = kibitz.game(spec)
    editor, state = game.extra("editor")(), kibitz.Table(game, deal=False).state
    (first, *_) = editor.places(game, state, 1)
    editor.put(game, state, 1, first)
    assert editor.places(game, state, 2) == [first]
    editor.put(game, state, 2, first)
    assert editor.places(game, state, 2) == []


def test_a_piece_of_ur_goes_home_and_back_to_the_hand():
    game = kibitz.game("ur")
    editor, state = game.extra("editor")(), kibitz.Table(game, deal=False).state
    editor.put(game, state, 1, ("square-2-4",))
    editor.put(game, state, 0, ("square-2-4",))  # takes its place
    editor.put(game, state, 0, ("light-home",))
    assert (list(state.hand), editor.places(game, state, 2)) == ([2, 4], [("square-2-4",), ("light-home",)])
    editor.put(game, state, 2, ("light-home",))
    assert list(state.hand) == [3, 4]
