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

import kibitz
from kibitz.compiler import native, numbers, records
from kibitz.games.hexplode import rules
from kibitz.games.hexplode.evaluation import BESIDE, kind_of, lead, worth_of
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS, names, neighbours
from kibitz.rules.contract import CHANCE, OVER
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


class SlowHexplode:
    """The rules again: tiles by name, neighbours by distance, hexplosions in any order."""

    def __init__(self, side, damage=()):
        self.centres, heights = {}, [min(side + i, 3 * side - 2 - i) for i in range(2 * side - 1)]
        for i, height in enumerate(heights):
            for j in range(height):
                self.centres[f"tile_{i}_{j}"] = (1.5 * i, math.sqrt(3) * (j - height / 2))
        self.near = {
            tile: [other for other, there in self.centres.items() if 0 < math.dist(here, there) < 1.8]
            for tile, here in self.centres.items()
        }
        self.count = dict.fromkeys(self.centres, 0)
        self.owner = dict.fromkeys(self.centres)
        self.damage = dict(zip(self.centres, damage, strict=True)) if damage else dict.fromkeys(self.centres, 0)
        self.player, self.winner = 0, None

    def counters(self, player):
        return sum(self.count[tile] for tile, owner in self.owner.items() if owner == player)

    def moves(self):
        return [tile for tile, owner in self.owner.items() if owner in (None, self.player)]

    def play(self, tile, choose=lambda full: 0):
        """`choose` picks the full tile that hexplodes next."""
        self._add(tile)
        while self.winner is None:
            full = [tile for tile, count in self.count.items() if count >= len(self.near[tile])]
            if not full:
                break
            tile = full[choose(full)]
            self.count[tile] -= len(self.near[tile])
            if not self.count[tile]:
                self.owner[tile] = None
            for other in self.near[tile]:
                self._add(other)
        self.player = 1 - self.player

    def _add(self, tile):
        if self.damage[tile]:
            self.damage[tile] -= 1
        else:
            self.count[tile] += 1
            self.owner[tile] = self.player
        theirs, mine = self.counters(1 - self.player), self.counters(self.player)
        if theirs == 0 and mine > 2:
            self.winner = self.player

    def board(self):
        return [-self.count[t] if self.owner[t] == 1 else self.count[t] for t in self.centres]

    def copy(self):
        twin = object.__new__(SlowHexplode)
        vars(twin).update(vars(self), count=dict(self.count), owner=dict(self.owner), damage=dict(self.damage))
        return twin


def slow_count(game, depth):
    """The number of games of exactly `depth` moves."""
    if game.winner is not None or depth <= 1:
        return 0 if game.winner is not None and depth else len(game.moves()) if depth else 1
    total = 0
    for tile in game.moves():
        after = game.copy()
        after.play(tile)
        total += slow_count(after, depth - 1)
    return total


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
        kinds = [kind_of(capacity, sign * stack) for capacity, stack in zip(capacities, stacks, strict=False)]
        worth = sum(worth_of(capacity, sign * stack) for capacity, stack in zip(capacities, stacks, strict=False))
        for tile, near in enumerate(neighbours(game.side)):
            worth += sum(BESIDE[kinds[tile]][kinds[other]] for other in near if other > tile)
        worths.append(worth)
    return counters, worths, position


def kept(state):
    return state.counters.tolist(), [lead(state.worth, player) for player in range(2)], state.hash


# ------------------------------------------------------------------ the board


@pytest.mark.parametrize("side", SIDES)
def test_neighbours_are_the_nearest_tiles(side):
    slow = SlowHexplode(side)
    assert names(side) == list(slow.centres)
    assert len(slow.centres) == Hexplode(side=side).tiles == 3 * side * side - 3 * side + 1
    for tile, name in enumerate(slow.centres):
        capacity = CAPACITY[side, tile]
        assert sorted(names(side)[n] for n in NEIGHBOURS[side, tile, :capacity]) == sorted(slow.near[name])


@pytest.mark.parametrize("side", SIDES)
def test_there_are_six_corners_and_as_many_edges(side):
    capacities = CAPACITY[side, : Hexplode(side=side).tiles].tolist()
    assert [capacities.count(n) for n in (3, 4, 6)] == [6, 6 * (side - 2), len(capacities) - 6 * (side - 1)]


