"""UCT on games whose solution is known, and the promises of its file: formula, proofs, memory, one seed one result."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.engine import Engine
from kibitz.game import CHANCE, OVER, game
from kibitz.search import budget
from kibitz.search.tree import ROOT, block_of
from kibitz.search.uct import UCT, Grove, best_child


def analysed(spec, rules, seed=1, moves=()):
    table = kibitz.Table(rules, seed=seed)
    for move in moves:
        table.play(move)
    return kibitz.bot(spec, rules).analyse(table.view(table.turn))


def exact_values(rules, state=None):
    """Every player's share under best play, by brute force over moves and chance."""
    engine = Engine(rules)
    state = state or engine.start()
    if state.turn == OVER:
        return engine.payoff(state)
    if state.turn == CHANCE:
        total = [0.0] * rules.players
        for outcome, p in engine.outcomes(state):
            child = state.copy()
            engine.play(child, outcome)
            total = [t + p * v for t, v in zip(total, exact_values(rules, child), strict=True)]
        return total
    options = []
    for move in engine.moves(state):
        child = state.copy()
        engine.play(child, move)
        options.append(exact_values(rules, child))
    return max(options, key=lambda values: values[state.turn])


@pytest.mark.parametrize("heap", [5, 6, 7, 9, 13])
def test_a_won_heap_of_nim_is_proven_and_won(heap):
    report = analysed("uct:sims=5000", Nim(heap))
    assert report.best.exact
    assert report.value == 1.0
    assert report.best.move + 1 == heap % 4


def test_every_move_from_a_lost_heap_is_a_proven_loss():
    report = analysed("uct:sims=5000", Nim(8))
    assert [(ranked.exact, ranked.value) for ranked in report.moves] == [(True, 0.0)] * 3
    assert report.work < 5000, "a proven root ends the search"


def test_a_small_game_of_chance_is_proven_to_its_exact_value():
    rules = DiceRace(goal=5)
    report = analysed("uct:sims=50000,c=10", rules)
    assert report.best.exact
    assert report.value == pytest.approx(exact_values(rules)[0], abs=1e-12)


def test_a_larger_game_of_chance_is_estimated_close_to_its_value():
    rules = DiceRace(goal=9)
    report = analysed("uct:sims=20000,c=0.3", rules)
    assert report.value == pytest.approx(exact_values(rules)[0], abs=0.03)


@game
class NimForThree(Nim):
    """Nim round a table of three."""

    players = 3

    def play(self, s, move):
        s.left -= move + 1
        if s.left == 0:
            s.winner = s.turn
            s.turn = OVER
        else:
            s.turn = (s.turn + 1) % 3

    def payoff(self, s, out):
        for player in range(3):
            out[player] = 1.0 if player == s.winner else 0.0


@pytest.mark.parametrize(("heap", "value"), [(3, 1.0), (4, 0.0)])
def test_three_players_each_play_for_themselves(heap, value):
    report = analysed("uct:sims=2000", NimForThree(heap))
    assert report.best.exact
    assert report.value == value


@settings(max_examples=50, deadline=None)
@given(
    children=st.lists(st.tuples(st.integers(1, 500), st.floats(0, 1)), min_size=1, max_size=8),
    c=st.floats(0, 3),
)
def test_selection_follows_the_published_formula(children, c):
    with kibitz.plain():
        grove = Grove(kibitz.game("connect_four:columns=8"), 100)
        for i, (visits, mean) in enumerate(children, 1):
            grove.node(i).visits, grove.node(i).worth = visits, mean * visits
        total = sum(visits for visits, _ in children)
        chosen = best_child(grove.tree.nodes, grove.tree.exact, block_of(1, len(children)), total, 0, c)
    bounds = [mean + c * math.sqrt(math.log(total) / visits) for visits, mean in children]
    assert bounds[chosen - 1] == pytest.approx(max(bounds), abs=1e-9)


def test_the_tree_is_kept_along_the_moves_that_were_played():
    rules = kibitz.game("connect_four")
    table = kibitz.Table(rules, seed=3)
    uct = UCT(sims=3000)
    report = uct.analyse(table.view(0))
    table.play(report.best.move)
    reply = report.line[1]
    grove = uct._groves[0]
    child = next(i for i in grove.children(ROOT) if grove.node(i).move == report.best.move)
    grandchild = next(i for i in grove.children(child) if grove.node(i).move == reply)
    known = grove.node(grandchild).visits
    assert known > 0
    table.play(reply)
    grove.stand_at(table.view(0).state, table.view(0).since)
    assert grove.node(ROOT).visits == known
    assert_well_formed(grove)


