"""Camel Up's strongest player, and the table of odds that its playouts use."""

import random

import pytest

import kibitz
from kibitz.compiler import native
from kibitz.games.camelup.best import after_losing
from kibitz.games.camelup.leg_odds import foresee, new_odds
from kibitz.games.camelup.quick import look_up, new_lookup
from kibitz.games.camelup.rules import ROLL, CamelUp

GAME = CamelUp(rules="camelai")
CAMELS = GAME.camels


def rolled_on(seed):
    """A table after some rolls and bets, without desert tiles; the race goes on."""
    choice = random.Random(seed)
    table = kibitz.Table(GAME, seed=seed)
    for _ in range(choice.randrange(24)):
        bets = [move for move in table.moves if move >= GAME.first_leg_bet]
        before = table.state
        table.play(choice.choice(bets) if bets and choice.random() < 0.4 else ROLL)
        if table.over:
            return kibitz.Table(GAME, deal=False, position=before)
    return table


@pytest.fixture(scope="module")
def tables():
    found = [rolled_on(seed) for seed in range(30)]
    return [table for table in found if table.turn >= 0]


def test_looked_up_odds_are_those_of_enumeration(tables):
    odds, lookup = new_odds(GAME, race=True), new_lookup(GAME)
    for table in tables:
        foresee(GAME, native(table.state), odds)
        values = look_up(GAME, native(table.state), lookup)
        for camel in range(CAMELS):
            rank = lookup.rank[camel]
            assert values[rank] == pytest.approx(odds.wins[camel], abs=1e-6)
            assert values[CAMELS + rank] == pytest.approx(odds.loses[camel], abs=1e-6)
            assert values[2 * CAMELS + 2 + rank] == pytest.approx(odds.first[camel], abs=1e-6)
            assert values[3 * CAMELS + 2 + rank] == pytest.approx(odds.second[camel], abs=1e-6)


def test_without_tiles_the_quick_player_plays_as_the_exact_one(tables):
    quick, exact = kibitz.bot("quick", GAME), kibitz.bot("ev-race", GAME)
    for table in tables:
        view = table.view(table.turn)
        assert quick.choose(view) == exact.choose(view)


@pytest.mark.slow
def test_best_tries_the_moves_that_pay_most(tables):
    for table in tables[:5]:
        report = kibitz.bot("best:sims=300,moves=4", GAME).best(table.view(table.turn))
        assert len(report.moves) == 4
        assert report.work == sum(ranked.visits for ranked in report.moves) == 300
        assert kibitz.bot("ev-full", GAME).choose(table.view(table.turn)) in [ranked.move for ranked in report.moves]


def test_an_analysis_by_best_ranks_every_legal_move(tables):
    view = tables[0].view(tables[0].turn)
    report = kibitz.bot("best:sims=300,moves=4", GAME).analyse(view)
    assert sorted(ranked.move for ranked in report.moves) == sorted(view.moves)


def test_best_repeats_itself():
    views = [table.view(table.turn) for table in (rolled_on(3), rolled_on(3))]
    first, again = (kibitz.bot("best:sims=200", GAME).analyse(view).moves for view in views)
    assert first == again


def near_the_end(own, others):
    """What the player to move sees near the end of a race, with these coins."""
    table = next(table for table in map(rolled_on, range(100)) if table.turn >= 0 and max(table.state.square) == 15)
    position = table.state.copy()
    for player in range(4):
        position.coins[player] = own if player == table.turn else others
    return kibitz.Table(GAME, deal=False, position=position).view(table.turn)


def test_best_knows_who_has_won():
    """Near the end of the race, far behind or far ahead, nothing can change it."""
    best = kibitz.bot("best:sims=300,trust=0", GAME)
    assert best.analyse(near_the_end(0, 60)).value == 0.0
    assert best.analyse(near_the_end(60, 0)).value == 1.0


def test_no_move_wins_less_often_than_never_however_few_coins_it_brings():
    view = near_the_end(0, 60)
    report = kibitz.bot("best:sims=300", GAME).analyse(view)
    assert {ranked.value for ranked in report.moves} == {0.0}
    assert report.best.move == kibitz.bot("ev-full", GAME).choose(view)


@pytest.mark.parametrize("chance", [0.0, 0.03, 0.5, 0.97, 1.0])
def test_a_chance_to_win_stays_between_none_and_certainty(chance):
    chances = [after_losing(chance, loss) for loss in (-8.0, 0.0, 0.5, 8.0, 8000.0)]
    assert chances[1] == chance
    assert sorted(chances, reverse=True) == chances
    assert 0.0 <= chances[-1] <= chances[0] <= 1.0


def test_a_coin_is_worth_what_the_option_says_in_an_even_game():
    steepness = 0.04 / (0.25 * 0.75)
    assert after_losing(0.25, -0.5 * steepness) - after_losing(0.25, 0.5 * steepness) == pytest.approx(0.04, rel=0.01)


@pytest.mark.parametrize("rules", ["camelai", "second"])
def test_best_wins_more_than_its_share(rules):
    small = CamelUp(players=3, rules=rules)
    result = kibitz.arena(small, ["best:sims=200", "leader"], games=30, seed=1, format="gauntlet", workers=1)
    shares = {standing.bot: standing.share.share for standing in result.ranking}
    assert shares["best:sims=200"] > 1 / 3


def test_impossible_options_are_refused():
    with pytest.raises(kibitz.SpecError, match=r"best: .* must be"):
        kibitz.bot("best:moves=0", GAME)
