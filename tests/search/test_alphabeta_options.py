"""The options of alphabeta: what counts at the horizon, and how moves are ordered."""

import random
from dataclasses import replace
from types import SimpleNamespace

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings
from toys import Nim

import kibitz
from kibitz.compiler import numbers
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.games.hexplode.rules import Hexplode
from kibitz.rules.contract import OVER, game
from kibitz.rules.engine import Engine
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.negamax import BEHIND, FAR_BEHIND, MOST_HISTORY, reduction

ORDERS = ("evaluation", "history", "mixed")
THREE, FIVE = Hexplode(side=3), ConnectFour(columns=5, rows=4)


@game
class Market:
    """Two players take turns taking sacks with 3, 1, 4, 1, 5 and 9 coins; the one with the most coins wins."""

    fewest: bool = False  # the fewest coins win

    players = 2
    actions = 6
    max_moves = 6
    max_plies = 6

    @property
    def score_lower_wins(self):
        return self.fewest

    def fields(self):
        return [("taken", "i1", 6), ("coins", "i2", 2), ("turn", "i1")]

    def start(self, s):
        pass

    def moves(self, s, out):
        count = 0
        for sack in range(6):
            if not s.taken[sack]:
                out[count] = sack
                count += 1
        return count

    def play(self, s, move):
        sacks = (3, 1, 4, 1, 5, 9)
        s.taken[move] = 1
        s.coins[s.turn] += sacks[move]
        left = 0
        for sack in range(6):
            left += not s.taken[sack]
        s.turn = 1 - s.turn if left else OVER

    def payoff(self, s, out):
        lead = s.coins[0] - s.coins[1]
        if self.fewest:
            lead = -lead
        out[0] = 0.5 if lead == 0 else 1.0 if lead > 0 else 0.0
        out[1] = 1.0 - out[0]

    def score(self, s, out):
        for player in range(2):
            out[player] = s.coins[player]


def played(rules, moves):
    table = kibitz.Table(rules)
    for move in moves:
        table.play(move)
    return table.view(table.turn)


def middle_of_hexplode():
    return played(THREE, [0, 18, 0, 18, 7, 9, 2, 5, 7, 9, 2, 5, 16, 11])


def timeless(report):
    return replace(report, seconds=0.0)


def minimax_lead(rules, state, player, depth):
    """The best lead in points that plain minimax finds for a player."""
    engine = Engine(rules)
    if depth == 0 or state.turn == OVER:
        coins = engine.score(state)
        return coins[player] - coins[1 - player]
    values = []
    for move in engine.moves(state):
        after = state.copy()
        engine.play(after, move)
        values.append(minimax_lead(rules, after, player, depth - 1))
    return max(values) if state.turn == player else min(values)


# ------------------------------------------------------------------ the horizon


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_by_score_the_lead_in_points_counts(depth):
    view, engine = middle_of_hexplode(), Engine(THREE)
    report = AlphaBeta(depth=depth, by="score").analyse(view)
    leads = {}
    for ranked in report.moves:
        after = view.state.copy()
        engine.play(after, ranked.move)
        leads[ranked.move] = minimax_lead(THREE, after, view.player, depth - 1)
    best_first = [leads[ranked.move] for ranked in report.moves]
    assert best_first == sorted(best_first, reverse=True)
    assert {ranked.value > 0.5 for ranked in report.moves if leads[ranked.move] > 0} <= {True}


@pytest.mark.parametrize(("fewest", "sack"), [(False, 5), (True, 1)])
def test_fewer_points_are_better_where_the_game_says_so(fewest, sack):
    assert AlphaBeta(depth=1, by="score").choose(played(Market(fewest=fewest), [])) == sack


def test_without_an_evaluation_the_first_move_is_played():
    assert AlphaBeta(depth=1).choose(played(Market(), [])) == 0


def test_a_game_without_points_is_rejected():
    with pytest.raises(kibitz.SpecError, match=r"no score\(s, out\); leave out by=score"):
        kibitz.bot("alphabeta:by=score", Nim())


def test_the_end_of_the_game_counts_more_than_points():
    report = AlphaBeta(depth=6, by="score").best(played(Market(), []))
    assert report.best.exact
    assert report.value == 1.0


# ------------------------------------------------------------------ move ordering


def test_the_order_changes_the_work_but_not_the_values():
    views = [middle_of_hexplode(), played(THREE, [9, 0, 9, 18])]
    for view in views:
        reports = [AlphaBeta(depth=5, order=order).analyse(view) for order in ORDERS]
        assert len({tuple(sorted((r.move, r.value) for r in report.moves)) for report in reports}) == 1
        assert len({report.work for report in reports}) == len(ORDERS)


