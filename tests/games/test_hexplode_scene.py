"""Hexplode as a scene, and its chain reactions wave by wave."""

import random

import pytest

import kibitz
from kibitz.games.hexplode.chain import waves
from kibitz.games.hexplode.lessons import board
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.scene import directions
from kibitz.games.hexplode.tiles import names, neighbours
from kibitz.rules.contract import CHANCE, NOBODY, OVER

GAME = Hexplode(side=3)


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def tile(name):
    return names(GAME.side).index(name)


def table_at(game=GAME, **stacks):
    return kibitz.Table(game, deal=False, position=board(game, **stacks))


def pieces_of(table, last=None):
    return {piece.name: piece for piece in table.board.scene(table.game, table.state, NOBODY, last).pieces}


def random_plies(game, seed):
    """The positions of a random game, each with the move that is played next, and the position after it."""
    table, choose = kibitz.Table(game, seed), random.Random(seed)
    while not table.over:
        before, move = table.state, choose.choice(table.moves)
        table.play(move)
        yield before, move, table.state


@pytest.mark.parametrize("game", [Hexplode(side=2), GAME, Hexplode(side=3, damage=0.3)])
def test_the_last_wave_leaves_the_board_that_the_rules_make(game):
    bursts = 0
    for seed in range(4):
        for before, move, after in random_plies(game, seed):
            *_, last = waves(game, before, move)
            bursts += len(last.bursts)
            if after.turn != OVER:
                assert last.state.stacks.tolist() == after.stacks.tolist()
                assert last.state.damaged.tolist() == after.damaged.tolist()
            else:
                sign = 1 - 2 * after.winner
                assert all(sign * stack >= 0 for stack in last.state.stacks)
    assert bursts > 0


def test_the_last_step_looks_like_the_position_after_the_move():
    shown = 0
    for before, move, after in random_plies(GAME, 5):
        scenes = list(kibitz.display.board.board_of(GAME).steps(GAME, before, move, NOBODY))
        if scenes and after.turn != OVER:
            places = [
                {(p.name, p.x, p.y, p.label) for p in scene.pieces} for scene in (scenes[-1], _scene(after, move))
            ]
            assert places[0] == places[1]
            shown += 1
    assert shown > 5


def _scene(state, last):
    return kibitz.display.board.board_of(GAME).scene(GAME, state, NOBODY, last)


def test_a_move_that_bursts_nothing_has_no_steps():
    table = table_at(tile_0_0=1)
    assert list(table.board.steps(GAME, table.state, tile("tile_0_0"), NOBODY)) == []


def test_damage_that_is_laid_has_no_steps():
    table = kibitz.Table(Hexplode(side=2, damage=0.5), deal=False)
    assert table.turn == CHANCE
    assert list(table.board.steps(table.game, table.state, 3, NOBODY)) == []


def test_counters_fly_from_the_tile_that_bursts_to_its_neighbours():
    table = table_at(tile_0_0=2, tile_1_0=-1, tile_4_2=-1)
    first, last = table.board.steps(GAME, table.state, tile("tile_0_0"), NOBODY)
    assert sum(piece.name.startswith("counter") for piece in first.pieces) == 5
    origin = next((piece.x, piece.y) for piece in last.pieces if piece.name == "tile_0_0")
    flown = {piece.name for piece in last.pieces if piece.appears == origin}
    assert flown == {f"counter-{tile('tile_0_1')}-0", f"counter-{tile('tile_1_0')}-1", f"counter-{tile('tile_1_1')}-0"}


@pytest.mark.parametrize("side", [2, 4, 7])
def test_a_tile_has_a_socket_towards_each_neighbour(side):
    for number, near in enumerate(neighbours(side)):
        assert len(set(directions(side, number))) == len(near)
        assert all(round(degrees + 90) % 60 == 0 for degrees in directions(side, number))


def test_tiles_say_what_is_on_them():
    pieces = pieces_of(table_at(tile_0_0=1, tile_1_1=-5))
    assert pieces["tile_0_0"].label == "a3, 1 red, room for 2"
    assert pieces["tile_1_1"].label == "b3, 5 blue, critical"
    assert pieces["tile_2_2"].label == "c3, empty, room for 6"


def test_damage_is_shown():
    game = Hexplode(side=3, damage=0.2)
    table = table_at(game, tile_0_0=1)
    state = table.state
    state.damaged[tile("tile_1_1")] = 3
    label = next(p.label for p in table.board.scene(game, state, NOBODY).pieces if p.name == "tile_1_1")
    assert label == "b3, damaged, absorbs 3 more"


def test_the_last_tile_is_marked():
    pieces = pieces_of(table_at(tile_0_0=1), tile("tile_0_0"))
    assert [name for name, piece in pieces.items() if piece.marked] == ["tile_0_0"]


def test_bursts_captures_and_the_end_are_announced():
    def effects_of(move, **stacks):
        table = table_at(**stacks)
        before = table.state
        table.play(tile(move))
        return table.board.effects(GAME, before, tile(move), table.state)

    assert effects_of("tile_0_0", tile_0_0=1, tile_1_0=-1) == []
    assert effects_of("tile_0_0", tile_0_0=2, tile_1_0=-1, tile_4_2=-1) == [
        "A tile hexplodes.",
        "Red captures 1 of Blue's counters.",
    ]
    assert effects_of("tile_0_0", tile_0_0=2, tile_1_0=-3) == [
        "A tile hexplodes.",
        "Red captures 3 of Blue's counters.",
        "Blue has no counters left.",
    ]


def test_counters_are_counted():
    table = table_at(tile_0_0=2, tile_1_0=-1)
    assert [table.board.counters(GAME, table.state, player) for player in range(2)] == [
        {"counters": 2},
        {"counters": 1},
    ]
