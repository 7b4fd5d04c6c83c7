"""What a search says of a position, as a chance to win."""

import pytest

import kibitz
from kibitz.analysis.chances import chance, in_chances, scale_of
from kibitz.analysis.judge import Judge
from kibitz.errors import KibitzError
from kibitz.players.bot import Ranked, Report


def test_chances_are_symmetric_and_keep_the_order():
    values = [0.0, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0]
    found = [chance(value, 0.6) for value in values]
    assert found == sorted(found)
    assert found[::-1] == pytest.approx([1 - share for share in found])
    assert (found[0], found[3], found[-1]) == (0.0, 0.5, 1.0)


def test_what_is_proven_stays_as_it_is():
    report = Report((Ranked(1, 0.9), Ranked(0, 0.75, exact=True), Ranked(2, 0.2)), 1, "nodes", 1, 0.0)
    moves = in_chances(report, 0.3).moves
    assert [move.move for move in moves] == [0, 1, 2]  # the first is no longer better than what is certain
    assert moves[0].value == 0.75
    assert 0.5 < moves[1].value < 0.75


@pytest.mark.parametrize("game", ["connect_four", "hexplode"])
def test_where_an_evaluation_judges_its_scale_was_measured(game):
    assert 0 < scale_of(kibitz.bot("best", game), kibitz.game(game)) != 1
    assert Judge(game).knows_chances


def test_shares_of_simulations_are_chances_and_other_evaluations_are_not():
    game = kibitz.game("connect_four")
    assert scale_of(kibitz.bot("uct", game), game) == 1
    assert scale_of(kibitz.bot("greedy", game), game) is None
    assert not Judge(game, "greedy").knows_chances


def test_only_a_search_can_judge():
    with pytest.raises(KibitzError, match="not a search"):
        Judge("connect_four", "random")
