"""Perfect-information Monte Carlo: what it adds up, what it finds, and what it wrongly assumes."""

import json

import pytest
from toys import GUESS, SETTLE, Cups, HighCard, Middle, Nim

import kibitz
from kibitz.search.pimc import PIMC


def test_every_simulation_of_every_deal_is_a_vote():
    table = kibitz.Table(HighCard(), seed=4)
    report = PIMC(sims=310, deals=7).analyse(table.view(0))
    assert report.work == sum(ranked.visits for ranked in report.moves) == 310
    assert {ranked.move for ranked in report.moves} == set(table.moves)


def test_there_are_never_more_deals_than_simulations():
    table = kibitz.Table(HighCard(), seed=4)
    assert PIMC(sims=5, deals=20).analyse(table.view(0)).work == 5


def test_it_assumes_that_everything_hidden_will_be_revealed():
    """A guesser who sees the pea in every deal is certain to find it; a hider is certain to be found out."""
    table = kibitz.Table(Cups())
    assert PIMC(sims=2000).analyse(table.view(0)).best.move == SETTLE
    table.play(1)
    report = PIMC(sims=2000).analyse(table.view(1))
    assert report.value > 0.9
    assert {ranked.move for ranked in report.moves} == {GUESS, GUESS + 1, GUESS + 2}


def test_the_last_to_lay_a_card_lays_one_in_the_middle():
    """Nothing that matters is still hidden, so all deals agree."""
    found = 0
    for seed in range(30):
        table = kibitz.Table(Middle(), seed=seed)
        for _ in range(2):
            table.play(table.moves[0])
        low, high = sorted(table.state.laid[player] for player in range(2))
        winning = [card for card in table.moves if low < card < high]
        if len(winning) == 1:
            found += 1
            report = PIMC(sims=200).analyse(table.view(2))
            assert (report.best.move, report.value) == (winning[0], 1.0)
    assert found


def test_it_wins_more_than_its_share_against_random_players():
    result = kibitz.arena(HighCard(), ["pimc:sims=100", "random"], games=150, seed=1, format="gauntlet", workers=1)
    share = json.loads(result.to_json())["standings"][0]
    assert (share["bot"], share["low"] > 1 / 3) == ("pimc:sims=100", True)


def test_playouts_can_be_played_by_another_bot():
    table = kibitz.Table(Middle(), seed=1)
    assert kibitz.bot("pimc:sims=100,by=random", table.game).choose(table.view(0)) in table.moves
    with pytest.raises(kibitz.SpecError, match="by=mc is not a compiled player"):
        kibitz.bot("pimc:by=mc", table.game)


def test_plain_and_compiled_searches_agree():
    def found():
        return PIMC(sims=60, deals=3).analyse(kibitz.Table(HighCard(), seed=2).view(0)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_games_without_hidden_information_are_rejected_with_an_alternative():
    with pytest.raises(kibitz.SpecError, match=r"pimc cannot play .*use uct"):
        kibitz.bot("pimc", Nim())


@pytest.mark.parametrize("options", [{"sims": -1}, {"ms": -1}, {"deals": 0}, {"c": -1.0}, {"nodes": 1}])
def test_impossible_options_are_rejected(options):
    with pytest.raises(kibitz.SpecError, match=f"^pimc: {next(iter(options))} must be "):
        PIMC(**options)
