"""Information-set search: what it finds, and what shares a branch."""

import json

import pytest
from toys import CARDS, GUESS, SETTLE, Cups, DiceRace, HighCard, Nim

import kibitz
from kibitz.search.ismcts import ISMCTS, ROOT


def branches(bot, node=ROOT):
    """The labels of a node's branches, with the nodes."""
    nodes, found = bot._trees[1].nodes, {}
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
    assert {ranked.move for ranked in report.moves} == set(table.moves)


def test_what_looks_the_same_to_the_player_is_one_branch():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=400)
    bot.analyse(table.view(0))
    bids = branches(bot)
    assert set(bids) == {CARDS, CARDS + 1}, "it knows its own bid"
    assert set(branches(bot, bids[CARDS])) == {-1}, "the bids of the others are secret"


def test_moves_of_others_are_available_only_in_some_deals():
    """Another player lays a card that the observer has not seen: each card is in that hand only in some deals."""
    table = kibitz.Table(HighCard(), seed=4)
    for _ in range(4):
        table.play(table.moves[0])
    bot = ISMCTS(sims=2000)
    bot.analyse(table.view(1))
    nodes = bot._trees[1].nodes
    for mine in branches(bot).values():
        for label, theirs in branches(bot, mine).items():
            assert table.state.where[label] != 1, "not one of the observer's own cards"
            assert nodes[theirs]["visits"] <= nodes[theirs]["open"] <= nodes[mine]["visits"]


def opening(rules):
    return kibitz.Table(rules).view(0)


def test_with_a_single_tree_it_assumes_that_secret_moves_are_seen():
    """Below each branch of the hider's tree, the guesser has seen that branch and guesses right."""
    report = ISMCTS(sims=2000).analyse(opening(Cups()))
    assert report.best.move == SETTLE
    assert all(ranked.value < 0.2 for ranked in report.moves[1:])


def test_with_a_tree_for_each_player_secret_moves_stay_secret():
    """The guesser sees only that something was hidden: two of three guesses are wrong, which beats one half."""
    report = ISMCTS(sims=2000, observers="all").analyse(opening(Cups()))
    visits = {ranked.move: ranked.visits for ranked in report.moves}
    assert visits.pop(SETTLE) < 100
    assert all(500 < times < 800 for times in visits.values()), "no cup is better than the others"


def test_each_tree_branches_by_what_its_player_sees():
    bot = ISMCTS(sims=500, observers="all")
    bot.analyse(opening(Cups()))
    hider, guesser = 0, 1
    assert set(branches(bot, hider)) == {0, 1, 2, SETTLE}
    assert set(branches(bot, guesser)) == {-1, SETTLE}
    assert set(branches(bot, branches(bot, guesser)[-1])) == {GUESS, GUESS + 1, GUESS + 2}


def test_every_tree_counts_every_simulation():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=300, observers="all")
    report = bot.analyse(table.view(0))
    assert [int(bot._trees[1].nodes[root]["visits"]) for root in range(3)] == [300] * 3
    assert sum(ranked.visits for ranked in report.moves) == 300


def test_where_nothing_is_hidden_one_tree_is_enough():
    own, of_all = (kibitz.bot(f"ismcts:sims=500,observers={whose}", Nim(9)) for whose in ("own", "all"))
    assert own.analyse(opening(Nim(9))).moves == of_all.analyse(opening(Nim(9))).moves


@pytest.mark.parametrize(
    ("rules", "observers"), [(DiceRace(), "own"), (HighCard(), "own"), (HighCard(), "all")], ids=str
)
def test_plain_and_compiled_searches_agree(rules, observers):
    def found():
        table = kibitz.Table(rules, seed=2)
        return kibitz.bot(f"ismcts:sims=60,observers={observers}", rules).analyse(table.view(table.turn)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled


def test_a_full_tree_keeps_searching_without_growing():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=300, nodes=10)
    assert bot.analyse(table.view(0)).work == 300
    assert bot._trees[1].used[0] == 10


def test_full_trees_keep_searching_without_growing():
    table = kibitz.Table(HighCard(), seed=4)
    bot = ISMCTS(sims=300, nodes=20, observers="all")
    assert bot.analyse(table.view(0)).work == 300
    assert 17 < bot._trees[1].used[0] <= 20


@pytest.mark.parametrize("spec", ["ismcts:sims=100", "ismcts:sims=100,observers=all"])
def test_it_wins_more_than_its_share_against_random_players(spec):
    result = kibitz.arena(HighCard(), [spec, "random"], games=150, seed=1, format="gauntlet", workers=1)
    share = json.loads(result.to_json())["standings"][0]
    assert (share["bot"], share["low"] > 1 / 3) == (spec, True)


def test_playouts_can_be_played_by_another_bot():
    assert kibitz.bot("ismcts:sims=200,by=greedy", Nim(7)).choose(kibitz.Table(Nim(7)).view(0)) == 2
    with pytest.raises(kibitz.SpecError, match="by=mc is not a compiled player"):
        kibitz.bot("ismcts:by=mc", Nim(7))


@pytest.mark.parametrize("options", [{"sims": -1}, {"ms": -1}, {"c": -1.0}, {"nodes": 1}, {"observers": "some"}])
def test_impossible_options_are_rejected(options):
    with pytest.raises(kibitz.SpecError, match=f"^ismcts: {next(iter(options))} must be "):
        ISMCTS(**options)
