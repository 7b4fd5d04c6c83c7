"""Alpha-beta against brute force and a second solver, and what its file promises: budgets, slices, proofs, lines."""

import functools
import sys
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.players import limit as budget
from kibitz.rules.contract import OVER, game
from kibitz.rules.engine import Engine
from kibitz.search.alphabeta import AlphaBeta

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))
import solve_connect_four

FIVE = ConnectFour(columns=5, rows=4)
ALL = 20  # plies, which solve it


@game
class Sweets:
    """Take one to three from a row of sweets; taking two gives another move. The payoff is the share of their value."""

    players = 2
    actions = 3
    max_moves = 3
    max_plies = 12

    def fields(self):
        return [("left", "i1"), ("eaten", "i2", 2), ("turn", "i1")]

    def start(self, s):
        s.left = 12

    def moves(self, s, out):
        count = min(3, s.left)
        for move in range(count):
            out[move] = move
        return count

    def play(self, s, move):
        for _ in range(move + 1):
            s.eaten[s.turn] += 1 + s.left * s.left % 7
            s.left -= 1
        if s.left == 0:
            s.turn = OVER
        elif move != 1:
            s.turn = 1 - s.turn

    def payoff(self, s, out):
        for player in range(2):
            out[player] = s.eaten[player] / (s.eaten[0] + s.eaten[1])


@game
class Mirrored(ConnectFour):
    """Connect Four in which a position and its mirror image share a key."""

    columns: int = 5
    rows: int = 4

    def key(self, s):
        mirrored = 0
        code = s.discs[0] + (s.discs[0] | s.discs[1]) + self.bottom
        for column in range(self.columns):
            part = code >> self.bit(column, 0) & (2 << self.rows) - 1
            mirrored |= part << self.bit(self.columns - 1 - column, 0)
        return min(code, mirrored) * 2 + s.turn


SWEETS, MIRRORED = Sweets(), Mirrored()


def view_of(game, moves=()):
    """The view of the player to move after some moves."""
    table = kibitz.Table(game)
    for move in moves:
        table.play(move)
    return table.view(table.turn)


@st.composite
def views(draw, game, fewest, most):
    """The view after `fewest` to `most` random plies, or just before the end if that comes first."""
    table = kibitz.Table(game)
    for _ in range(draw(st.integers(fewest, most))):
        before = table.state
        table.play(draw(st.sampled_from(table.moves)))
        if table.over:
            table = kibitz.Table(game, position=before)
            break
    return table.view(table.turn)


def brute_force(game, state):
    """Perfect play by plain recursion: each player's share, and the number of plies to the end."""
    engine = Engine(game)

    @functools.cache
    def perfect(text):
        s = kibitz.State.from_text(text, game.dtype)
        if s.turn == OVER:
            return tuple(engine.payoff(s)), 0
        results = []
        for move in engine.moves(s):
            shares, plies = perfect(after(game, s, [move]).to_text())
            results.append((shares, plies + 1))
        return max(results, key=lambda r: (r[0][s.turn], -r[1] if r[0][s.turn] > 0.5 else r[1]))

    return perfect(state.to_text())


def after(game, state, line):
    engine, s = Engine(game), state.copy()
    for move in line:
        assert move in engine.moves(s)
        engine.play(s, move)
    return s


def timeless(report):
    return replace(report, seconds=0.0)


@pytest.mark.slow
def test_it_agrees_with_the_second_solver_on_five_columns_and_four_rows():
    report = AlphaBeta(depth=ALL).best(view_of(FIVE))
    assert report.best.exact
    assert 2 * report.value - 1 == solve_connect_four.second_opinion(5, 4) == 0


@settings(max_examples=15, deadline=None)
@given(views(FIVE, 10, 15))
def test_every_move_has_the_value_that_brute_force_finds(view):
    report = AlphaBeta(depth=ALL, table=10).analyse(view)
    assert sorted(ranked.move for ranked in report.moves) == view.moves
    for ranked in report.moves:
        shares, _ = brute_force(FIVE, after(FIVE, view.state, [ranked.move]))
        assert ranked.exact
        assert ranked.value == shares[view.player]
    values = [ranked.value for ranked in report.moves]
    assert values == sorted(values, reverse=True)