def test_a_kept_tree_of_a_chance_game_follows_the_dice():
    rules = DiceRace(goal=30)
    table = kibitz.Table(rules, seed=5)
    uct = UCT(sims=2000)
    for _ in range(6):
        table.play(uct.choose(table.view(table.turn)) if table.turn == 0 else 1)
        assert_well_formed(uct._groves[0])


def assert_well_formed(grove):
    """Children stand behind their parents, in blocks of their own, and are visited no more than they."""
    used, taken = int(grove.tree.used[0]), {ROOT}
    for index in range(used):
        node = grove.node(index)
        block = grove.children(index)
        assert not taken & set(block)
        taken |= set(block)
        assert all(index < child < used for child in block)
        assert sum(grove.node(child).visits for child in block) <= node.visits
    assert len(taken) == used


def test_a_position_that_does_not_follow_starts_a_new_tree():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=200)
    uct.analyse(kibitz.Table(rules).view(0))
    table = kibitz.Table(rules)
    for move in (0, 0, 0, 0):
        table.play(move)
    assert uct.analyse(table.view(0)).work == 200
    assert uct._groves[0].node(ROOT).visits == 200


def test_memory_is_bounded_and_a_full_tree_goes_on():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=2000, nodes=60)
    report = uct.analyse(kibitz.Table(rules).view(0))
    assert uct._groves[0].tree.used[0] <= 60
    assert report.work == sum(ranked.visits for ranked in report.moves) == 2000


def test_a_leaf_grows_only_after_the_visits_asked_for():
    rules = kibitz.game("connect_four")
    lazy, eager = UCT(sims=500, expand=50), UCT(sims=500)
    for uct in (lazy, eager):
        uct.analyse(kibitz.Table(rules).view(0))
    grove = lazy._groves[0]
    grown = [grove.node(i) for i in range(1, int(grove.tree.used[0])) if grove.children(i)]
    assert grown
    assert all(node.visits > 50 for node in grown)
    assert grove.tree.used[0] < eager._groves[0].tree.used[0]
    assert UCT(sims=5, expand=1000).analyse(kibitz.Table(rules).view(0)).work == 5


def outcome(report):
    return report.moves, report.work


@pytest.mark.parametrize("rules", [Nim(13), DiceRace(), kibitz.game("connect_four")], ids=lambda g: type(g).__name__)
def test_plain_and_compiled_search_find_the_same(rules):
    compiled = analysed("uct:sims=60", rules)
    with kibitz.plain():
        assert outcome(analysed("uct:sims=60", rules)) == outcome(compiled)


def test_how_a_search_is_sliced_changes_nothing(monkeypatch):
    rules = kibitz.game("connect_four")
    whole = analysed("uct:sims=1000", rules)
    monkeypatch.setattr(budget, "FIRST_SLICE", 7)
    monkeypatch.setattr(budget, "SLICE_SECONDS", 1e-6)
    assert outcome(analysed("uct:sims=1000", rules)) == outcome(whole)


def test_threads_share_the_simulations_and_repeat_themselves():
    rules = kibitz.game("connect_four")
    first, second = (analysed("uct:sims=3001,threads=2", rules) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.work == sum(ranked.visits for ranked in first.moves) == 3001


def test_threads_can_share_one_tree_which_is_not_repeatable():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=4000, threads=2, shared=True)
    table = kibitz.Table(rules, seed=1)
    while not table.over:
        table.play(uct.choose(table.view(table.turn)))
        assert len(uct._groves) == 1
    assert not uct.is_reproducible()
    assert UCT(sims=4000, threads=2).is_reproducible()


def test_another_seed_gives_another_search():
    rules = kibitz.game("connect_four")
    assert outcome(analysed("uct:sims=500", rules, seed=1)) != outcome(analysed("uct:sims=500", rules, seed=2))


def test_a_time_budget_ends_the_search():
    report = analysed("uct:ms=30", kibitz.game("connect_four"))
    assert report.work > 0


def test_hidden_information_is_refused_with_what_would_work():
    with pytest.raises(kibitz.SpecError, match="use mc"):
        kibitz.bot("uct", HighCard())


@pytest.mark.parametrize("spec", ["uct:sims=-1", "uct:threads=0", "uct:expand=0", "uct:sims=many", "uct:speed=3"])
def test_nonsense_options_are_refused(spec):
    with pytest.raises(kibitz.SpecError):
        kibitz.bot(spec, Nim())
