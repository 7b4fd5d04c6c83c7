"""UCT on games whose solution is known, and what its file promises: formula, proofs, memory, reproducibility."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.players import limit as budget
from kibitz.players.bot import Ranked
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.engine import Engine
from kibitz.search import simulation
from kibitz.search.search_tree import SearchTree, by_value
from kibitz.search.simulation import best_child
from kibitz.search.tree_arrays import ROOT, block_of
from kibitz.search.uct import UCT


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
def test_a_won_heap_of_nim_is_a_proven_win(heap):
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


@pytest.mark.slow
def test_a_larger_game_of_chance_is_estimated_close_to_its_value():
    rules = DiceRace(goal=9)
    report = analysed("uct:sims=20000,c=0.3", rules)
    assert report.value == pytest.approx(exact_values(rules)[0], abs=0.03)


@game
class NimForThree(Nim):
    """Nim for three players."""

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
        tree = SearchTree(kibitz.game("connect_four:columns=8"), 100)
        for i, (visits, mean) in enumerate(children, 1):
            tree.node(i).visits, tree.node(i).worth = visits, mean * visits
        total = sum(visits for visits, _ in children)
        chosen = best_child(tree.tree.nodes, tree.tree.exact, block_of(1, len(children)), total, 0, c, None)
    bounds = [mean + c * math.sqrt(math.log(total) / visits) for visits, mean in children]
    assert bounds[chosen - 1] == pytest.approx(max(bounds), abs=1e-9)


def test_the_tree_is_kept_along_the_moves_that_were_played():
    rules = kibitz.game("connect_four")
    table = kibitz.Table(rules, seed=3)
    uct = UCT(sims=3000)
    report = uct.analyse(table.view(0))
    table.play(report.best.move)
    reply = report.line[1]
    tree = uct._trees[0]
    child = next(i for i in tree.children(ROOT) if tree.node(i).move == report.best.move)
    grandchild = next(i for i in tree.children(child) if tree.node(i).move == reply)
    known = tree.node(grandchild).visits
    assert known > 0
    table.play(reply)
    tree.set_root(table.view(0).state, table.view(0).since)
    assert tree.node(ROOT).visits == known
    assert_well_formed(tree)


def test_a_kept_tree_of_a_chance_game_follows_the_dice():
    rules = DiceRace(goal=30)
    table = kibitz.Table(rules, seed=5)
    uct = UCT(sims=2000)
    for _ in range(6):
        table.play(uct.choose(table.view(table.turn)) if table.turn == 0 else 1)
        assert_well_formed(uct._trees[0])


def assert_well_formed(tree):
    """Children come after their parents, in disjoint blocks, and together have no more visits than they."""
    used, taken = int(tree.tree.used[0]), {ROOT}
    for index in range(used):
        node = tree.node(index)
        block = tree.children(index)
        assert not taken & set(block)
        taken |= set(block)
        assert all(index < child < used for child in block)
        assert sum(tree.node(child).visits for child in block) <= node.visits
    assert len(taken) == used


def test_a_position_outside_the_tree_starts_a_new_one():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=200)
    uct.analyse(kibitz.Table(rules).view(0))
    table = kibitz.Table(rules)
    for move in (0, 0, 0, 0):
        table.play(move)
    assert uct.analyse(table.view(0)).work == 200
    assert uct._trees[0].node(ROOT).visits == 200


def test_memory_is_bounded_and_a_full_tree_keeps_searching():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=2000, nodes=60)
    report = uct.analyse(kibitz.Table(rules).view(0))
    assert uct._trees[0].tree.used[0] <= 60
    assert report.work == sum(ranked.visits for ranked in report.moves) == 2000


def test_a_leaf_is_expanded_only_after_the_given_number_of_visits():
    rules = kibitz.game("connect_four")
    lazy, eager = UCT(sims=500, expand=50), UCT(sims=500)
    for uct in (lazy, eager):
        uct.analyse(kibitz.Table(rules).view(0))
    tree = lazy._trees[0]
    grown = [tree.node(i) for i in range(1, int(tree.tree.used[0])) if tree.children(i)]
    assert grown
    assert all(node.visits > 50 for node in grown)
    assert tree.tree.used[0] < eager._trees[0].tree.used[0]
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


def test_threads_share_the_simulations_reproducibly():
    rules = kibitz.game("connect_four")
    first, second = (analysed("uct:sims=3001,threads=2", rules) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.work == sum(ranked.visits for ranked in first.moves) == 3001


def test_threads_can_share_one_tree_which_is_not_reproducible():
    rules = kibitz.game("connect_four")
    uct = UCT(sims=4000, threads=2, shared=True)
    table = kibitz.Table(rules, seed=1)
    while not table.over:
        table.play(uct.choose(table.view(table.turn)))
        assert len(uct._trees) == 1
    assert not uct.is_reproducible()
    assert UCT(sims=4000, threads=2).is_reproducible()


def test_another_seed_gives_another_search():
    rules = kibitz.game("connect_four")
    assert outcome(analysed("uct:sims=500", rules, seed=1)) != outcome(analysed("uct:sims=500", rules, seed=2))


def test_the_exploration_bonus_can_use_the_visits_of_the_root(monkeypatch):
    asked = []

    def recording(nodes, exact, block, visits, *others):
        asked.append((visits, nodes[ROOT].visits))
        return best_child(nodes, exact, block, visits, *others)

    monkeypatch.setattr(simulation, "best_child", recording)
    with kibitz.plain():
        analysed("uct:sims=60,bonus=root", Nim(13))
        assert all(visits == of_root for visits, of_root in asked)
        asked.clear()
        analysed("uct:sims=60,bonus=parent", Nim(13))
        assert not all(visits == of_root for visits, of_root in asked)


def test_the_final_move_can_be_the_one_with_the_best_value():
    often, well, never = Ranked(0, 0.6, 100), Ranked(1, 0.7, 10), Ranked(2, 0.0, 0)
    assert by_value([often, well, never]) == (well, often, never)
    lost = Ranked(3, 0.0, 5, exact=True)
    assert by_value([lost, Ranked(4, 0.1, 5)])[0].move == 4


def test_draws_that_do_not_count_are_still_part_of_the_value():
    rules = kibitz.game("connect_four:columns=3,rows=3")  # nobody can win it
    with kibitz.plain():
        uct = UCT(sims=30, draws=False)
        report = uct.analyse(kibitz.Table(rules).view(0))
        nodes = [uct._trees[0].node(i) for i in range(1, int(uct._trees[0].tree.used[0]))]
    assert sum(node.visits for node in nodes) > 30
    assert all(node.worth == 0.0 for node in nodes)
    assert all(ranked.value == 0.5 for ranked in report.moves if ranked.visits)


def test_draws_that_do_not_count_survive_re_rooting():
    rules = kibitz.game("connect_four:columns=3,rows=3")
    with kibitz.plain():
        uct, table = UCT(sims=40, draws=False), kibitz.Table(rules)
        for move in uct.analyse(table.view(0)).line[:2]:
            table.play(move)
        tree = uct._trees[0]
        tree.set_root(table.view(0).state, table.view(0).since)
        visited = [i for i in tree.children(ROOT) if tree.node(i).visits]
        assert visited
        assert all(tree.statistics(i, 0).value == 0.5 for i in visited)


def test_a_playout_that_is_cut_off_is_evaluated():
    rules = Nim(21)
    with kibitz.plain():
        uct = UCT(sims=3, playout=0)
        uct.analyse(kibitz.Table(rules).view(0))
        tree, engine = uct._trees[0], Engine(rules)
        for index in tree.children(ROOT):
            after = engine.start()
            engine.play(after, tree.node(index).move)
            assert tree.node(index).worth == pytest.approx(engine.evaluate(after)[0])


def test_a_playout_that_reaches_the_end_counts_its_payoff():
    with kibitz.plain():
        assert analysed("uct:sims=40,playout=1", Nim(2)).best.value == 1.0


@pytest.mark.parametrize(
    ("spec", "rules", "lacks"),
    [
        ("uct:playout=3", DiceRace(), "evaluate"),
        ("uct:urgent=yes", Nim(), "urgency"),
        ("mc:urgent=yes", Nim(), "urgency"),
    ],
)
def test_options_that_the_game_does_not_support_are_rejected(spec, rules, lacks):
    with pytest.raises(kibitz.SpecError, match=lacks):
        analysed(spec, rules)


def test_all_options_combined_find_the_same_in_plain_mode():
    rules = kibitz.game("separo")
    spec = "uct:sims=60,habit=0.7,urgent=yes,playout=8,bonus=root,final=value,draws=no,expand=2"
    compiled = analysed(spec, rules)
    with kibitz.plain():
        assert outcome(analysed(spec, rules)) == outcome(compiled)


def test_hidden_information_is_rejected_with_an_alternative():
    with pytest.raises(kibitz.SpecError, match="use ismcts or mc"):
        kibitz.bot("uct", HighCard())


@pytest.mark.parametrize(
    "option",
    [
        "sims=-1",
        "threads=0",
        "expand=0",
        "sims=many",
        "speed=3",
        "habit=1.5",
        "playout=-2",
        "bonus=child",
        "final=luck",
    ],
)
def test_nonsense_options_are_rejected(option):
    with pytest.raises(kibitz.SpecError):
        kibitz.bot(f"uct:{option}", Nim())
