"""Hexplode's rules against games of the original server, and against a slow, independent version."""

import gzip
import itertools
import json
import math
import random
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from slow_hexplode import SlowHexplode, count_games, places

import kibitz
from kibitz.compiler import native, numbers, records
from kibitz.games.hexplode import rules
from kibitz.games.hexplode.evaluation import KINDS, WEIGHTS, lead
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS, neighbours
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.perft import perft
from kibitz.rules.rng import Stream
from kibitz.search.playout import playouts
from kibitz.testing import check_game

REFERENCE = Path(__file__).parent.parent / "reference"
GAMES = list(map(json.loads, gzip.decompress((REFERENCE / "hexplode.jsonl.gz").read_bytes()).splitlines()))
PERFT = json.loads((REFERENCE / "hexplode_perft.json").read_text())
SIDES = range(2, 13)
FOUR = Hexplode()
DAMAGED = Hexplode(side=3, damage=0.2)
with np.load(WEIGHTS) as _weights:
    ALONE, BESIDE = _weights["alone"].tolist(), _weights["beside"].tolist()


def table_with(side, damage=()):
    """A table whose tiles are damaged as given."""
    if not any(damage):
        return kibitz.Table(Hexplode(side=side))
    table = kibitz.Table(Hexplode(side=side, damage=0.2), deal=False)
    for units in damage:
        table.play(units)
    return table


def as_in_reference(state):
    """The board as the reference writes it: 100 + k for k units of damage."""
    cells = itertools.zip_longest(state.stacks, state.damaged, fillvalue=0)
    return [100 + damage if damage else stack for stack, damage in cells]


@st.composite
def games(draw, rules=FOUR, longest=150):
    """A table some random moves into a game."""
    table = kibitz.Table(rules, seed=draw(st.integers(0, 10**6)))
    choices = random.Random(draw(st.integers(0, 10**6)))
    for _ in range(draw(st.integers(0, longest))):
        if table.over:
            break
        table.play(choices.choice(table.moves))
    return table


def recounted(game, state):
    """What the record keeps up to date, recomputed from the tiles: counters, value to each player, hash."""
    stacks, damaged = state.stacks.tolist(), state.damaged.tolist()
    counters = [sum(max(sign * stack, 0) for stack in stacks) for sign in (1, -1)]
    position = sum(stack * int(rules.HASH[tile]) for tile, stack in enumerate(stacks))
    position += sum(units * int(rules.DAMAGE_HASH[tile]) for tile, units in enumerate(damaged) if game.damage)
    capacities = CAPACITY[game.side].tolist()
    worths = []
    for sign in (1, -1):  # player 1 sees the same board with the signs changed
        kinds = [KINDS.index((capacity, sign * stack)) for capacity, stack in zip(capacities, stacks, strict=False)]
        worth = sum(ALONE[kind] for kind in kinds)
        for tile, near in enumerate(neighbours(game.side)):
            worth += sum(BESIDE[kinds[tile]][kinds[other]] for other in near if other > tile)
        worths.append(worth)
    return counters, worths, position


def kept(state):
    return state.counters.tolist(), [lead(state.worth, player) for player in range(2)], state.hash


# ------------------------------------------------------------------ the board


@pytest.mark.parametrize("side", SIDES)
def test_neighbours_are_the_nearest_tiles(side):
    centres = [(1.5 * i, math.sqrt(3) * (j + abs(i - (side - 1)) / 2)) for i, j in places(side)]
    assert len(centres) == Hexplode(side=side).tiles == 3 * side * side - 3 * side + 1
    for tile, here in enumerate(centres):
        near = [other for other, there in enumerate(centres) if 0 < math.dist(here, there) < 1.8]
        assert sorted(NEIGHBOURS[side, tile, : CAPACITY[side, tile]]) == near


@pytest.mark.parametrize("side", SIDES)
def test_neighbours_come_in_the_order_of_the_slow_version(side):
    assert neighbours(side) == SlowHexplode(side).near


@pytest.mark.parametrize("side", SIDES)
def test_there_are_six_corners_and_as_many_edges(side):
    capacities = CAPACITY[side, : Hexplode(side=side).tiles].tolist()
    assert [capacities.count(n) for n in (3, 4, 6)] == [6, 6 * (side - 2), len(capacities) - 6 * (side - 1)]


@pytest.mark.parametrize("side", SIDES)
def test_tiles_are_numbered_in_the_order_of_their_names(side):
    with kibitz.plain():
        table = kibitz.Table(Hexplode(side=side))
        assert [table.name(tile) for tile in table.moves] == [f"tile_{i}_{j}" for i, j in places(side)]


@pytest.mark.parametrize("options", [{"side": 1}, {"side": 13}, {"damage": -0.1}, {"damage": 1.0}])
def test_impossible_variants_are_refused(options):
    with pytest.raises(kibitz.SpecError, match="Hexplode needs a"):
        Hexplode(**options)


# ------------------------------------------------------------------ the original server's games


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['game']}-side{game['side']}")
def test_games_of_the_original_server_are_reproduced_board_by_board(game):
    damage = [value - 100 if value > 100 else 0 for value in game["init"]]
    table, slow = table_with(game["side"], damage), SlowHexplode(game["side"], damage)
    played = zip(game["moves"], game["move_ids"], game["boards"], game["scores"], strict=True)
    for move, name, board, score in played:
        assert table.name(move) == name
        table.play(move)
        slow.play(move)
        assert as_in_reference(table.state) == board
        assert slow.stacks() == table.state.stacks.tolist()
        assert table.state.counters.tolist() == score
    assert table.over
    assert table.payoff().index(1.0) == game["winner"]


# ------------------------------------------------------------------ chains


