"""Hexplode on damaged boards: ply by ply as the slow version plays it, in any mode, on the page, and how it ends."""

import itertools
import os
import random

import pytest
from slow_hexplode import SlowHexplode, layers

import kibitz
from kibitz.display.board import board_of
from kibitz.games.hexplode.chain import waves
from kibitz.games.hexplode.evaluation import EMPTY_BOARD, KIND, OUTSIDE, TALLEST
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY
from kibitz.rules.contract import CHANCE, NOBODY, OVER, game
from kibitz.rules.engine import Engine
from kibitz.solve import solve

SOAK = bool(os.environ.get("KIBITZ_SOAK"))  # set by `make soak`
GAMES = {2: 300, 3: 100, 4: 40} if not SOAK else {2: 2000, 3: 2000, 4: 2000}
DAMAGED = Hexplode(side=3, damage=0.2)

# Games by side, damage and moves. In the first, damage swallows all that the mover has; in the second, the mover
# captures everything, but damage leaves only two counters; in the third, it depends on the order whether it does.
SWALLOWED = 3, [0] * 12 + [2, 4, 0, 0, 0, 5, 0], [15, 16, 7, 13, 11, 16, 0, 16]
TWO_LEFT = 2, [0, 4, 0, 5, 0, 0, 0], [6, 1, 1, 3, 6, 4, 1, 4, 6]
ORDER_DECIDES = 2, [0, 0, 0, 3, 3, 2, 4], [2, 5, 2, 0, 1, 0, 1, 4, 1]


@game
class SameDamage(Hexplode):
    """Hexplode with the same damage in every game, and so without chance."""

    damage: float = 0.2
    max_outcomes = 0

    def start(self, s):
        s.winner = -1
        s.kinds[self.tiles] = OUTSIDE
        s.worth = EMPTY_BOARD[self.side]
        for tile in range(self.tiles):
            s.kinds[tile] = KIND[CAPACITY[self.side, tile], TALLEST]
            self.lay_damage(s, 2 if tile == 3 else 0)


def table_after(side, damage, moves=()):
    """A table whose tiles are damaged as given, after some moves, none of which but the last may end the game."""
    table = kibitz.Table(Hexplode(side=side, damage=0.2), deal=False)
    for move in (*damage, *moves):
        assert not table.over
        table.play(move)
    return table


def random_damage(side, chance):
    """The damage of a random board, from hardly any to almost everywhere."""
    share = chance.choice([0.1, 0.2, 0.4, 0.7])
    return [chance.randint(1, 5) if chance.random() < share else 0 for _ in range(3 * side * (side - 1) + 1)]


# ------------------------------------------------------------------ a counter on a damaged tile


def test_a_damaged_tile_takes_a_counter_and_is_repaired_by_it():
    table = table_after(2, [2, 0, 0, 0, 0, 0, 0], [0])
    assert table.state.damaged.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert table.state.counters.tolist() == [0, 0]
    table.play(0)
    table.play(0)
    assert table.state.damaged.tolist() == [0] * 7
    assert table.state.stacks.tolist() == [1, 0, 0, 0, 0, 0, 0]


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


# ------------------------------------------------------------------ the end


def test_a_player_who_wastes_the_first_counters_on_damage_loses():
    table = table_after(2, [5, 0, 0, 0, 0, 0, 0], (0, 1, 0, 2, 0))
    assert not table.over
    table.play(3)
    assert table.payoff() == [0.0, 1.0]


def test_a_mover_whose_last_counters_are_swallowed_loses():
    table = table_after(*SWALLOWED)
    assert table.history[-1].turn == 1
    assert table.payoff() == [1.0, 0.0]
    assert table.score() == [4.0, 0.0]


def test_counters_that_damage_swallows_do_not_win():
    table = table_after(*TWO_LEFT)
    assert not table.over
    assert table.turn == 1
    assert table.score() == [2.0, 0.0]


