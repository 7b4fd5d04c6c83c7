"""SEPARO as a scene, and the regions that it tints."""

import random

import pytest

import kibitz
from kibitz.games.separo.points import roots_of
from kibitz.games.separo.regions import outline, regions
from kibitz.games.separo.rules import BLUE, RED, Separo
from kibitz.rules.contract import NOBODY

FENCED = "0,0-1,1-1,2 8,0-7,1-7,2 1,1-2,0-3,0 7,2-8,3-8,4 1,2-0,3-0,4"  # Red has cut off an edge, Blue another


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def table_after(moves, spec="separo"):
    table = kibitz.Table(spec)
    for name in moves.split():
        table.play(table.parse(name))
    return table


def pieces_of(table, last=None):
    return {piece.name: piece for piece in table.board.scene(table.game, table.state, NOBODY, last).pieces}


def random_table(size, seed):
    table, choose = kibitz.Table(Separo(size=size)), random.Random(seed)
    while not table.over:
        table.play(choose.choice(table.moves))
        yield table


def size_of(line):
    """The area within a closed line that runs clockwise, y growing downwards."""
    return sum(x * v - u * y for (x, y), (u, v) in zip(line, line[1:] + line[:1], strict=True)) / 2


@pytest.mark.parametrize("size", [5, 9])
def test_as_many_regions_are_found_as_the_rules_count(size):
    for seed in range(6):
        for table in random_table(size, seed):
            state = table.state
            for player in (RED, BLUE):
                assert len(regions(table.game, state, player)) == table.game.regions(state, player)


def test_the_largest_region_comes_first():
    for table in random_table(9, 1):
        sizes = [len(area) for area in regions(table.game, table.state, RED)]
        assert sizes == sorted(sizes, reverse=True)


def test_an_outline_holds_the_area():
    for table in random_table(7, 2):
        for player in (RED, BLUE):
            for area in regions(table.game, table.state, player):
                assert sum(map(size_of, outline(7, area))) == len(area) / 4


def test_regions_are_tinted_but_for_the_largest():
    pieces = pieces_of(table_after(FENCED))
    assert sorted(name.split("-")[1] for name in pieces if name.startswith("region")) == ["0", "1"]
    assert not [name for name in pieces_of(table_after("")) if name.startswith("region")]


def test_every_root_is_drawn_once():
    table = table_after("0,0-1,1-1,2 8,0-7,1-6,1")
    assert roots_of(table.game, table.state, RED) == [((0, 0), (1, 1)), ((1, 1), (1, 2))]
    assert roots_of(table.game, table.state, BLUE) == [((8, 0), (7, 1)), ((6, 1), (7, 1))]


def test_a_move_is_its_three_points():
    table = table_after("")
    assert table.board.clicks(table.game, table.state, table.parse("0,0-1,1-1,2")) == (
        "point-0,0",
        "point-1,1",
        "point-1,2",
    )
    assert table.board.clicks(table.game, table.state, table.game.actions - 1) == ()


def test_points_say_what_is_on_them():
    pieces = pieces_of(table_after("0,0-1,1-1,2"))
    assert pieces["point-1,1"].label == "b8: a red stone"
    assert pieces["point-8,0"].label == "i9: a blue stone"
    assert pieces["point-4,4"].label == "e5: empty"


def test_the_new_stones_are_marked():
    table = table_after("0,0-1,1-1,2 8,0-7,1-6,1")
    last = table.history[-1].move
    assert [name for name, piece in pieces_of(table, last).items() if piece.marked] == ["stone-6,1", "stone-7,1"]


def test_new_regions_are_announced():
    table = table_after("0,0-1,1-1,2 8,0-7,1-7,2 1,1-2,0-3,0 7,2-8,3-8,4")
    before, move = table.state, table.parse("1,2-0,3-0,4")
    table.play(move)
    assert table.board.effects(table.game, before, move, table.state) == ["Red fences off a region and now has 2."]
    assert table.board.counters(table.game, table.state, RED) == {"regions": 2}


def test_passes_and_the_end_are_announced():
    table, choose, sentences = kibitz.Table("separo:size=5"), random.Random(1), []
    while not table.over:
        before, move = table.state, choose.choice(table.moves)
        table.play(move)
        sentences += table.board.effects(table.game, before, move, table.state)
    red, blue = (table.game.regions(table.state, player) for player in (RED, BLUE))
    assert sentences[-1] == f"Nobody can move. Regions: Red {red}, Blue {blue}."
    assert any(sentence.endswith("has no moves left.") for sentence in sentences)
