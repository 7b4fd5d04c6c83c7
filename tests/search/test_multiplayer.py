"""What the searches for many players share: budgets, deepening, chance, and worlds with nothing hidden."""

from dataclasses import replace
from itertools import combinations

import brute_force
import numpy as np
import pytest
from test_maxn import opening, values
from toys import DiceRace, HighCard, Middle, Nim, RandomTree

import kibitz
from kibitz.compiler import native
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.search.maxn import MaxN
from kibitz.search.multiplayer import FEW, is_searched, new_stack
from kibitz.search.paranoid import Paranoid

SEARCHES = ["maxn", "paranoid", "brs"]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("nodes", [50, 500, 2000])
def test_a_node_budget_is_spent_to_the_node(search, nodes):
    game = RandomTree(height=12)
    assert kibitz.bot(f"{search}:nodes={nodes}", game).analyse(opening(game)).work == nodes


@pytest.mark.parametrize("search", SEARCHES)
def test_without_a_budget_they_search_five_thousand_nodes(search):
    game = RandomTree(height=12)
    assert kibitz.bot(search, game).analyse(opening(game)).work == 5000


def test_one_ply_is_always_completed():
    game = RandomTree(width=4)
    report = MaxN(nodes=1).analyse(opening(game))
    assert report.depth == 1
    assert values(report) == values(MaxN(depth=1).analyse(opening(game)))


@pytest.mark.parametrize("search", SEARCHES)
def test_what_counts_is_the_last_completed_depth(search):
    game = RandomTree(height=12)
    view = opening(game)
    cut_short = kibitz.bot(f"{search}:nodes=900", game).analyse(view)
    assert 1 < cut_short.depth < 12
    assert values(kibitz.bot(f"{search}:depth={cut_short.depth}", game).analyse(view)) == values(cut_short)


def test_a_solved_position_is_not_searched_deeper():
    view = opening(Nim(6))
    assert MaxN(nodes=10**6).analyse(view).work < 1000


def test_an_evaluation_is_not_called_exact():
    game = RandomTree(height=6)
    assert not MaxN(depth=5).analyse(opening(game)).best.exact
    assert MaxN(depth=6).analyse(opening(game)).best.exact


def test_a_move_that_ends_the_game_is_exact_even_if_others_are_not():
    exact = {ranked.move: ranked.exact for ranked in MaxN(depth=1).analyse(opening(Nim(3))).moves}
    assert exact == {0: False, 1: False, 2: True}


def test_without_an_evaluation_the_horizon_counts_as_even():
    table = kibitz.Table(HighCard(), seed=1)
    assert list(values(MaxN(depth=1).analyse(table.view(0))).values()) == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize("search", SEARCHES)
def test_a_kept_bot_finds_what_a_fresh_one_finds(search):
    game = RandomTree(height=9, dice=True)
    kept, table = kibitz.bot(f"{search}:nodes=800", game), kibitz.Table(game, seed=1)
    while not table.over:
        fresh = kibitz.bot(f"{search}:nodes=800", game).analyse(table.view(table.turn))
        assert replace(kept.analyse(table.view(table.turn)), seconds=0) == replace(fresh, seconds=0)
        table.play(table.moves[-1])


# ------------------------------------------------------------------ chance


def searched(game, state):
    stack = new_stack(game, np.zeros(1, "i8"), FEW)
    return is_searched(game, native(state), stack, stack.secret)


def test_few_outcomes_that_everybody_sees_are_searched_and_others_drawn():
    for game, expected in ((DiceRace(), True), (HighCard(), False)):
        state = Engine(game).start()
        state.turn = kibitz.CHANCE
        assert searched(game, state) is expected


MANY_FACES = DiceRace(goal=60, faces=40)


def test_many_outcomes_are_drawn_so_nothing_is_exact():
    report = Paranoid(deals=5, nodes=2000).analyse(opening(MANY_FACES))
    assert not report.best.exact