@settings(max_examples=60)
@given(games(), st.randoms(use_true_random=False))
def test_the_order_of_hexplosions_changes_neither_the_board_nor_the_winner(table, chance):
    slow = SlowHexplode(4)
    for ply in table.history:
        slow.play(ply.move, lambda air: chance.randrange(len(air)))
    assert (slow.winner is not None) == table.over
    if table.over:
        assert table.payoff()[slow.winner] == 1.0
    else:
        assert slow.stacks() == table.state.stacks.tolist()


def test_a_full_corner_hexplodes_over_its_neighbours():
    table = kibitz.Table(Hexplode(side=2))
    for name in ("tile_0_0", "tile_1_1", "tile_0_0", "tile_2_0", "tile_0_0"):
        table.play(table.parse(name))
    assert table.state.stacks.tolist() == [0, 1, 1, 2, 0, -1, 0]
    assert table.state.counters.tolist() == [4, 1]


def test_the_chain_stops_when_the_opponent_has_nothing():
    table = kibitz.Table(Hexplode(side=2))
    for name in ("tile_0_0", "tile_0_1", "tile_0_0", "tile_0_1", "tile_0_0"):
        table.play(table.parse(name))
    assert table.over
    assert table.payoff() == [1.0, 0.0]
    assert table.state.stacks.tolist() == [1, 0, 0, 1, 1, 0, 0]  # two counters were still in the air


def test_nobody_has_lost_before_both_have_moved():
    table = kibitz.Table(FOUR)
    table.play(0)
    assert not table.over


# ------------------------------------------------------------------ what always holds


@settings(max_examples=60)
@given(games())
def test_every_ply_adds_a_counter(table):
    state = table.state
    if not table.over:
        assert state.turn == len(table.history) % 2
        assert sum(state.counters.tolist()) == len(table.history)


@settings(max_examples=60)
@given(games())
def test_no_tile_is_full_between_moves(table):
    for tile, stack in enumerate(table.state.stacks):
        assert abs(stack) < CAPACITY[4, tile]


@settings(max_examples=60)
@given(games())
def test_empty_tiles_and_own_ones_may_be_played(table):
    sign = 1 if table.turn == 0 else -1
    open_tiles = [tile for tile, stack in enumerate(table.state.stacks) if sign * stack >= 0]
    assert table.moves == ([] if table.over else open_tiles)


@settings(max_examples=60)
@given(games())
def test_counters_worth_and_hash_are_kept_up_to_date(table):
    state = table.state
    assert kept(state) == recounted(FOUR, state)


@settings(max_examples=60)
@given(games(DAMAGED, longest=60))
def test_damage_is_part_of_the_hash(table):
    state = table.state
    assert kept(state) == recounted(DAMAGED, state)


@settings(max_examples=60)
@given(games())
def test_the_evaluation_is_a_share_of_the_win_and_follows_the_worth(table):
    shares = Engine(FOUR).evaluate(table.state)
    assert sum(shares) == 1.0
    assert 0.0 < shares[0] < 1.0
    if not table.over:
        assert (shares[table.turn] > 0.5) == (lead(table.state.worth, table.turn) > 0)


@pytest.mark.parametrize("game", [Hexplode(side=2), Hexplode(side=3), DAMAGED], ids=str)
def test_the_contract_holds_plain_and_compiled(game):
    checked = check_game(game, games=40)
    assert checked.compared > 0


# ------------------------------------------------------------------ counts and statistics


@pytest.mark.parametrize(("side", "depth", "count"), PERFT["counts"])
def test_there_are_as_many_games_as_in_the_reference(side, depth, count):
    assert perft(Hexplode(side=side), depth) == count


@pytest.mark.parametrize(("side", "depth"), [(2, 6), (3, 3), (4, 3)])
def test_the_reference_is_what_the_slow_version_counts(side, depth):
    assert [side, depth, count_games(SlowHexplode(side), depth)] in PERFT["counts"]


@pytest.mark.parametrize(
    ("side", "games", "plies", "first_wins"), [(2, 40_000, 13.4, 0.516), (3, 8000, 48.2, None), (4, 4000, 102.6, 0.5)]
)
def test_random_games_match_the_known_length_and_balance(side, games, plies, first_wins):
    game = Hexplode(side=side)
    states, totals = records(2, game.dtype), numbers(2, "f8")
    states[0] = native(Engine(game).start())
    moves, payoff, rng = numbers(game.max_moves, "i8"), numbers(2, "f8"), Stream("statistics").words
    length = playouts(game, states, games, moves, numbers(1, "f8"), rng, payoff, totals) / games
    assert length == pytest.approx(plies, abs=0.2)
    if first_wins is not None:
        assert totals[0] / games == pytest.approx(first_wins, abs=4 * math.sqrt(0.25 / games))


def test_no_game_is_longer_than_the_longest():
    """With every tile one counter short of its capacity, any move sets off an endless chain."""
    for side in SIDES:
        fits = int(np.sum(CAPACITY[side] - 1, where=CAPACITY[side] > 0))
        assert Hexplode(side=side).max_plies == fits + 1 == 3 * (5 * side - 4) * (side - 1)


def test_a_board_on_which_every_tile_is_nearly_full_ends_with_any_move():
    with kibitz.plain():
        game = Hexplode(side=3)
        engine = Engine(game)
        state = engine.start()
        for tile in range(game.tiles):
            stack = int(CAPACITY[3, tile]) - 1
            state.stacks[tile] = stack if tile % 2 else -stack
        counters, _, _ = recounted(game, state)
        state.counters[0], state.counters[1] = counters
        engine.play(state, 1)
        assert state.turn == OVER
        assert engine.payoff(state) == [1.0, 0.0]
