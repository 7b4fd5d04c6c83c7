"""Hexplode's own bots: the classic minimax move for move, and easier opponents that keep to their one idea."""

import json
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz.compiler import native, numbers, records
from kibitz.games.hexplode.bots import WON, minimax
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import names
from kibitz.players.roster import resolve_all
from kibitz.rules.engine import Engine

LINES = (Path(__file__).parent.parent / "reference" / "hexplode_minimax.jsonl").read_text().splitlines()
POSITIONS = [json.loads(line) for line in LINES]
THREE = Hexplode(side=3)


def position(board, player):
    """A table with this board: counters of player 1 are negative. What only searches use is left out."""
    state = Engine(THREE).start()
    for tile, stack in enumerate(board):
        state.stacks[tile] = stack
        state.counters[0] += max(stack, 0)
        state.counters[1] += max(-stack, 0)
    state.turn = player
    return kibitz.Table(THREE, position=state)


def choice(spec, table):
    return kibitz.bot(spec, table.game).choose(table.view(table.turn))


def board_with(**stacks):
    board = [0] * 19
    for name, stack in stacks.items():
        board[names(3).index(name)] = stack
    return board


# ------------------------------------------------------------------ minimax3


@pytest.mark.parametrize("known", POSITIONS, ids=lambda known: f"ply{known['plies_played']}")
def test_minimax3_plays_the_move_of_the_reference(known):
    assert choice("minimax3", position(known["board"], known["player_id"])) == known["move_depth3_index"]


@pytest.mark.parametrize("known", [p for p in POSITIONS if p["root_values_depth3"]], ids=lambda p: f"{p['n']}")
def test_minimax3_gives_every_move_the_value_of_the_reference(known):
    table = position(known["board"], known["player_id"])
    states, lists = records(4, THREE.dtype), numbers((2, THREE.max_moves), "i8")
    states[0] = native(table.state)
    values = {str(move): minimax(THREE, states, lists, move, table.turn, -WON) for move in table.moves}
    assert values == known["root_values_depth3"]


def test_minimax3_opens_with_the_third_empty_corner():
    table = kibitz.Table(THREE)
    assert table.name(choice("minimax3", table)) == "tile_2_0"
    table.play(table.parse("tile_0_2"))
    assert table.name(choice("minimax3", table)) == "tile_2_4"


def test_minimax3_finds_its_opening_on_a_damaged_board():
    table = kibitz.Table(Hexplode(side=2, damage=0.2), deal=False)
    for units in (1, 1, 1, 0, 1, 1, 0):
        table.play(units)
    assert table.name(choice("minimax3", table)) == "tile_2_1"


@pytest.mark.parametrize("name", ["minimax3", "sentry", "hugger"])
def test_plain_mode_plays_the_same(name):
    tables = [position(known["board"], known["player_id"]) for known in POSITIONS[::3]]
    compiled = [choice(name, table) for table in tables]
    with kibitz.plain():
        tables = [position(known["board"], known["player_id"]) for known in POSITIONS[::3]]
        assert [choice(name, table) for table in tables] == compiled


# ------------------------------------------------------------------ easier opponents


def test_hugger_fills_corners_then_edges():
    table = kibitz.Table(THREE)
    assert table.name(choice("hugger", table)) == "tile_0_0"
    corners = dict.fromkeys(("tile_0_0", "tile_0_2", "tile_2_0", "tile_2_4", "tile_4_0", "tile_4_2"), -1)
    table = position(board_with(**corners, tile_3_3=1), 0)
    assert table.name(choice("hugger", table)) == "tile_3_3"


def test_sentry_strikes_before_it_is_struck():
    table = position(board_with(tile_0_0=2, tile_0_1=-3, tile_2_2=-1), 0)
    assert table.name(choice("sentry", table)) == "tile_0_0"


def test_sentry_builds_up_where_nothing_threatens():
    table = position(board_with(tile_0_0=-2, tile_2_2=1), 0)
    assert table.name(choice("sentry", table)) == "tile_0_2"


def test_all_of_them_play_whole_games_in_compiled_code():
    specs = ["minimax3", "sentry", "hugger", "random"]
    assert all(entrant.is_compiled for entrant in resolve_all(specs, THREE))
    result = kibitz.arena(THREE, specs, games=40, opening=4, workers=1, seed=0)
    assert not any(standing.faults for standing in result.ranking)


def test_every_idea_beats_none():
    result = kibitz.arena(THREE, ["random", "minimax3", "sentry", "hugger"], games=200, opening=4, workers=1, seed=0)
    shares = [result.pair(0, other).share for other in range(1, 4)]
    assert np.all(np.array(shares) < 0.5)
