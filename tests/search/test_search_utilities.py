"""Every search on games with utilities: against brute force, and against the same game written as shares."""

import brute_force
import pytest
from toys import Centipede, Chips, ChipsAsShares, Nim, ThreePurses

import kibitz
from kibitz.search.maxn import MaxN

TREES = [{"height": 4, "seed": seed, "dice": dice} for seed in range(2) for dice in (False, True)]


def opening(rules):
    return kibitz.Table(rules, seed=1).view(0)


def analysed(spec, rules):
    return kibitz.bot(spec, rules).analyse(opening(rules))


def values(report):
    return {ranked.move: ranked.value for ranked in report.moves}


# ------------------------------------------------------------------ the same game as shares


@pytest.mark.parametrize(
    "spec",
    [
        "uct:sims=100",
        "uct:sims=50,habit=0.5",
        "uct:sims=50,playout=1",
        "mc:sims=40",
        "ismcts:sims=40",
        "greedy",
        "alphabeta:depth=4",
        "alphabeta:depth=2",
        "expectimax:depth=3",
        "maxn:depth=3",
        "maxn:depth=4,speculative=yes,deep=yes",
        "paranoid:depth=3",
        "brs:depth=3",
    ],
)
def test_a_search_is_the_same_with_utilities_as_with_shares(spec):
    with kibitz.plain():
        for tree in TREES:
            if spec.startswith("alphabeta") and tree["dice"]:
                continue
            chips, shares = analysed(spec, Chips(**tree)), analysed(spec, ChipsAsShares(**tree))
            assert (chips.moves, chips.work) == (shares.moves, shares.work)


def test_a_search_is_the_same_compiled_as_in_plain_python():
    for tree in TREES:
        rules = Chips(**tree)
        with kibitz.plain():
            plain = analysed("uct:sims=100", rules)
        assert analysed("uct:sims=100", rules).moves == plain.moves


# ------------------------------------------------------------------ brute force


@pytest.mark.parametrize("spec", ["uct:sims=1000", "alphabeta:depth=9", "expectimax:depth=9", "maxn:depth=9"])
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_the_value_is_the_one_that_brute_force_finds(spec, tree):
    rules = Chips(**{**tree, "height": 3})
    if rules.dice and spec.startswith("alphabeta"):
        return
    with kibitz.plain():
        report = analysed(spec, rules)
        wanted = brute_force.worths(brute_force.paranoid, rules, opening(rules).state, 9)
    if rules.dice and spec.startswith("uct"):  # which need not have seen every roll
        assert report.value == pytest.approx(max(wanted.values()), abs=0.05)
        return
    assert report.best.exact
    assert report.value == pytest.approx(max(wanted.values()), abs=1e-6)  # alphabeta's scores are that fine
    if not spec.startswith("uct"):  # which stops once it knows the best move
        assert values(report) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("depth", [1, 3, 9])
def test_pruning_in_maxn_knows_the_sum_of_the_utilities(depth):
    with kibitz.plain():
        spared = 0
        for seed in range(8):
            view = opening(ThreePurses(height=5, seed=seed))
            wanted = brute_force.worths(brute_force.maxn, view.game, view.state, depth)
            plain, pruned = (MaxN(depth=depth, speculative=on).analyse(view) for on in (False, True))
            assert values(plain) == values(pruned) == pytest.approx(wanted, abs=1e-12)
            spared += plain.work - pruned.work
    assert spared > 0 or depth == 1


# ------------------------------------------------------------------ no constant sum


@pytest.mark.parametrize("spec", ["uct:sims=500", "maxn:depth=9"])
def test_where_both_can_win_each_looks_after_their_own_utility(spec):
    rules = Centipede(rounds=6)
    with kibitz.plain():
        report = analysed(spec, rules)
        wanted = brute_force.worths(brute_force.maxn, rules, opening(rules).state, 9)
    assert report.best.move == 0
    assert report.best.exact
    assert rules.utility(report.value) == pytest.approx(2)
    assert report.value == pytest.approx(wanted[0])


def test_playouts_count_what_the_player_gets():
    with kibitz.plain():
        rules = Centipede(rounds=6)
        assert rules.utility(values(analysed("mc:sims=20", rules))[0]) == pytest.approx(2)


def test_without_an_evaluation_or_a_sum_the_horizon_is_in_the_middle():
    with kibitz.plain():
        assert values(analysed("maxn:depth=1", Centipede())) == {0: pytest.approx(2 / 7), 1: 0.5}


@pytest.mark.parametrize("spec", ["alphabeta", "expectimax", "maxn:speculative=yes", "maxn:deep=yes"])
def test_what_relies_on_a_constant_sum_is_refused_without_one(spec):
    with pytest.raises(kibitz.SpecError, match="its utilities have no constant sum"):
        kibitz.bot(spec, Centipede())


@pytest.mark.parametrize("spec", ["uct:draws=no", "mc:draws=no"])
def test_wins_cannot_be_counted_where_there_are_utilities(spec):
    with pytest.raises(kibitz.SpecError, match="its payoffs are utilities, not wins"):
        kibitz.bot(spec, Chips())
    assert kibitz.bot(spec, Nim())


def test_only_the_maximum_is_a_cutoff_in_proofs():
    """Two chips are no proof while three are possible: the best of all moves is found, each of them proven or worse."""
    with kibitz.plain():
        for seed in range(10):
            rules = Chips(height=2, seed=seed)
            report = analysed("uct:sims=300", rules)
            wanted = brute_force.worths(brute_force.paranoid, rules, opening(rules).state, 9)
            assert report.best.exact
            assert wanted[report.best.move] == report.value == max(wanted.values())