def test_counters_land_depth_first_which_can_decide_the_game():
    side, damage, moves = ORDER_DECIDES
    assert table_after(*ORDER_DECIDES).payoff() == [1.0, 0.0]
    slow = SlowHexplode(side, damage)
    for move in moves:
        slow.play(move, lambda air: len(air) - 1)
    assert slow.winner is None


@pytest.mark.parametrize("played", [SWALLOWED, TWO_LEFT, ORDER_DECIDES])
def test_plain_mode_ends_games_in_the_same_way(played):
    compiled = table_after(*played)
    with kibitz.plain():
        plain = table_after(*played)
    assert plain.state == compiled.state


# ------------------------------------------------------------------ whole games


@pytest.mark.parametrize("side", GAMES)
def test_games_go_as_in_the_slow_version_ply_by_ply(side):
    chance = random.Random(side)
    for _ in range(GAMES[side]):
        damage = random_damage(side, chance)
        table, slow = table_after(side, damage), SlowHexplode(side, damage)
        while not table.over:
            assert table.moves == slow.moves()
            move = chance.choice(table.moves)
            table.play(move)
            slow.play(move)
            state = table.state
            assert state.stacks.tolist() == slow.stacks()
            assert state.damaged.tolist() == slow.damage()
            assert state.counters.tolist() == [slow.count(player) for player in range(2)]
            assert state.turn == (OVER if slow.winner is not None else slow.player)
        assert table.payoff()[slow.winner] == 1.0


# ------------------------------------------------------------------ the page


@pytest.mark.parametrize("side", [2, 3])
def test_the_last_wave_leaves_the_board_that_the_rules_make(side):
    chance = random.Random(side)
    for _ in range(60):
        table = table_after(side, random_damage(side, chance))
        while not table.over:
            before, move = table.state, chance.choice(table.moves)
            table.play(move)
            *_, last = waves(table.game, before, move)
            after = table.state
            if after.winner == before.turn:
                assert all(stack == 0 or (stack < 0) == after.winner for stack in last.state.stacks)
            else:
                assert last.state.stacks.tolist() == after.stacks.tolist()
                assert last.state.damaged.tolist() == after.damaged.tolist()


@pytest.mark.parametrize("played", [SWALLOWED, TWO_LEFT])
def test_the_last_step_looks_like_the_position_after_the_move(played):
    side, damage, (*moves, last) = played
    table = table_after(side, damage, moves)
    *_, scene = board_of(table.game).steps(table.game, table.state, last, NOBODY)
    table.play(last)
    after = board_of(table.game).scene(table.game, table.state, NOBODY, last)
    assert [(p.name, p.x, p.y, p.label) for p in scene.pieces] == [(p.name, p.x, p.y, p.label) for p in after.pieces]


def test_a_hexplosion_is_drawn_even_if_damage_swallows_all_of_it():
    table = table_after(2, [0, 5, 5, 5, 0, 0, 0], [0, 6, 0, 6])
    _, scene = board_of(table.game).steps(table.game, table.state, 0, NOBODY)
    tiles = {piece.name: piece.shapes for piece in scene.pieces}
    assert len(tiles["tile_0_0"]) > len(tiles["tile_2_0"])  # the star


def test_a_mover_who_loses_the_last_counters_is_named():
    side, damage, (*moves, last) = SWALLOWED
    before, after = table_after(side, damage, moves), table_after(*SWALLOWED)
    sentences = after.board.effects(after.game, before.state, last, after.state)
    assert sentences == ["A tile hexplodes.", "Blue has no counters left."]


# ------------------------------------------------------------------ positions


def test_the_solver_finds_as_many_positions_as_the_slow_version():
    found = solve(SameDamage(side=2)).layers[1:]
    counted = layers(2, [[0, 0, 0, 2, 0, 0, 0]])
    assert found == tuple(counted) if SOAK else found[:7] == tuple(itertools.islice(counted, 7))
