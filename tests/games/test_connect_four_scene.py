"""Connect Four as a scene."""

import pytest

import kibitz
from kibitz.rules.contract import NOBODY


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def scene_after(moves, spec="connect_four"):
    """The pieces by name after some columns, counted from 1, were played."""
    table, last = kibitz.Table(spec), None
    for name in moves.split():
        last = table.parse(name)
        table.play(last)
    return {piece.name: piece for piece in table.board.scene(table.game, table.state, NOBODY, last).pieces}


def marked(pieces):
    return [name for name, piece in pieces.items() if piece.marked]


def test_a_disc_falls_from_above_its_column():
    pieces = scene_after("3 3")
    disc, column = pieces["disc-3-2"], pieces["column-3"]
    assert disc.x == column.x == disc.appears[0]
    assert disc.appears[1] < disc.y < pieces["disc-3-1"].y
    assert disc.label == "a yellow disc in column 3, row 2"


def test_discs_are_behind_the_columns_in_front():
    names = list(scene_after("1 2 3"))
    assert max(names.index(f"disc-{c}-1") for c in (1, 2, 3)) < min(names.index(f"column-{c}") for c in range(1, 8))


def test_the_last_disc_is_marked():
    assert marked(scene_after("4 4 3")) == ["disc-3-1"]
    assert marked(scene_after("")) == []


def test_the_four_that_won_are_marked_instead():
    assert marked(scene_after("4 1 5 1 6 1 7")) == ["disc-4-1", "disc-5-1", "disc-6-1", "disc-7-1"]


def test_the_end_is_announced():
    with_a_line = kibitz.Table("connect_four")
    for move in (0, 1, 0, 1, 0, 1):
        with_a_line.play(move)
    before = with_a_line.state
    with_a_line.play(0)
    board = with_a_line.board
    assert board.effects(with_a_line.game, before, 0, with_a_line.state) == ["Red has four in a row."]
    assert board.effects(with_a_line.game, before, 0, before) == []


def test_a_full_board_is_announced():
    table = kibitz.Table("connect_four:columns=2,rows=1")
    table.play(0)
    before = table.state
    table.play(1)
    assert table.board.effects(table.game, before, 1, table.state) == ["The board is full."]
