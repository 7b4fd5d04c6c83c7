"""Playouts by move averages, and playouts that prefer urgent moves."""

import pytest
from toys import DiceRace, Nim

import kibitz
from kibitz.compiler import numbers
from kibitz.rules.contract import CHANCE, game
from kibitz.rules.rng import Stream
from kibitz.search.mast import add_game, best_on_average, learn, new_mast, playout_by_mast
from kibitz.search.playout import draw_move
from kibitz.search.uct import UCT


@pytest.fixture(autouse=True)
def _plain():
    with kibitz.plain():
        yield


def legal(*moves):
    cells = numbers(len(moves), "i8")
    cells[:] = moves
    return cells


def test_the_move_with_the_best_average_is_chosen():
    mast = new_mast(Nim(), 0.5)
    for move, shares in enumerate([(1.0, 0.0), (1.0, 1.0, 0.0), (0.0,)]):
        for share in shares:
            add_game(mast.records[0], move, share)
    stream = Stream(1)
    assert {best_on_average(mast.records[0], legal(0, 1, 2), 3, stream.words) for _ in range(20)} == {1}
    assert {best_on_average(mast.records[0], legal(0, 2), 2, stream.words) for _ in range(20)} == {0}


def test_a_move_that_was_never_tried_counts_as_the_best():
    mast = new_mast(Nim(), 0.5)
    add_game(mast.records[0], 0, 0.9)
    assert best_on_average(mast.records[0], legal(0, 2), 2, Stream(1).words) == 2


def test_equally_good_moves_are_equally_likely():
    mast, stream = new_mast(Nim(), 0.5), Stream(1)
    drawn = [best_on_average(mast.records[0], legal(0, 1, 2), 3, stream.words) for _ in range(300)]
    assert all(drawn.count(move) > 60 for move in range(3))


def test_averages_are_kept_for_each_player_and_not_for_chance():
    mast = new_mast(DiceRace(), 0.5)
    for ply, (mover, move) in enumerate([(0, 1), (CHANCE, 3), (1, 1), (0, 0)]):
        mast.movers[ply], mast.played[ply] = mover, move
    payoff = numbers(2, "f8")
    payoff[:] = [1.0, 0.0]
    learn(mast, 4, payoff)
    record = [[(r.games, r.won) for r in mast.records[player]] for player in (0, 1)]
    assert record == [[(1.0, 1.0), (1.0, 1.0)], [(0.0, 0.0), (1.0, 0.0)]]


def test_at_full_strength_the_best_average_is_always_played():
    rules = Nim(21)
    mast, table = new_mast(rules, 1.0), kibitz.Table(rules)
    for player in (0, 1):
        for move, share in enumerate((0.1, 0.9, 0.2)):
            add_game(mast.records[player], move, share)
    plies = playout_by_mast(rules, table.state, legal(0, 0, 0), None, Stream(1).words, None, rules.max_plies, mast)
    assert mast.played.tolist()[:plies] == [1] * 10 + [0]


def test_a_search_learns_from_its_simulations_and_forgets_them_in_another_game():
    uct = UCT(sims=50, habit=0.5)
    uct.analyse(kibitz.Table(Nim(21)).view(0))
    assert sum(r.games for r in uct._trees[0].walk.mast.records[0]) > 50
    rules = uct._trees[0].game
    uct._trees[0].set_root(kibitz.Table(rules).state, ())
    assert sum(r.games for r in uct._trees[0].walk.mast.records[0]) > 50
    other = kibitz.Table(rules)
    other.play(0)
    other.play(0)
    uct._trees[0].set_root(other.state, ())
    assert sum(r.games for r in uct._trees[0].walk.mast.records[0]) == 0


@game
class HastyNim(Nim):
    """Nim in which taking more looks better."""

    def urgency(self, s, move):
        return move


@pytest.mark.parametrize(("urgent", "shares"), [(None, (3, 3, 3)), (True, (1, 3, 5))])
def test_the_more_urgent_of_two_moves_is_played(urgent, shares):
    table, stream = kibitz.Table(HastyNim()), Stream(3)
    drawn = [draw_move(table.game, table.state, legal(0, 1, 2), 3, stream.words, urgent) for _ in range(1800)]
    assert [drawn.count(move) / 200 for move in range(3)] == pytest.approx(shares, abs=0.4)