def test_drawn_outcomes_come_out_as_often_as_they_should():
    """A roll from square 58 of 60 wins at once unless the die shows a one, which has a chance of two in forty-one."""
    table = kibitz.Table(MANY_FACES)
    state = table.state
    state.at[:] = 58
    table = kibitz.Table(MANY_FACES, position=state)
    rolled = values(Paranoid(deals=2000, depth=2).analyse(table.view(0)))[1]
    assert rolled == pytest.approx(1 - 2 / 41, abs=0.02)


# ------------------------------------------------------------------ worlds


def dealt():
    """A view at the start of the card game, and all deals consistent with it."""
    table = kibitz.Table(Middle(), seed=5)
    view = table.view(0)
    unseen = [card for card in range(7) if not view.state.holds[0, card]]
    deals = []
    for first in combinations(unseen, 2):
        for second in combinations([card for card in unseen if card not in first], 2):
            state = view.state.copy()
            for player, hand in ((1, first), (2, second)):
                for card in hand:
                    state.holds[player, card] = 1
            deals.append(state)
    return view, deals


@pytest.mark.slow
@pytest.mark.parametrize("search", ["maxn", "paranoid"])
def test_deals_are_searched_one_by_one_and_averaged(search):
    view, deals = dealt()
    assert len(deals) == 30
    solver = getattr(brute_force, search)
    found = [brute_force.worths(solver, view.game, state, 3) for state in deals]
    wanted = {move: sum(worths[move] for worths in found) / 30 for move in view.moves}
    report = kibitz.bot(f"{search}:depth=3,deals=3000", view.game).analyse(view)
    assert values(report) == pytest.approx(wanted, abs=0.03)
    assert not report.best.exact


@pytest.mark.parametrize("search", ["maxn", "paranoid"])
def test_in_the_possible_world_opponents_may_make_every_move_they_could_have(search):
    view, _ = dealt()
    state = view.state.copy()
    Engine(view.game).possible(state, 0)
    wanted = brute_force.worths(getattr(brute_force, search), view.game, state, 3)
    assert values(kibitz.bot(f"{search}:depth=3,worlds=possible", view.game).analyse(view)) == pytest.approx(wanted)


def test_the_budget_is_shared_by_the_deals():
    view, _ = dealt()
    report = MaxN(nodes=100, deals=10).analyse(view)
    assert report.work == 100
    assert report.depth < 3


def test_deals_that_were_not_reached_do_not_count():
    view, _ = dealt()
    one, many = MaxN(depth=1, deals=1), MaxN(nodes=len(view.moves), deals=10**4)
    assert many.analyse(view).work == one.analyse(view).work == len(view.moves)


def test_worlds_are_ignored_where_nothing_is_hidden():
    game = RandomTree(height=5)
    wanted = values(kibitz.bot("maxn:depth=5", game).analyse(opening(game)))
    assert values(kibitz.bot("maxn:depth=5,worlds=possible,deals=3", game).analyse(opening(game))) == wanted


def test_rules_that_do_not_define_possible_are_rejected():
    with pytest.raises(kibitz.SpecError, match=r"possible\(s, player\); leave out worlds=possible"):
        kibitz.bot("maxn:worlds=possible", HighCard())


def test_plain_and_compiled_searches_of_deals_agree():
    def found():
        view = kibitz.Table(Middle(), seed=5).view(0)
        return replace(MaxN(nodes=150, deals=4).analyse(view), seconds=0)

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_the_same_stream_gives_the_same_deals():
    view, _ = dealt()
    first, second = (replace(view, rng=Stream(1)) for _ in range(2))
    assert values(MaxN(deals=3).analyse(first)) == values(MaxN(deals=3).analyse(second))


@pytest.mark.parametrize("options", [{"nodes": -1}, {"ms": -1}, {"depth": -1}, {"deals": 0}, {"worlds": "all"}])
def test_impossible_options_are_rejected(options):
    with pytest.raises(kibitz.SpecError, match=f"^maxn: {next(iter(options))} must be "):
        MaxN(**options)
