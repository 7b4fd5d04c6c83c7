"""Perfect-information Monte Carlo: what it adds up, what it finds, and what it wrongly believes."""

import json

import pytest
from toys import GUESS, SETTLE, Cups, HighCard, Middle, Nim

import kibitz
from kibitz.search.pimc import PIMC


def test_every_simulation_of_every_deal_is_a_vote():
    table = kibitz.Table(HighCard(), seed=4)
    report = PIMC(sims=310, deals=7).analyse(table.view(0))
    assert report.work == sum(ranked.visits for ranked in report.moves) == 310
    assert {ranked.move for ranked in report.moves} == set(table.moves())


def test_more_deals_than_simulations_are_not_dealt():
    table = kibitz.Table(HighCard(), seed=4)
    assert PIMC(sims=5, deals=20).analyse(table.view(0)).work == 5


def test_time_is_shared_by_the_deals():
    """Each deal finds the pea where it lies in that deal: in time for only a few, some guess would have no votes."""
    table = kibitz.Table(Cups())
    table.play(1)
    report = PIMC(ms=60, deals=30).analyse(table.view(1))
    assert min(ranked.visits for ranked in report.moves) > 0.05 * report.work


def test_it_believes_that_all_will_be_laid_open():
    """A guesser who sees the pea in every deal is sure of finding it; a hider is sure of being found out."""
    table = kibitz.Table(Cups())
    assert PIMC(sims=2000).analyse(table.view(0)).best.move == SETTLE
    table.play(1)
    report = PIMC(sims=2000).analyse(table.view(1))
    assert report.value > 0.9
    assert {ranked.move for ranked in report.moves} == {GUESS, GUESS + 1, GUESS + 2}


def test_the_last_to_lay_a_card_lays_one_in_the_middle():
    """Nothing that matters is hidden any more: every deal finds the same."""
    found = 0
    for seed in range(30):
        table = kibitz.Table(Middle(), seed=seed)
        for _ in range(2):
            table.play(table.moves()[0])
        low, high = sorted(table.state.laid[player] for player in range(2))
        winning = [card for card in table.moves() if low < card < high]
        if len(winning) == 1:
            found += 1
            report = PIMC(sims=200).analyse(table.view(2))
            assert (report.best.move, report.value) == (winning[0], 1.0)
    assert found


def test_it_wins_more_than_its_share_from_random_players():
    result = kibitz.arena(HighCard(), ["pimc:sims=100", "random"], games=150, seed=1, format="gauntlet", workers=1)
    share = json.loads(result.to_json())["standings"][0]
    assert (share["bot"], share["low"] > 1 / 3) == ("pimc:sims=100", True)


def test_playouts_can_be_played_by_another_bot():
    table = kibitz.Table(Middle(), seed=1)
    assert kibitz.bot("pimc:sims=100,by=random", table.game).choose(table.view(0)) in table.moves()
    with pytest.raises(kibitz.SpecError, match="by=mc is no compiled player"):
        kibitz.bot("pimc:by=mc", table.game)


def test_plain_and_compiled_searches_agree():
    def found():
        return PIMC(sims=60, deals=3).analyse(kibitz.Table(HighCard(), seed=2).view(0)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_games_without_secrets_are_refused_with_what_would_work():
    with pytest.raises(kibitz.SpecError, match=r"pimc cannot play .*use uct"):
        kibitz.bot("pimc", Nim())


@pytest.mark.parametrize("options", [{"sims": -1}, {"ms": -1}, {"deals": 0}, {"c": -1.0}, {"nodes": 1}])
def test_impossible_options_are_refused(options):
    with pytest.raises(kibitz.SpecError, match="pimc needs"):
        PIMC(**options)