def test_in_any_order_a_small_game_is_solved():
    for order in ORDERS:
        report = AlphaBeta(depth=20, order=order).best(played(FIVE, [2, 2, 2]))
        assert report.best.exact
        assert report.value == 0.5


def test_history_counts_moves_that_failed_to_refute_and_stays_within_bounds():
    bot = AlphaBeta(nodes=20_000, order="history")
    bot.best(middle_of_hexplode())
    history = bot._search.stack.history
    assert -MOST_HISTORY <= history.min() < 0 < history.max() <= MOST_HISTORY


@pytest.mark.parametrize(
    ("loss", "depth", "plies"), [(0, 8, 1), (BEHIND + 1, 8, 2), (FAR_BEHIND + 1, 8, 3), (FAR_BEHIND + 1, 3, 1)]
)
def test_late_moves_are_reduced_the_more_the_worse_they_look(loss, depth, plies):
    late, first = 3, SimpleNamespace(next=3, depth=depth)
    move = SimpleNamespace(next=4, depth=depth, alpha=500, priority=[0, 0, 0, 500 - loss])
    with kibitz.plain():
        assert reduction(move, late, True) == plies
        assert reduction(move, late, False) == 1
        assert reduction(first, late, True) == 0


@pytest.mark.parametrize(
    "options", [{"by": "score"}, {"order": "history", "late": 2}, {"order": "mixed", "late": 2}, {"late": 2}]
)
def test_plain_mode_gives_the_same_report(options):
    compiled = AlphaBeta(nodes=300, table=6, **options).best(middle_of_hexplode())
    with kibitz.plain():
        assert timeless(AlphaBeta(nodes=300, table=6, **options).best(middle_of_hexplode())) == timeless(compiled)


def test_unknown_choices_are_rejected_with_the_valid_ones():
    with pytest.raises(kibitz.SpecError, match="alphabeta: order must be evaluation or history or mixed, not alphabet"):
        kibitz.bot("alphabeta:order=alphabet", THREE)


def test_what_is_no_choice_must_be_a_bot():
    with pytest.raises(kibitz.SpecError, match=r"There is no bot for .* called 'luck'"):
        kibitz.bot("alphabeta:by=luck", THREE)


# ------------------------------------------------------------------ chance before the first move


def test_chance_before_the_first_move_does_not_matter():
    table = kibitz.Table(Hexplode(side=2, damage=0.2), seed=2)
    bots = [kibitz.bot("alphabeta:nodes=500", table.game) for _ in range(2)]
    while not table.over:
        table.play(bots[table.turn].choose(table.view(table.turn)))
    assert sum(table.payoff()) == 1.0


# ------------------------------------------------------------------ quiescence search


def settled(engine, state, plies):
    """The share of the player to move if noisy moves alone are made, at most `plies` of them, and anyone may stop."""
    best = engine.evaluate(state)[state.turn]
    if plies:
        out = numbers(engine.game.max_moves, "i8")
        for move in out[: engine.game.noisy_moves(state, out)].tolist():
            after = state.copy()
            engine.play(after, move)
            share = engine.payoff(after)[state.turn] if after.turn == OVER else 1 - settled(engine, after, plies - 1)
            best = max(best, share)
    return best


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(6, 40), st.integers(1, 4))
def test_beyond_the_horizon_noisy_moves_are_searched(seed, plies, quiet):
    """Ranked at depth 1, a move is worth what the opponent leaves of it by captures."""
    table, choice = kibitz.Table(THREE), random.Random(seed)
    for _ in range(plies):
        if not table.over:
            table.play(choice.choice(table.moves))
    assume(not table.over)
    engine, view = Engine(THREE), table.view(table.turn)
    for ranked in AlphaBeta(depth=1, quiet=quiet).analyse(view).moves:
        after = view.state.copy()
        engine.play(after, ranked.move)
        share = engine.payoff(after)[view.player] if after.turn == OVER else 1 - settled(engine, after, quiet)
        assert ranked.value == pytest.approx(share, abs=1e-5)


def test_a_win_by_captures_beyond_the_horizon_is_proven():
    table = kibitz.Table(Hexplode(side=2), seed=1)
    report = AlphaBeta(depth=20, quiet=8).analyse(table.view(0))
    assert (report.best.exact, report.value) == (True, 1.0)


def test_quiescence_needs_rules_that_say_what_is_noisy():
    with pytest.raises(kibitz.KibitzError, match=r"no noisy_moves\(s, out\); leave out quiet"):
        kibitz.bot("alphabeta:quiet=4", Nim())
