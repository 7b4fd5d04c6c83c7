"""Searches with the opinion of another bot: its probabilities of moves count, it moves in playouts, or values them."""

from dataclasses import dataclass

import pytest
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.search.leaf_values import LeafValues
from kibitz.search.move_priors import MovePriors, advice_of, rate_moves, sort_by_priors
from kibitz.search.simulation import best_child
from kibitz.search.tree_arrays import PRIOR_NODE, block_of, new_tree
from kibitz.state import State

KEEN, OTHERS = 0.9, 0.1


def highest(moves, count):
    best = moves[0]
    for i in range(1, count):
        best = max(best, moves[i])
    return best


@dataclass(eq=False)
class HighestFirst(MovePriors):
    """Nearly certain that the highest move is the best."""

    def rate(self, game, s, moves, count, memory, out):
        for i in range(count):
            out[i] = OTHERS / count + (KEEN if moves[i] == highest(moves, count) else 0.0)


@dataclass(eq=False)
class MoverAhead(LeafValues):
    """Gives the player to act most of the win."""

    def evaluate(self, game, s, memory, out):
        for player in range(len(out)):
            out[player] = KEEN if player == s.turn else OTHERS / (len(out) - 1)


@dataclass(frozen=True)
class Keen(CompiledPlayer):
    """Always plays the highest move."""

    def pick(self, game, s, moves, count, player, memory, rng):
        return highest(moves, count)

    def move_priors(self, game):
        return HighestFirst(), ()

    def leaf_values(self, game):
        return MoverAhead(), ()


@pytest.fixture(autouse=True)
def keen(monkeypatch):
    for game in (Nim, HighCard):
        monkeypatch.setattr(game, "bots", {"keen": Keen}, raising=False)


def visits(spec, game, seed=1):
    table = kibitz.Table(game, seed=seed)
    report = kibitz.bot(spec, game).analyse(table.view(table.turn))
    return {ranked.move: ranked.visits for ranked in report.moves}


def test_moves_are_sorted_by_their_priors():
    with kibitz.plain():
        game = Nim()
        table = kibitz.Table(game)
        advice = advice_of("keen", game)
        moves = [0, 1, 2]
        rate_moves(game, table.state, moves, 3, advice)
        sort_by_priors(moves, advice.priors, 3)
        assert moves == [2, 0, 1]
        assert list(advice.priors) == pytest.approx([KEEN + OTHERS / 3, OTHERS / 3, OTHERS / 3])


def test_the_bias_fades_as_visits_accumulate():
    with kibitz.plain():
        tree = new_tree(3, 2, kind=PRIOR_NODE)
        for child, prior in ((1, 0.0), (2, 1.0)):
            node = State(tree.nodes[child])
            node.visits, node.prior = 10, prior
        for worth, bias, chosen in ((5.0, 0.0, 1), (5.0, 10.0, 2), (6.0, 10.0, 2), (15.0, 10.0, 1)):
            State(tree.nodes[1]).worth, State(tree.nodes[2]).worth = worth + 0.5, 5.0
            assert best_child(tree.nodes, tree.exact, block_of(1, 2), 20, 0, 0.7, bias) == chosen


SEARCHES = [
    ("uct:sims=60", Nim(heap=13)),
    ("ismcts:sims=60", Nim(heap=13)),
    ("ismcts:sims=60", HighCard()),
    ("ismcts:sims=60,observers=all", HighCard()),
]


@pytest.mark.parametrize(("spec", "game"), SEARCHES)
def test_a_strong_bias_follows_the_priors_and_no_bias_does_not(spec, game):
    keen = max(kibitz.Table(game, seed=1).moves)
    with kibitz.plain():
        followed, alone = (visits(f"{spec},prior=keen,bias={bias}", game)[keen] for bias in (500, 0))
    assert followed > 50
    assert alone < 45