@settings(max_examples=15, deadline=None)
@given(views(FIVE, 10, 15))
def test_wins_are_as_fast_and_losses_as_slow_as_possible(view):
    shares, plies = brute_force(FIVE, view.state)
    report = AlphaBeta(depth=ALL, table=10).analyse(view)
    assert report.value == shares[view.player]
    if report.value != 0.5:
        assert len(report.line) == plies


@settings(max_examples=15, deadline=None)
@given(views(FIVE, 8, 15))
def test_the_chosen_move_is_worth_as_much_as_the_best_ranked(view):
    ranked = {r.move: r.value for r in AlphaBeta(depth=ALL).analyse(view).moves}
    assert ranked[AlphaBeta(depth=ALL).choose(view)] == max(ranked.values())


@settings(max_examples=15, deadline=None)
@given(views(FIVE, 4, 12))
def test_a_proven_line_is_legal_and_leads_to_the_end_it_promises(view):
    for ranked in AlphaBeta(depth=ALL).analyse(view).moves:
        end = after(FIVE, view.state, ranked.line)
        assert ranked.line[0] == ranked.move
        assert end.turn == OVER
        assert Engine(FIVE).payoff(end)[view.player] == ranked.value


def test_the_value_is_the_evaluation_at_the_end_of_the_line():
    view = view_of(FIVE)
    for ranked in AlphaBeta(depth=5).analyse(view).moves:
        end = after(FIVE, view.state, ranked.line)
        assert len(ranked.line) == 5
        assert Engine(FIVE).evaluate(end)[view.player] == pytest.approx(ranked.value, abs=1e-5)


def test_players_may_move_twice_and_payoffs_may_lie_between_win_and_loss():
    for moves in ([], [0], [1], [1, 1], [2, 1, 0]):
        view = view_of(SWEETS, moves)
        shares, _ = brute_force(SWEETS, view.state)
        report = AlphaBeta(depth=12).analyse(view)
        assert report.best.exact
        assert report.value == pytest.approx(shares[view.player], abs=1e-6)


def test_games_without_an_evaluation_count_as_even_at_the_horizon():
    assert [ranked.value for ranked in AlphaBeta(depth=1).analyse(view_of(SWEETS)).moves] == [0.5] * 3


@pytest.mark.parametrize("heap", [5, 8, 21])
def test_nim_is_lost_exactly_for_multiples_of_four(heap):
    report = AlphaBeta(nodes=50_000).analyse(view_of(Nim(), [0] * (21 - heap)))
    assert report.best.exact
    assert report.value == (0.0 if heap % 4 == 0 else 1.0)


@settings(max_examples=10, deadline=None)
@given(views(MIRRORED, 6, 12))
def test_a_key_shared_by_mirror_images_spoils_neither_values_nor_lines(view):
    report = AlphaBeta(depth=ALL).analyse(view)
    plain_key = AlphaBeta(depth=ALL).analyse(replace(view, game=FIVE))
    assert {r.move: r.value for r in report.moves} == {r.move: r.value for r in plain_key.moves}
    for ranked in report.moves:
        end = after(FIVE, view.state, ranked.line)
        assert end.turn == OVER
        assert Engine(FIVE).payoff(end)[view.player] == ranked.value


def test_a_tiny_table_forgets_but_does_not_err():
    view = view_of(FIVE, [2, 2, 2, 2, 1, 3])
    values = {r.move: r.value for r in AlphaBeta(depth=ALL, table=20).analyse(view).moves}
    assert {r.move: r.value for r in AlphaBeta(depth=ALL, table=1).analyse(view).moves} == values


@pytest.mark.parametrize("search", [AlphaBeta.analyse, AlphaBeta.best])
def test_slices_of_any_size_give_the_same_report(search, monkeypatch):
    whole = search(AlphaBeta(nodes=3000), view_of(FIVE))
    monkeypatch.setattr(budget, "FIRST_SLICE", 1)
    monkeypatch.setattr(budget, "SLICE_SECONDS", 1e-6)
    assert timeless(search(AlphaBeta(nodes=3000), view_of(FIVE))) == timeless(whole)


@pytest.mark.parametrize("rules", [FIVE, MIRRORED, SWEETS, Nim()], ids=lambda rules: type(rules).__name__)
@pytest.mark.parametrize("search", [AlphaBeta.analyse, AlphaBeta.best])
def test_plain_mode_gives_the_same_report(rules, search):
    compiled = search(AlphaBeta(nodes=400, table=6), view_of(rules))
    with kibitz.plain():
        assert timeless(search(AlphaBeta(nodes=400, table=6), view_of(rules))) == timeless(compiled)


