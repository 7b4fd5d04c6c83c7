"""What `@game` accepts as a class of rules, and what it rejects."""

import dataclasses

import numpy as np
import pytest
from toys import DiceRace, HighCard, Nim, SampledDiceRace

import kibitz
from kibitz.errors import RulesError, SpecError
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game, game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream


def rules(**changes):
    """A minimal class of rules, with some attributes changed or (None) left out."""

    class Toy:
        players = 2
        actions = 1
        max_moves = 1
        max_plies = 1

        def fields(self):
            return [("turn", "i1")]

        def start(self, s):
            s.turn = 0

        def moves(self, s, out):
            out[0] = 0
            return 1

        def play(self, s, move):
            s.turn = OVER

        def payoff(self, s, out):
            out[0] = 1.0
            out[1] = 0.0

    for name, value in changes.items():
        if value is None:
            delattr(Toy, name)
        else:
            setattr(Toy, name, value)
    return Toy


@pytest.mark.parametrize("method", ["fields", "start", "moves", "play", "payoff"])
def test_rules_without_a_method_are_refused(method):
    with pytest.raises(RulesError, match=rf"Toy has no method {method}\(self"):
        game(rules(**{method: None}))


@pytest.mark.parametrize("fact", ["players", "actions", "max_moves", "max_plies"])
def test_rules_without_a_fact_are_refused(fact):
    with pytest.raises(RulesError, match=f"Toy does not define {fact}"):
        game(rules(**{fact: None}))


def test_a_method_with_other_parameters_is_refused():
    with pytest.raises(RulesError, match=r"Toy.moves must take \(self, s, out\)"):
        game(rules(moves=lambda self, s: 0))


def test_a_method_that_yields_is_refused():
    def moves(self, s, out):
        yield 0

    with pytest.raises(RulesError, match=r"Toy.moves must not be a generator.*return the number of entries"):
        game(rules(moves=moves))


def test_a_misspelled_method_is_refused_because_it_would_be_ignored():
    def evalute(self, s, out): ...

    with pytest.raises(
        RulesError, match=r"Toy.evalute looks like evaluate, misspelled; rename it, in test_contract.py"
    ):
        game(rules(evalute=evalute))


def test_a_helper_with_a_name_like_a_method_is_accepted():
    def scores(self, player): ...

    game(rules(scores=scores))


def test_redact_without_redeal_is_refused():
    with pytest.raises(RulesError, match="both redact and redeal"):
        game(rules(redact=lambda self, s, player: None))


def test_a_variant_needs_a_number_as_default():
    class Named(rules()):
        name: str = "x"

    with pytest.raises(RulesError, match=r"Named\.name needs a default"):
        game(Named)


def test_a_runtime_field_must_exist():
    with pytest.raises(RulesError, match="no field heap"):
        game(rules(), runtime=["heap"])
    with pytest.raises(RulesError, match=r'runtime=\["heap"\]'):
        game(rules(), runtime="heap")


def test_fields_are_variants_and_frozen():
    assert Nim(heap=5).heap == 5
    assert Nim(heap=5).max_plies == 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        Nim().heap = 3


def test_equal_variants_are_equal_and_others_are_not():
    assert Nim(5) == Nim(heap=5)
    assert hash(Nim(5)) == hash(Nim(heap=5))
    assert Nim(5) != Nim(6)
    assert Nim() != DiceRace()
    assert Nim() != "Nim"


def test_games_with_the_same_name_but_other_rules_are_not_equal():
    one, other = game(rules()), game(rules(play=lambda self, s, move: None))
    assert one.__name__ == other.__name__
    assert one() != other()
    assert one() == game(rules())()


def test_a_game_says_what_it_is_made_of():
    assert [g().has_chance for g in (Nim, DiceRace, HighCard)] == [False, True, True]
    assert [g().has_hidden_information for g in (Nim, DiceRace, HighCard)] == [False, False, True]
    assert Nim.defines("key")
    assert not DiceRace.defines("key")
    assert not DiceRace.defines("sample")
    assert SampledDiceRace.defines("sample")
    assert isinstance(Nim(), Game)


def test_a_game_may_build_on_another():
    assert SampledDiceRace(goal=5).max_plies == DiceRace(goal=5).max_plies
    assert issubclass(SampledDiceRace, DiceRace)


@pytest.mark.parametrize("toy", [DiceRace(), SampledDiceRace()])
def test_chance_is_drawn_with_its_probability(toy):
    engine = Engine(toy)
    state = engine.start()
    engine.play(state, 1)
    assert state.turn == CHANCE
    stream = Stream("draws")
    drawn = [engine.draw(state, stream) for _ in range(3000)]
    for outcome, p in engine.outcomes(state):
        assert abs(drawn.count(outcome) - 3000 * p) < 5 * (3000 * p * (1 - p)) ** 0.5


def test_a_game_without_hidden_information_hides_nothing():
    engine = Engine(Nim())
    state = engine.start()
    assert engine.redacted(state, 0) == engine.redacted(state, NOBODY) == state
    assert engine.seen(state, 2, 1) == 2


def test_a_count_beyond_the_limit_is_refused():
    toy = game(rules(moves=lambda self, s, out: 2))()
    with kibitz.plain():
        engine = Engine(toy)
        with pytest.raises(RulesError, match=r"Toy.moves returned 2, but max_moves is 1"):
            engine.moves(engine.start())


def test_a_missing_count_is_refused():
    toy = game(rules(moves=lambda self, s, out: None))()
    with kibitz.plain():
        engine = Engine(toy)
        with pytest.raises(RulesError, match="must return the number of entries written"):
            engine.moves(engine.start())


def test_a_decorated_game_keeps_its_name_module_and_docstring():
    assert (Nim.__name__, Nim.__module__) == ("Nim", "toys")
    assert Nim.__doc__.startswith("Take one to three")


def test_a_field_has_the_type_of_its_default():
    @game
    class Typed(Nim):
        heap: int = 5
        chance: float = 0.5
        open: bool = False

    typed = Typed(heap=np.int64(7), chance=1, open=np.True_)
    assert [type(value) for value in (typed.heap, typed.chance, typed.open)] == [int, float, bool]
    for wrong, words in (
        ({"heap": "5"}, "Typed: heap must be a whole number, not '5'"),
        ({"heap": 5.5}, "heap must be a whole number, not 5.5"),
        ({"heap": True}, "heap must be a whole number, not True"),
        ({"chance": None}, "chance must be a number, not None"),
        ({"open": "no"}, "open must be True or False, not 'no'"),
    ):
        with pytest.raises(SpecError, match=words):
            Typed(**wrong)