@pytest.mark.parametrize(("spec", "game"), [("uct:sims=60,threads=2", Nim(heap=13)), ("ismcts:sims=60", HighCard())])
def test_compiled_searches_do_the_same(spec, game):
    """Also those that grow several trees, each with a workspace of its own."""
    spec = f"{spec},prior=keen,by=keen,bias=5"
    with kibitz.plain():
        expected = visits(spec, game)
    assert visits(spec, game) == expected


def test_moves_are_first_tried_in_the_order_of_their_priors():
    with kibitz.plain():
        for spec in ("uct:sims=1,prior=keen", "ismcts:sims=1,prior=keen"):
            tried = visits(spec, Nim(heap=13))
            assert [move for move, count in tried.items() if count] == [2]


def test_playouts_of_uct_can_be_played_by_another_bot():
    """After the first move, everybody takes three: from 9 of the heap, the player to move takes the last one."""
    game = Nim(heap=10)
    with kibitz.plain():
        uct = kibitz.bot("uct:sims=3,by=keen", game)
        values = {ranked.move: ranked.value for ranked in uct.analyse(kibitz.Table(game).view(0)).moves}
    assert values == {0: 0.0, 1: 0.0, 2: 0.0}


def test_a_playout_by_another_bot_can_stop_early():
    with kibitz.plain():
        report = kibitz.bot("uct:sims=3,by=keen,playout=1", Nim(heap=10)).analyse(kibitz.Table(Nim(heap=10)).view(0))
    assert {ranked.value for ranked in report.moves} <= {0.1, 0.9}  # what `evaluate` says


@pytest.mark.parametrize(("plies", "value"), [(0, OTHERS), (1, KEEN), (2, OTHERS)])
def test_a_playout_of_ismcts_can_stop_early_and_be_valued_by_another_bot(plies, value):
    """After the first move and an even number of plies, the opponent is to act."""
    game = Nim(heap=10)
    report = kibitz.bot(f"ismcts:sims=3,playout={plies},value=keen", game).analyse(kibitz.Table(game).view(0))
    assert [ranked.value for ranked in report.moves] == pytest.approx([value] * 3)


def test_a_playout_of_ismcts_can_stop_early_and_be_valued_by_the_rules():
    report = kibitz.bot("ismcts:sims=3,by=keen,playout=1", Nim(heap=10)).analyse(kibitz.Table(Nim(heap=10)).view(0))
    assert {ranked.value for ranked in report.moves} <= {0.1, 0.9}  # what `evaluate` says


@pytest.mark.parametrize("rules", [DiceRace(), HighCard()], ids=str)
def test_only_positions_in_which_a_player_is_to_act_are_valued(rules, monkeypatch):
    """Whatever the playouts stop at, chance or the end: all payoffs are those of the bot or of the game."""
    monkeypatch.setattr(type(rules), "bots", {"keen": Keen}, raising=False)

    def found():
        table = kibitz.Table(rules, seed=2)
        return kibitz.bot("ismcts:sims=60,playout=2,value=keen", rules).analyse(table.view(table.turn)).moves

    compiled = found()
    with kibitz.plain():
        assert found() == compiled
    assert all(0.0 <= ranked.value <= 1.0 for ranked in compiled)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("ismcts:value=keen", "value= is for playouts that stop early; add playout=0"),
        ("ismcts:playout=0,value=random", "value=random has no value for a position; use value=zero:net=FILE"),
        ("uct:prior=random", "prior=random has no probabilities of moves"),
        ("ismcts:prior=uct", "prior=uct has no probabilities of moves"),
        ("uct:by=uct", "by=uct is not a compiled player"),
        ("uct:by=random,habit=0.5", "for random playouts only"),
        ("uct:by=random,urgent=yes", "for random playouts only"),
    ],
)
def test_bots_that_do_not_fit_are_refused(spec, complaint):
    with pytest.raises(kibitz.SpecError, match=complaint):
        kibitz.bot(spec, Nim())


def test_rules_without_an_evaluation_cannot_value_a_playout():
    with pytest.raises(kibitz.SpecError, match=r"no evaluate\(s, out\); leave out playout=3, or add value="):
        kibitz.bot("ismcts:playout=3", HighCard())
