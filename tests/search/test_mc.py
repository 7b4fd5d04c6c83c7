"""Flat Monte Carlo and greedy on games whose good moves are known."""

import pytest
from toys import SETTLE, Cups, DiceRace, HighCard, Nim

import kibitz
from kibitz.search.mc import FlatMonteCarlo


def test_every_move_gets_its_share_of_the_playouts():
    report = kibitz.bot("mc:sims=700", kibitz.game("connect_four")).analyse(kibitz.Table("connect_four").view(0))
    assert [ranked.visits for ranked in report.moves] == [100] * 7
    assert report.work == 700


def test_an_immediate_win_is_found():
    table = kibitz.Table("connect_four")
    for move in (3, 0, 3, 0, 3, 0):
        table.play(move)
    report = kibitz.bot("mc:sims=700", table.game).analyse(table.view(0))
    assert report.best.move == 3
    assert report.value == 1.0


def test_hidden_cards_are_redealt_and_the_view_is_left_unchanged():
    table = kibitz.Table(HighCard(), seed=4)
    view = table.view(table.turn)
    first = FlatMonteCarlo(sims=300).analyse(view)
    other_world = table.view(table.turn)
    assert first.work == 300
    assert {ranked.move for ranked in first.moves} == set(view.moves)
    assert other_world.state == view.state, "the search leaves the view as it was"


def test_the_highest_hand_is_worth_more_than_the_lowest():
    values = {}
    for seed in range(40):
        table = kibitz.Table(HighCard(), seed=seed)
        hand = sorted(card for card in range(7) if table.state.where[card] == 0)
        values[tuple(hand)] = FlatMonteCarlo(sims=400).analyse(table.view(0)).value
    hands = sorted(values, key=sum)
    assert values[hands[-1]] > values[hands[0]]


@pytest.mark.parametrize("rules", [DiceRace(), HighCard()], ids=lambda g: type(g).__name__)
def test_plain_and_compiled_playouts_agree(rules):
    def found():
        table = kibitz.Table(rules, seed=2)
        return kibitz.bot("mc:sims=50", rules).analyse(table.view(table.turn)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_draws_can_count_as_losses():
    rules = kibitz.game("connect_four:columns=3,rows=3")  # nobody can win it
    with kibitz.plain():
        for spec, value in (("mc:sims=9", 0.5), ("mc:sims=9,draws=no", 0.0)):
            report = kibitz.bot(spec, rules).analyse(kibitz.Table(rules).view(0))
            assert [ranked.value for ranked in report.moves] == [value] * 3


def test_half_of_the_moves_are_dropped_repeatedly():
    table = kibitz.Table("connect_four")
    report = kibitz.bot("mc:sims=900,halve=yes", table.game).analyse(table.view(0))
    visits = [ranked.visits for ranked in report.moves]
    assert report.work == sum(visits) == 900
    assert visits[0] > 2 * visits[2] > 4 * visits[4], "three stages: seven moves, four, two"


def test_another_bot_can_play_the_playouts():
    """Greedy plays Nim perfectly, so all playouts after a move end the same way."""
    for heap in range(2, 12):
        table = kibitz.Table(Nim(heap))
        for ranked in kibitz.bot("mc:sims=9,by=greedy", table.game).analyse(table.view(0)).moves:
            assert ranked.value == float((heap - ranked.move - 1) % 4 == 0)


def test_moves_are_compared_with_the_same_random_numbers():
    """Two moves that lead to the same position do equally well, in every round."""
    rules = kibitz.game("connect_four:columns=4,rows=4")
    view = kibitz.Table(rules).view(0)
    twins = FlatMonteCarlo().search_moves(view, [1, 1], kibitz.Limit(simulations=200))
    assert twins.moves[0].value == twins.moves[1].value


def test_each_round_has_its_own_random_numbers():
    """Even if the last move ends the game at once, so that its playout draws no random number."""
    report = FlatMonteCarlo(sims=4000).analyse(kibitz.Table(Cups()).view(0))
    hidden = [ranked.value for ranked in report.moves if ranked.move != SETTLE]
    assert hidden == pytest.approx([2 / 3] * 3, abs=0.06)


def test_playouts_by_bots_that_are_not_compiled_players_are_rejected():
    with pytest.raises(kibitz.SpecError, match="by=uct is not a compiled player"):
        kibitz.bot("mc:by=uct", kibitz.game("connect_four"))
    with pytest.raises(kibitz.SpecError, match="leave out by= or urgent="):
        FlatMonteCarlo(by="random", urgent=True)


def test_greedy_takes_the_move_with_the_best_evaluation():
    table = kibitz.Table(Nim(11))
    report = kibitz.bot("greedy", table.game).analyse(table.view(0))
    assert report.best.move == 2, "eleven minus three is a multiple of four"
    assert report.value == pytest.approx(0.9)


def test_greedy_prefers_an_immediate_win_to_any_evaluation():
    table = kibitz.Table(Nim(3))
    assert kibitz.bot("greedy", table.game).analyse(table.view(0)).value == 1.0


def test_greedy_needs_an_evaluation():
    with pytest.raises(kibitz.SpecError, match="evaluate"):
        kibitz.bot("greedy", DiceRace())
