"""Payoffs other than shares of the win: what a game declares, what is refused, and how payoffs are normalized."""

import pytest
from toys import Centipede, Chips, HighCard, Nim, RandomTree, ThreePurses

import kibitz
from kibitz.errors import RulesError
from kibitz.rules.contract import game
from kibitz.rules.engine import Engine


def end_of(rules, moves=()):
    """A finished game and its engine: the given moves, then always the first one."""
    engine = Engine(rules)
    state = engine.start()
    while state.turn != kibitz.OVER:
        engine.play(state, engine.moves(state)[0] if not moves else moves[0])
        moves = moves[1:]
    return engine, state


def test_shares_of_the_win_are_normalized_by_the_payoff_itself():
    assert Nim.normalized_payoff is Nim.payoff
    assert not Nim().has_utilities
    assert Nim().is_constant_sum
    assert Nim().normalized_sum == HighCard().normalized_sum == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_utilities_are_normalized_by_their_bounds(seed):
    engine, state = end_of(Chips(seed=seed))
    utilities = engine.payoff(state)
    assert engine.normalized_payoff(state) == [(u + 3) / 6 for u in utilities]
    with kibitz.plain():
        plain = Engine(engine.game)
        assert (plain.payoff(state), plain.normalized_payoff(state)) == (utilities, [(u + 3) / 6 for u in utilities])


def test_bounds_may_depend_on_the_variant():
    with kibitz.plain():
        engine, state = end_of(Centipede(rounds=4), moves=(1, 1, 0))
        assert engine.payoff(state) == [4, 2]
        assert engine.normalized_payoff(state) == [4 / 5, 2 / 5]
    assert Centipede(rounds=9).max_utility == 10


def test_a_normalized_value_stands_for_a_utility():
    for utility in (-3, -1, 0.5, 3):
        assert Chips().utility(Chips().normalized(utility)) == pytest.approx(utility)
    assert (Chips().utility(0.0), Chips().utility(1.0)) == (-3, 3)
    assert Nim().utility(0.3) == Nim().normalized(0.3) == 0.3


def test_normalized_utilities_have_a_sum_of_their_own():
    assert Chips().normalized_sum == 1.0
    assert ThreePurses().normalized_sum == 1.5
    assert Centipede().normalized_sum is None
    assert not Centipede().is_constant_sum


def test_who_forfeits_gets_the_minimum_and_the_others_share_the_rest():
    assert Nim().forfeit_by(1) == [1.0, 0.0]
    assert HighCard().forfeit_by(1) == [0.5, 0.0, 0.5]
    assert Chips().forfeit_by(0) == [-3, 3]
    assert ThreePurses().forfeit_by(2) == [1, 1, -2]


def test_without_a_constant_sum_the_others_get_the_maximum_when_one_forfeits():
    assert Centipede(rounds=6).forfeit_by(0) == [0, 7]


# ------------------------------------------------------------------ what makes no sense


def declared(players=2, **facts):
    """A game that declares these facts."""
    methods = {name: getattr(RandomTree, name) for name in ("fields", "start", "moves", "play", "payoff")}
    sizes = {"players": players, "actions": 8, "max_moves": 8, "max_plies": 9, "width": 3}
    return game(type("Declared", (), {**methods, **sizes, **facts}))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"min_utility": 1, "max_utility": 1, "utility_sum": 2}, "min_utility must be less than max_utility"),
        ({"min_utility": "low", "max_utility": 1, "utility_sum": 0}, "min_utility must be a number, not 'low'"),
        ({"min_utility": 0, "max_utility": float("inf"), "utility_sum": None}, "max_utility must be a number, not inf"),
        ({"min_utility": -1, "max_utility": 1, "utility_sum": "zero"}, "utility_sum must be a number, not 'zero'"),
        ({"min_utility": -2, "max_utility": 3, "utility_sum": 0}, "max_utility is 3, but nobody can get more than 2"),
        ({"min_utility": -3, "max_utility": 2, "utility_sum": 0}, "min_utility is -3, but nobody can get less than -2"),
        ({"utility_sum": 0}, "max_utility is 1, but nobody can get more than 0"),
        (
            {"players": 3, "min_utility": -1, "max_utility": 3, "utility_sum": 0},
            "nobody can get more than 2 if the utilities of 3 players sum to 0 and each gets at least -1",
        ),
    ],
)
def test_bounds_that_contradict_each_other_are_refused_when_the_game_is_made(facts, words):
    with pytest.raises(RulesError, match=words):
        declared(**facts)()


@pytest.mark.parametrize(
    "facts",
    [
        {"min_utility": -1, "max_utility": 2, "utility_sum": 0, "players": 3},
        {"min_utility": -1, "max_utility": 1.5, "utility_sum": 0, "players": 3},
        {"min_utility": 0.1, "max_utility": 0.2, "utility_sum": 0.1 + 0.2},
        {"utility_sum": None},
        {"min_utility": 0, "max_utility": 100, "utility_sum": None, "players": 1},
    ],
)
def test_bounds_that_agree_are_accepted(facts):
    assert declared(**facts)().has_utilities


def test_a_game_with_bounds_must_declare_the_sum():
    with pytest.raises(RulesError, match=r"does not define utility_sum, .* or None if that is not always the same"):
        declared(min_utility=-1, max_utility=1)


def test_a_game_still_checks_its_own_variants():
    def own_check(self):
        raise kibitz.SpecError("No such variant.")

    with pytest.raises(kibitz.SpecError, match="No such variant"):
        declared(__post_init__=own_check)()


def test_an_error_in_the_payoff_is_reported_under_its_own_name():
    def payoff(self, s, out):
        out[0] = s.nonsense

    with pytest.raises(RulesError, match=r"Declared\.payoff, test_utilities\.py line \d+: the state has no field"):
        Engine(declared(payoff=payoff, width=3)()).normalized_payoff(Engine(Chips()).start())