@settings(max_examples=15, deadline=None)
@given(views(FIVE, 10, 15))
def test_late_moves_are_reduced_only_until_they_look_good(view):
    """A proven value is correct, no matter what was reduced on the way."""
    values = {r.move: r.value for r in AlphaBeta(depth=ALL, table=10).analyse(view).moves}
    for ranked in AlphaBeta(nodes=200_000, late=1, table=10).analyse(view).moves:
        assert ranked.exact
        assert ranked.value == values[ranked.move]


def test_late_move_reductions_save_nodes():
    view = view_of(FIVE)
    assert AlphaBeta(depth=9, late=1).analyse(view).work < AlphaBeta(depth=9).analyse(view).work


def test_late_move_reductions_are_the_same_in_plain_mode():
    compiled = AlphaBeta(nodes=400, late=1, table=6).analyse(view_of(FIVE))
    with kibitz.plain():
        assert timeless(AlphaBeta(nodes=400, late=1, table=6).analyse(view_of(FIVE))) == timeless(compiled)


def test_a_node_budget_is_spent_to_the_node():
    assert AlphaBeta(nodes=1234).analyse(view_of(FIVE)).work == 1234
    assert AlphaBeta(nodes=1234).best(view_of(FIVE)).work == 1234


def test_a_depth_budget_is_reached():
    assert AlphaBeta(depth=7).analyse(view_of(FIVE)).depth == 7


def test_of_depth_and_nodes_the_limit_reached_first_counts():
    assert AlphaBeta(depth=2, nodes=10_000).analyse(view_of(FIVE)).depth == 2
    assert AlphaBeta(depth=15, nodes=500).analyse(view_of(FIVE)).work == 500


def test_without_a_budget_it_searches_a_hundred_thousand_nodes():
    assert AlphaBeta().analyse(view_of(FIVE)).work == 100_000


def test_the_smallest_budget_still_ranks_every_move():
    report = AlphaBeta(nodes=1).analyse(view_of(FIVE))
    assert report.depth == 1
    assert sorted(ranked.move for ranked in report.moves) == [0, 1, 2, 3, 4]


def test_a_win_ends_the_search_for_the_best_move_at_once():
    report = AlphaBeta(nodes=100_000).best(view_of(FIVE, [2, 0, 2, 0, 2, 0]))
    assert (report.best.move, report.value, report.best.exact) == (2, 1.0, True)
    assert report.work < 100


def test_what_was_learned_is_kept_within_a_game():
    table, kept = kibitz.Table(FIVE), AlphaBeta(depth=12)
    kept.best(table.view(0))
    for move in (2, 2):
        table.play(move)
    assert kept.best(table.view(0)).work < AlphaBeta(depth=12).best(table.view(0)).work


def test_a_second_game_is_played_like_the_first():
    bot = AlphaBeta(nodes=2000)

    def reports():
        table = kibitz.Table(FIVE)
        for move in (2, 2, 1, 3, 1, 1):
            if table.turn == 0:
                yield timeless(bot.best(table.view(0)))
            table.play(move)

    assert list(reports()) == list(reports())


def test_a_search_that_was_cut_short_does_not_disturb_the_next():
    table, bot = kibitz.Table(FIVE), AlphaBeta(nodes=777)
    while not table.over:
        table.play(bot.choose(table.view(table.turn)))
    assert len(table.history) > 7


def test_a_forced_move_is_played_without_a_search():
    bot = AlphaBeta()
    assert bot.choose(view_of(Nim(), [0] * 20)) == 0


@pytest.mark.parametrize(("rules", "instead"), [(DiceRace(), "uct"), (HighCard(), "ismcts or mc")])
def test_games_it_cannot_play_are_rejected_with_an_alternative(rules, instead):
    with pytest.raises(kibitz.SpecError, match=f"alphabeta cannot play .* use {instead}"):
        kibitz.bot("alphabeta", rules)


@pytest.mark.parametrize(
    "options", [{"depth": -1}, {"nodes": -1}, {"ms": -1}, {"late": -1}, {"table": 0}, {"table": 31}]
)
def test_impossible_options_are_rejected(options):
    with pytest.raises(kibitz.SpecError, match=f"^alphabeta: {next(iter(options))} must be "):
        AlphaBeta(**options)
