"""Small games solved exhaustively, against theory, brute force and alpha-beta."""

import functools
from pathlib import Path

import pytest
from toys import Centipede, Chips, DiceRace, HighCard, Nim

import kibitz
from kibitz.rules.contract import OVER, game
from kibitz.rules.engine import Engine
from kibitz.solve import solve
from kibitz.solve.positions import Positions, TooLarge

CHOMP = f"{Path(__file__).parent.parent.parent / 'examples' / 'chomp.py'}:Chomp:rows=3,columns=4"
FOUR = "connect_four:columns=4,rows=4"


@game
class Sweets:
    """Take one or two from a row of sweets; taking two gives another move. The payoff is the share of their value."""

    players = 2
    actions = 2
    max_moves = 2
    max_plies = 9

    def fields(self):
        return [("left", "i1"), ("eaten", "i2", 2), ("turn", "i1")]

    def start(self, s):
        s.left = 9

    def moves(self, s, out):
        for move in range(min(2, s.left)):
            out[move] = move
        return min(2, s.left)

    def play(self, s, move):
        for _ in range(move + 1):
            s.eaten[s.turn] += 1 + s.left * s.left % 7
            s.left -= 1
        if s.left == 0:
            s.turn = OVER
        elif move == 0:
            s.turn = 1 - s.turn

    def payoff(self, s, out):
        for player in range(2):
            out[player] = s.eaten[player] / (s.eaten[0] + s.eaten[1])


