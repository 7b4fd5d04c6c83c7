"""Information-set search: what it finds, what it keeps apart, and what it takes together."""

import json

import pytest
from toys import CARDS, DiceRace, HighCard, Nim

import kibitz
from kibitz.search.ismcts import ISMCTS, ROOT


def branches(bot, node=ROOT):
    """The labels of a node's branches, with the nodes."""
    nodes, found = bot._tree[1].nodes, {}
    child = nodes[node]["child"]
    while child:
        found[int(nodes[child]["label"])] = int(child)
        child = nodes[child]["sibling"]
    return found


def test_an_immediate_win_is_found():
    table = kibitz.Table("connect_four")
    for move in (3, 0, 3, 0, 3, 0):
        table.play(move)
    report = kibitz.bot("ismcts:sims=500", table.game).analyse(table.view(0))
    assert report.best.move == 3
    assert report.value == 1.0


@pytest.mark.parametrize("heap", [5, 6, 7, 9])
def test_the_winning_move_of_nim_is_found(heap):
    report = kibitz.bot("ismcts:sims=3000", Nim(heap)).analyse(kibitz.Table(Nim(heap)).view(0))
    assert report.best.move == heap % 4 - 1


def test_every_simulation_goes_through_one_move():
    table = kibitz.Table(HighCard(), seed=4)
    report = ISMCTS(sims=300).analyse(table.view(table.turn))
    assert report.work == sum(ranked.visits for ranked in report.moves) == 300
    assert {ranked.move for ranked in report.moves} == set(table.moves())


def test_what_the_player_cannot_tell_apart_is_one_branch():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=400)
    bot.analyse(table.view(0))
    bids = branches(bot)
    assert set(bids) == {CARDS, CARDS + 1}, "its own bid it knows"
    assert set(branches(bot, bids[CARDS])) == {-1}, "those of the others are secret"


def test_moves_of_others_are_open_only_in_some_deals():
    """Another player lays a card that the observer has not seen: each is in that hand in some deals only."""
    table = kibitz.Table(HighCard(), seed=4)
    for _ in range(4):
        table.play(table.moves()[0])
    bot = ISMCTS(sims=2000)
    bot.analyse(table.view(1))
    nodes = bot._tree[1].nodes
    for mine in branches(bot).values():
        for label, theirs in branches(bot, mine).items():
            assert table.state.where[label] != 1, "not a card of the observer's own"
            assert nodes[theirs]["visits"] <= nodes[theirs]["open"] <= nodes[mine]["visits"]


@pytest.mark.parametrize("rules", [DiceRace(), HighCard()], ids=lambda rules: type(rules).__name__)
def test_plain_and_compiled_searches_agree(rules):
    def found():
        table = kibitz.Table(rules, seed=2)
        return kibitz.bot("ismcts:sims=60", rules).analyse(table.view(table.turn)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_a_full_tree_goes_on_without_growing():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=300, nodes=10)
    assert bot.analyse(table.view(0)).work == 300
    assert bot._tree[1].used[0] == 10


def test_it_wins_more_than_its_share_from_random_players():
    result = kibitz.arena(HighCard(), ["ismcts:sims=100", "random"], games=150, seed=1, format="gauntlet", workers=1)
    share = json.loads(result.to_json())["standings"][0]
    assert (share["bot"], share["low"] > 1 / 3) == ("ismcts:sims=100", True)


def test_playouts_can_be_played_by_another_bot():
    assert kibitz.bot("ismcts:sims=200,by=greedy", Nim(7)).choose(kibitz.Table(Nim(7)).view(0)) == 2
    with pytest.raises(kibitz.SpecError, match="by=mc is no compiled player"):
        kibitz.bot("ismcts:by=mc", Nim(7))


@pytest.mark.parametrize("options", [{"sims": -1}, {"ms": -1}, {"c": -1.0}, {"nodes": 1}])
def test_impossible_options_are_refused(options):
    with pytest.raises(kibitz.SpecError, match="ismcts needs"):
        ISMCTS(**options)
