"""Paranoid search against brute force, and as alpha-beta for two players."""

from dataclasses import replace

import brute_force
import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from test_maxn import opening, trees, values
from toys import DiceRace, RandomTree

import kibitz
from kibitz.search.expectimax import Expectimax
from kibitz.search.paranoid import Paranoid


@settings(max_examples=60)
@given(trees(), st.integers(1, 6))
def test_every_move_is_worth_what_brute_force_finds(game, depth):
    view = opening(game)
    wanted = brute_force.worths(brute_force.paranoid, game, view.state, depth)
    assert values(Paranoid(depth=depth).analyse(view)) == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=60)
@given(trees(), st.integers(2, 6))
def test_pruning_changes_neither_the_best_move_nor_its_value(game, depth):
    view = opening(game)
    ranking, best = Paranoid(depth=depth).analyse(view), Paranoid(depth=depth).best(view)
    assert best.value == pytest.approx(ranking.value, abs=1e-12)
    assert values(ranking)[best.best.move] == pytest.approx(ranking.value, abs=1e-12)


def test_most_nodes_are_pruned():
    view = opening(RandomTree(players=4, width=3, height=8, seed=1))
    everything = kibitz.bot("maxn:depth=8", view.game).analyse(view).work
    assert Paranoid(depth=8).best(view).work < everything / 3


def test_with_two_players_and_dice_it_is_expectimax():
    view = opening(DiceRace(goal=6, faces=3))
    wanted = values(Expectimax(depth=4).analyse(view))
    assert values(Paranoid(depth=4).analyse(view)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.slow
def test_with_two_players_and_no_chance_it_is_alpha_beta():
    table = kibitz.Table("connect_four:columns=4,rows=4")
    for move in (1, 1, 2):
        table.play(move)
    wanted = values(kibitz.bot("alphabeta:depth=16", table.game).analyse(table.view(1)))
    assert values(Paranoid(depth=16).analyse(table.view(1))) == wanted


def test_plain_mode_gives_the_same_report():
    view = opening(RandomTree(players=4, height=6, dice=True, seed=2))
    compiled = Paranoid(nodes=400).best(view)
    with kibitz.plain():
        assert replace(Paranoid(nodes=400).best(view), seconds=0) == replace(compiled, seconds=0)