@pytest.mark.parametrize("side", SIDES)
def test_tiles_are_numbered_in_the_order_of_their_names(side):
    with kibitz.plain():
        table = kibitz.Table(Hexplode(side=side))
        assert [table.name(tile) for tile in table.moves] == list(SlowHexplode(side).centres)


@pytest.mark.parametrize("options", [{"side": 1}, {"side": 13}, {"damage": -0.1}, {"damage": 1.0}])
def test_impossible_variants_are_refused(options):
    with pytest.raises(kibitz.SpecError, match="Hexplode needs a"):
        Hexplode(**options)


# ------------------------------------------------------------------ the original server's games


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['game']}-side{game['side']}")
def test_games_of_the_original_server_are_reproduced_board_by_board(game):
    damage = [value - 100 if value > 100 else 0 for value in game["init"]]
    table = table_with(game["side"], damage)
    played = zip(game["moves"], game["move_ids"], game["boards"], game["scores"], strict=True)
    for move, name, board, score in played:
        assert table.name(move) == name
        table.play(move)
        assert as_in_reference(table.state) == board
        assert table.state.counters.tolist() == score
    assert table.over
    assert table.payoff().index(1.0) == game["winner"]


# ------------------------------------------------------------------ chains


@settings(max_examples=60)
@given(games(), st.randoms(use_true_random=False))
def test_the_order_of_hexplosions_changes_neither_the_board_nor_the_winner(table, chance):
    slow = SlowHexplode(4)
    for ply in table.history:
        slow.play(names(4)[ply.move], lambda full: chance.randrange(len(full)))
    assert (slow.winner is not None) == table.over
    if table.over:
        assert table.payoff()[slow.winner] == 1.0
    else:
        assert slow.board() == table.state.stacks.tolist()


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
    assert table.score() == [0.0, 0.0]  # all five counters were in the air


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


# ------------------------------------------------------------------ damage


def test_a_damaged_tile_takes_a_counter_and_is_repaired_by_it():
    table = table_with(2, [2, 0, 0, 0, 0, 0, 0])
    table.play(0)
    assert table.state.damaged.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert table.state.counters.tolist() == [0, 0]
    table.play(0)
    table.play(0)
    assert as_in_reference(table.state) == [1, 0, 0, 0, 0, 0, 0]


def test_a_player_who_wastes_the_first_counters_on_damage_loses():
    table = table_with(2, [5, 0, 0, 0, 0, 0, 0])
    for move in (0, 1, 0, 2, 0):
        table.play(move)
    assert not table.over
    table.play(3)
    assert table.payoff() == [0.0, 1.0]


def test_a_tile_is_damaged_with_the_given_probability():
    engine = Engine(DAMAGED)
    opening = engine.start()
    assert opening.turn == CHANCE
    assert dict(engine.outcomes(opening)) == pytest.approx({0: 0.8, **dict.fromkeys(range(1, 6), 0.04)})


def test_chance_ends_when_every_tile_is_decided():
    table = kibitz.Table(DAMAGED, seed=3)
    assert [ply.turn for ply in table.history] == [CHANCE] * 19
    assert table.turn == 0
    assert any(table.state.damaged)


@settings(max_examples=40)
@given(games(DAMAGED, longest=60))
def test_damaged_boards_are_played_as_the_slow_version_plays_them(table):
    slow = SlowHexplode(3, [ply.move for ply in table.history if ply.turn == CHANCE])
    for ply in table.history[19:]:
        slow.play(names(3)[ply.move])
    if not table.over:
        assert slow.board() == table.state.stacks.tolist()
        assert list(slow.damage.values()) == table.state.damaged.tolist()
    assert (slow.winner is not None) == table.over


# ------------------------------------------------------------------ counts and statistics


@pytest.mark.parametrize(("side", "depth", "count"), PERFT["counts"])
def test_there_are_as_many_games_as_in_the_reference(side, depth, count):
    assert perft(Hexplode(side=side), depth) == count


@pytest.mark.parametrize(("side", "depth"), [(2, 6), (3, 3), (4, 3)])
def test_the_reference_is_what_the_slow_version_counts(side, depth):
    assert [side, depth, slow_count(SlowHexplode(side), depth)] in PERFT["counts"]


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
