"""Best-reply search against brute force, and the games it cannot play."""

from dataclasses import replace

import brute_force
import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from test_maxn import opening, trees, values
from toys import HighCard, Nim, RandomTree

import kibitz
from kibitz.search.brs import BRS


@pytest.mark.slow
@settings(max_examples=60)
@given(trees(), st.integers(1, 5))
def test_every_move_is_worth_what_brute_force_finds(game, depth):
    view = opening(game)
    wanted = brute_force.worths(brute_force.brs, game, view.state, depth)
    assert values(BRS(depth=depth).analyse(view)) == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=60)
@given(trees(), st.integers(2, 5))
def test_pruning_changes_neither_the_best_move_nor_its_value(game, depth):
    view = opening(game)
    ranking, best = BRS(depth=depth).analyse(view), BRS(depth=depth).best(view)
    assert best.value == pytest.approx(ranking.value, abs=1e-12)
    assert values(ranking)[best.best.move] == pytest.approx(ranking.value, abs=1e-12)


def test_only_one_opponent_replies():
    """In three plies the root player moves twice, where paranoid search sees two opponents move."""
    shares = {"brs": 0.0, "paranoid": 0.0}
    for seed in range(20):
        game = RandomTree(players=4, height=6, seed=seed)
        for search in shares:
            shares[search] += kibitz.bot(f"{search}:depth=3", game).analyse(opening(game)).value
    assert shares["brs"] > 1.5 * shares["paranoid"]


def test_with_two_players_it_is_alpha_beta_and_needs_no_reply_method():
    report = kibitz.bot("brs", Nim(7)).analyse(opening(Nim(7)))
    assert (report.best.move, report.value, report.best.exact) == (2, 1.0, True)


def test_with_more_players_the_rules_must_define_passing():
    with pytest.raises(kibitz.SpecError, match=r"brs cannot play .*reply\(s, player\).*use paranoid"):
        kibitz.bot("brs", HighCard())


def test_plain_mode_gives_the_same_report():
    view = opening(RandomTree(players=4, height=6, dice=True, seed=2))
    compiled = BRS(nodes=400).analyse(view)
    with kibitz.plain():
        assert replace(BRS(nodes=400).analyse(view), seconds=0) == replace(compiled, seconds=0)