@game
class Dither:
    """Players may always step back, so that positions repeat."""

    players = 2
    actions = 2
    max_moves = 2
    max_plies = 100

    def fields(self):
        return [("at", "i1"), ("turn", "i1")]

    def start(self, s):
        s.at = 1

    def moves(self, s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(self, s, move):
        s.at += 1 if move else -1
        s.turn = OVER if s.at in (0, 3) else 1 - s.turn

    def payoff(self, s, out):
        out[0] = 1.0 if s.at == 3 else 0.0
        out[1] = 1.0 - out[0]


def brute_force(rules):
    """The value of every first move by plain recursion: player 0's share and the plies to the end."""
    engine = Engine(rules)

    @functools.cache
    def worth(text):
        state = kibitz.State.from_text(text, rules.dtype)
        if state.turn == OVER:
            return engine.payoff(state)[0], 0
        sign = 1 if state.turn == 0 else -1
        ends = [worth(after) for after in after_each(state)]
        share = max((share for share, _ in ends), key=lambda share: sign * share)
        lengths = [plies for other, plies in ends if other == share]
        ahead = sign * (share - 0.5)
        return share, 1 + (min(lengths) if ahead > 0 else max(lengths))

    def after_each(state):
        texts = []
        for move in engine.moves(state):
            after = state.copy()
            engine.play(after, move)
            texts.append(after.to_text())
        return texts

    start = engine.start()
    return dict(zip(engine.moves(start), map(worth, after_each(start)), strict=True))


@pytest.mark.parametrize("rules", [kibitz.game(CHOMP), Nim(), Sweets()], ids=["chomp", "nim", "sweets"])
def test_every_first_move_is_worth_what_brute_force_finds(rules):
    with kibitz.plain():
        expected = brute_force(rules)
        solution = solve(rules)
    assert {valued.move for valued in solution.moves} == set(expected)
    for valued in solution.moves:
        share, plies = expected[valued.move]
        assert valued.value == share
        assert valued.plies == (None if share == 0.5 else plies + 1)


def test_moves_are_ranked_best_first_and_the_line_is_as_long_as_promised():
    solution = solve(kibitz.game(CHOMP))
    values = [valued.value for valued in solution.moves]
    assert values == sorted(values, reverse=True)
    losses = [valued.plies for valued in solution.moves if valued.value == 0]
    assert losses == sorted(losses, reverse=True)
    assert len(solution.line) == solution.plies
    table = kibitz.Table(solution.game)
    for move in solution.line:
        table.play(move)
    assert table.payoff() == [1.0, 0.0]


def test_positions_are_counted_once_at_the_fewest_plies_that_reach_them():
    engine = Engine(kibitz.game(CHOMP))
    known, layers = set(), []
    layer = {engine.start().to_text()}
    while layer:
        known |= layer
        layers.append(len(layer))
        after = set()
        for text in layer:
            state = kibitz.State.from_text(text, engine.game.dtype)
            for move in engine.moves(state):
                child = state.copy()
                engine.play(child, move)
                if child.turn != OVER:
                    after.add(child.to_text())
        layer = after - known
    assert solve(engine.game).layers == tuple(layers)


def test_connect_four_is_worth_what_alphabeta_says():
    rules = kibitz.game(FOUR)
    solution = solve(rules)
    report = kibitz.bot("alphabeta:depth=16", rules).analyse(kibitz.Table(rules).view(0))
    assert {r.move: r.value for r in report.moves} == {valued.move: valued.value for valued in solution.moves}
    assert sum(solution.layers) == 134_289
    assert solution.plies is None


def test_every_reachable_position_can_be_looked_up():
    with kibitz.plain():
        solution = solve(Nim(heap=10))
        table = kibitz.Table(solution.game)
        while not table.over:
            best = solution.ranked(table.state)[0]
            assert best.value == (0.0 if table.state.left % 4 == 0 else 1.0)
            table.play(best.move)


def test_hexplode_of_side_two_is_won_in_fifteen_plies_by_any_first_move():
    solution = solve(kibitz.game("hexplode:side=2"))
    assert sum(solution.layers) == 80_561
    assert [(valued.value, valued.plies) for valued in solution.moves] == [(1.0, 15)] * 7


def test_plain_mode_finds_the_same():
    compiled = solve(kibitz.game(CHOMP))
    with kibitz.plain():
        plain = solve(kibitz.game(CHOMP))
    assert (plain.moves, plain.line, plain.layers) == (compiled.moves, compiled.line, compiled.layers)


def test_a_game_with_cycles_is_rejected():
    with kibitz.plain(), pytest.raises(kibitz.KibitzError, match="2 of its positions lie on, or lead into, a cycle"):
        solve(Dither())


def test_a_game_too_large_for_memory_reports_how_far_the_search_got():
    with pytest.raises(TooLarge, match=r"including all within \d+ plies \(1, 4, 16, 52,") as error:
        solve(kibitz.game(FOUR), memory=1_000_000)
    assert sum(error.value.layers) <= error.value.found < 134_289
    assert not error.value.growing  # its counter of plies follows from the board


@game
class Walk:
    """Step left or right on a ring of ten; a counter of the steps makes endlessly many positions of it."""

    players = 2
    actions = 2
    max_moves = 2
    max_plies = 30_000

    def fields(self):
        return [("at", "i1"), ("steps", "i2"), ("turn", "i1")]

    def start(self, s):
        s.at = 5

    def moves(self, s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(self, s, move):
        s.at = (s.at + 2 * move - 1) % 10
        s.steps += 1
        s.turn = OVER if s.steps == self.max_plies else 1 - s.turn

    def payoff(self, s, out):
        out[0] = 1.0
        out[1] = 0.0


def test_a_counter_that_multiplies_the_positions_is_named():
    with (
        kibitz.plain(),
        pytest.raises(TooLarge, match=r"s\.steps takes [\d,]+ different values .*prefix its name with _") as error,
    ):
        solve(Walk(), memory=300_000)
    assert set(error.value.growing) == {"steps"}


def test_room_for_positions_grows_without_losing_any():
    positions = Positions(kibitz.game(FOUR), 10**9)
    positions.find_all()
    for number in range(0, len(positions), 997):
        assert positions.number(positions.state(number)) == number


@pytest.mark.parametrize(("rules", "instead"), [(HighCard(), "ismcts or mc")])
def test_games_with_hidden_information_are_rejected_with_an_alternative(rules, instead):
    with pytest.raises(kibitz.KibitzError, match=f"cannot be solved: .* use {instead}"):
        solve(rules)


def test_a_game_without_chance_leaves_no_table(tmp_path):
    with pytest.raises(kibitz.KibitzError, match="leaves no table"):
        solve(Nim(), out=tmp_path / "nim.table")


def test_a_game_with_chance_but_no_numbering_leaves_no_table(tmp_path):
    with pytest.raises(kibitz.KibitzError, match="leave out --out"):
        solve(DiceRace(), out=tmp_path / "race.table")


# ------------------------------------------------------------------ utilities


@pytest.mark.parametrize("dice", [False, True])
def test_a_game_with_utilities_has_the_value_that_expectimax_finds(dice):
    with kibitz.plain():
        rules = Chips(height=3, seed=5, dice=dice)
        found = kibitz.bot("expectimax:depth=9", rules).analyse(kibitz.Table(rules).view(0))
        solved = solve(rules)
        if dice:
            assert solved.label.value == pytest.approx(found.value)
        else:
            assert {v.move: v.value for v in solved.moves} == pytest.approx({r.move: r.value for r in found.moves})
            assert rules.utility(solved.value) in range(-3, 4)


def test_a_game_without_a_constant_sum_cannot_be_solved():
    with pytest.raises(kibitz.KibitzError, match="no constant sum, so that a position has no value; use uct or maxn"):
        solve(Centipede())
