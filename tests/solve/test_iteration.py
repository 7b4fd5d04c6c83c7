"""Games with chance solved, against exact recursion, linear equations and published values."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from second_ur import SecondUr
from toys import DiceRace, HighCard

import kibitz
from kibitz.games.ur.index import position_index
from kibitz.games.ur.rules import Ur
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.engine import Engine
from kibitz.solve import solve
from kibitz.solve.iteration import Iteration

SURE, BOLD = 0, 1
TOP = 3
MEMORY = 10**9
# The first player's winning chances with perfect play, by pieces and last rosette.
PUBLISHED = {
    (1, 14): 0.530049839525,
    (2, 14): 0.518572907496,
    (4, 14): 0.516159233557,
    (1, 13): 0.526890704591,
    (2, 13): 0.516791183373,
    (4, 13): 0.515044738720,
}


@game
class Ladders:
    """Be first to the top: toss a coin to climb one rung, or roll five or six to climb two, or else fall off."""

    players = 2
    actions = 2
    max_moves = 2
    max_outcomes = 2
    max_plies = 10_000

    def fields(self):
        return [("at", "i1", 2), ("bold", "i1"), ("mover", "i1"), ("turn", "i1")]

    def start(self, s):
        s.turn = 0

    def moves(self, s, out):
        out[0] = SURE
        out[1] = BOLD
        return 2

    def chances(self, s, out, p):
        out[0] = 0
        out[1] = 1
        p[1] = 1 / 3 if s.bold else 1 / 2
        p[0] = 1 - p[1]
        return 2

    def play(self, s, move):
        if s.turn != CHANCE:
            s.mover = s.turn
            s.bold = move
            s.turn = CHANCE
            return
        me = s.mover
        if move:
            s.at[me] += 2 if s.bold else 1
        elif s.bold:
            s.at[me] = 0
        s.turn = OVER if s.at[me] >= TOP else 1 - me
        s.bold = 0

    def payoff(self, s, out):
        out[s.mover] = 1.0
        out[1 - s.mover] = 0.0


def ladders_by_equations():
    """The value of the game for the first player, by policy iteration."""
    places = [(mine, yours) for mine in range(TOP) for yours in range(TOP)]
    number = {place: i for i, place in enumerate(places)}
    policy = [SURE] * len(places)
    while True:
        matrix, constant = np.eye(len(places)), np.zeros(len(places))
        for (mine, yours), i in number.items():
            for p, after in outcomes(mine, policy[i]):
                constant[i] += p
                if after < TOP:
                    matrix[i, number[yours, after]] += p
        values = np.linalg.solve(matrix, constant)

        def worth(mine, yours, choice, values=values):
            return sum(p * (1 if to >= TOP else 1 - values[number[yours, to]]) for p, to in outcomes(mine, choice))

        better = [max((SURE, BOLD), key=lambda choice, at=at: worth(*at, choice)) for at in places]
        if better == policy:
            return values[number[0, 0]]
        policy = better


def outcomes(at, choice):
    return [(1 / 3, at + 2), (2 / 3, 0)] if choice == BOLD else [(1 / 2, at + 1), (1 / 2, at)]


def race_by_recursion(rules):
    """The value of the dice race for player 0, as an exact fraction."""

    @cache
    def worth(at, mover):
        def after(squares):
            there = tuple(place + squares if player == mover else place for player, place in enumerate(at))
            return Fraction(1 - mover) if there[mover] >= rules.goal else worth(there, 1 - mover)

        faces = range(1, rules.faces + 1)
        rolled = sum(Fraction(2 if face == 1 else 1, rules.faces + 1) * after(face) for face in faces)
        return (max if mover == 0 else min)(after(2), rolled)

    return worth((0, 0), 0)


def test_a_race_is_worth_what_exact_recursion_finds():
    assert solve(DiceRace()).label.value == pytest.approx(float(race_by_recursion(DiceRace())), abs=1e-12)


def test_a_game_that_may_go_on_forever_is_worth_what_equations_say():
    assert solve(Ladders(), tolerance=1e-12).label.value == pytest.approx(ladders_by_equations(), abs=1e-11)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_values_are_within_the_tolerance(tolerance):
    assert abs(solve(Ladders(), tolerance=tolerance).label.value - ladders_by_equations()) <= tolerance


def test_plain_mode_finds_the_same_values():
    compiled = solve(Ladders())
    with kibitz.plain():
        plain = solve(Ladders())
    assert plain.label.value == pytest.approx(compiled.label.value, abs=1e-14)
    assert plain.label.sweeps == compiled.label.sweeps


@pytest.mark.slow
@pytest.mark.parametrize(("pieces", "rosettes"), [(1, 13), (1, 14), (2, 14)])
def test_every_position_of_ur_is_worth_what_linear_equations_say(pieces, rosettes):
    rules = Ur(pieces=pieces, rosettes=rosettes)
    table = solve(rules, tolerance=1e-11)
    expected = SecondUr(rosettes).values(pieces)
    assert table.label.positions == position_index(rules).size
    engine = Engine(rules)
    for (mine, yours), value in expected.items():
        state = engine.start()
        for player, side in enumerate((mine, yours)):
            state.hand[player] = side.count(0)
            state.at[player] = sum(1 << step for step in side if step)
        assert table.values.value(state) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("rosettes", [13, 14])
@pytest.mark.parametrize("pieces", [1, 2, 4])
def test_ur_has_the_published_values(pieces, rosettes):
    label = solve(Ur(pieces=pieces, rosettes=rosettes), tolerance=1e-10).label
    assert label.value == pytest.approx(PUBLISHED[pieces, rosettes], abs=1e-9)
    assert label.positions == {1: 217, 2: 12_869, 4: 2_602_822}[pieces]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"rosettes": 16, "coins": 3, "safe": False}, {"rosettes": 16, "safe": False, "captures": True}]
)
def test_the_masters_path_is_worth_what_linear_equations_say(options):
    label = solve(Ur(pieces=1, **options), tolerance=1e-12).label
    assert label.value == pytest.approx(SecondUr(**options).values(1)[(0,), (0,)], abs=1e-11)


def test_the_number_of_threads_does_not_change_a_single_bit():
    rules = Ur(pieces=2)
    found = []
    for threads in (1, 3):
        iteration = Iteration(rules, position_index(rules), 1e-9, MEMORY)
        assert len(list(iteration.run(threads))) == len(iteration.layers)
        found.append(iteration.store.values)
    assert (found[0] == found[1]).all()


def test_little_memory_costs_sweeps_but_no_precision():
    rules = Ur(pieces=2)
    ample, scarce = (Iteration(rules, position_index(rules), 1e-11, memory) for memory in (MEMORY, 380_000))
    for iteration in (ample, scarce):
        assert len(list(iteration.run(1))) == len(iteration.layers)
    assert np.abs(ample.store.values - scarce.store.values).max() < 1e-10
    assert scarce.sweeps > ample.sweeps


def test_an_estimate_says_what_is_left():
    rules = Ur(pieces=2)
    iteration = Iteration(rules, position_index(rules), 1e-6, MEMORY)
    iteration.compile()
    at_first = iteration.estimate(threads=1)
    assert 0 < at_first.memory < MEMORY
    assert iteration.estimate(threads=4).seconds > 0
    assert len(list(iteration.run(1))) == len(iteration.layers)
    assert iteration.estimate() == (0, 0.0)


def test_a_layer_is_started_only_after_those_it_needs(monkeypatch):
    rules = Ur(pieces=2)
    iteration = Iteration(rules, position_index(rules), 1e-6, MEMORY)
    done, started = set(), []

    solve_one = iteration._solve

    def recording(place, *rest):
        started.append((iteration.layers[place], frozenset(done)))
        return solve_one(place, *rest)

    monkeypatch.setattr(iteration, "_solve", recording)
    for place in iteration.run(2):
        done.add(place)
    assert sorted(layer for layer, _ in started) == sorted(iteration.layers)
    assert any(len(layer.needs) > 1 for layer, _ in started)
    assert all(solved.issuperset(layer.needs) for layer, solved in started)


def test_a_game_too_large_for_memory_is_rejected_with_its_size():
    with pytest.raises(
        kibitz.KibitzError, match=r"has 137,870,097 positions, which take 1\.\d GB to solve; allow more"
    ):
        solve(Ur(pieces=7), memory=10**8)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1.0, float("nan")])
def test_impossible_tolerances_are_rejected(tolerance):
    with pytest.raises(kibitz.KibitzError, match="tolerance must be"):
        solve(DiceRace(), tolerance=tolerance)


def test_hidden_information_is_rejected_with_an_alternative():
    with pytest.raises(kibitz.KibitzError, match="use ismcts or mc"):
        solve(HighCard())
