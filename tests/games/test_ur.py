"""Ur's rules: each in a position of its own, and all of them against a second implementation on random games."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from second_ur import SecondUr

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

CLASSIC, FINKEL = Ur(), Ur(rosettes=14)
MASTERS = Ur(pieces=7, rosettes=16, coins=3, safe=False)
BLITZ = Ur(pieces=5, rosettes=16, safe=False, captures=True)
LIGHT, DARK = 0, 1


def bits(steps):
    return sum(1 << step for step in steps)


def steps(bits):
    return [step for step in range(1, 17) if bits >> step & 1]


def position(game, light=(), dark=(), roll=0, hand=(1, 1), mover=LIGHT):
    """A table with a player about to move after a roll."""
    state = Engine(game).start()
    for player, at in enumerate((light, dark)):
        state.at[player] = bits(at)
        state.hand[player] = hand[player]
    state.mover = mover
    state.roll = roll
    state.turn = mover
    return kibitz.Table(game, deal=False, position=state)


@pytest.fixture(autouse=True)
def interpreted():
    """Running four variants as plain Python is faster than compiling one; test_ur_bots.py checks that both agree."""
    with kibitz.plain():
        yield


def names(table):
    return [table.name(move) for move in table.moves]


def test_a_roll_is_the_number_of_heads_of_four_coins():
    table = kibitz.Table(CLASSIC, deal=False)
    odds = dict(Engine(CLASSIC).outcomes(table.state))
    assert odds == {0: 1 / 16, 1: 4 / 16, 2: 6 / 16, 3: 4 / 16, 4: 1 / 16}


def test_of_three_coins_no_heads_count_four():
    odds = dict(Engine(MASTERS).outcomes(kibitz.Table(MASTERS, deal=False).state))
    assert odds == {1: 3 / 8, 2: 3 / 8, 3: 1 / 8, 4: 1 / 8}


def test_the_turn_passes_after_a_roll_of_nothing():
    table = position(CLASSIC, light=[3], roll=0)
    assert names(table) == ["pass"]
    table.play(table.moves[0])
    assert (table.turn, table.state.mover, table.state.at[LIGHT]) == (CHANCE, DARK, bits([3]))


def test_the_turn_passes_when_no_piece_can_move():
    assert names(position(CLASSIC, light=[14], roll=2, hand=(0, 1))) == ["pass"]


def test_a_pass_is_not_allowed_when_a_piece_can_move():
    assert "pass" not in names(position(CLASSIC, light=[14, 3], roll=2, hand=(0, 1)))


def test_pieces_enter_from_the_hand_and_move_by_the_roll():
    table = position(CLASSIC, light=[2, 6], roll=3)
    assert names(table) == ["0-3", "2-5", "6-9"]
    table.play(table.parse("0-3"))
    assert steps(table.state.at[LIGHT]) == [2, 3, 6]
    assert table.state.hand[LIGHT] == 0


def test_nothing_enters_from_an_empty_hand():
    assert names(position(CLASSIC, light=[2], roll=3, hand=(0, 1))) == ["2-5"]


def test_no_piece_lands_on_another_of_its_own():
    assert names(position(CLASSIC, light=[2, 4], roll=2)) == ["4-6"]


def test_home_needs_the_exact_roll():
    assert names(position(CLASSIC, light=[13], roll=2, hand=(0, 1))) == ["13-15"]
    assert names(position(CLASSIC, light=[13], roll=3, hand=(0, 1))) == ["pass"]


def test_home_and_hand_hold_any_number():
    table = position(CLASSIC, light=[12, 13], roll=2, hand=(0, 1))
    table.play(table.parse("13-15"))
    table.play(table.parse("roll 0"))
    table.play(table.parse("pass"))
    table.play(table.parse("roll 3"))
    table.play(table.parse("12-15"))
    assert table.over
    assert table.payoff() == [1.0, 0.0]


def test_an_opponents_piece_on_a_shared_square_is_sent_back():
    table = position(CLASSIC, light=[4], dark=[6], roll=2)
    table.play(table.parse("4-6"))
    assert (steps(table.state.at[LIGHT]), steps(table.state.at[DARK])) == ([6], [])
    assert table.state.hand[DARK] == 2


def test_pieces_on_their_own_squares_do_not_meet():
    table = position(CLASSIC, light=[2], dark=[3, 13], roll=1)
    table.play(table.parse("2-3"))
    assert steps(table.state.at[DARK]) == [3, 13]


def test_a_piece_on_the_shared_rosette_is_safe():
    assert names(position(CLASSIC, light=[6], dark=[8], roll=2, hand=(0, 1))) == ["pass"]


def test_jumping_is_free():
    table = position(CLASSIC, light=[5], dark=[6, 8], roll=4)
    table.play(table.parse("5-9"))
    assert steps(table.state.at[DARK]) == [6, 8]


@pytest.mark.parametrize(("game", "rosettes"), [(CLASSIC, [4, 8, 13]), (FINKEL, [4, 8, 14]), (MASTERS, [4, 8, 12, 16])])
def test_exactly_the_rosettes_give_another_roll(game, rosettes):
    again = []
    for step in range(1, game.home):
        table = position(game, light=[step - 1] if step > 1 else [], roll=1)
        table.play(step - 1)
        if table.state.mover == LIGHT:
            again.append(step)
    assert again == rosettes


def test_neither_a_capture_nor_coming_home_gives_another_roll():
    table = position(CLASSIC, light=[6], dark=[7], roll=1)
    table.play(table.parse("6-7"))
    assert table.state.mover == DARK
    table = position(CLASSIC, light=[14], roll=1)
    table.play(table.parse("14-15"))
    assert table.state.mover == DARK


def test_in_blitz_a_capture_gives_another_roll():
    table = position(BLITZ, light=[6], dark=[7], roll=1)
    table.play(table.parse("6-7"))
    assert table.state.mover == LIGHT


def test_on_the_masters_path_the_same_square_has_two_numbers():
    table = position(MASTERS, light=[11], dark=[16], roll=1)
    table.play(table.parse("11-12"))
    assert (steps(table.state.at[LIGHT]), steps(table.state.at[DARK])) == ([12], [])


def test_without_safety_pieces_are_taken_on_rosettes():
    table = position(MASTERS, light=[6], dark=[8], roll=2)
    table.play(table.parse("6-8"))
    assert steps(table.state.at[DARK]) == []


def test_the_score_is_the_pieces_at_home():
    table = position(CLASSIC, light=[3, 5], dark=[], roll=1, hand=(1, 4))
    assert table.score() == [1.0, 0.0]


@pytest.mark.parametrize("options", [{"pieces": 0}, {"pieces": 101}, {"rosettes": 12}, {"coins": 5}])
def test_impossible_variants_are_refused(options):
    with pytest.raises(kibitz.SpecError, match="Ur needs"):
        Ur(**options)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([CLASSIC, FINKEL, MASTERS, BLITZ]), st.integers(0, 1000))
def test_a_second_implementation_plays_the_same_game(game, seed):
    second = SecondUr(game.rosettes, game.coins, game.safe, game.captures)
    table, stream = kibitz.Table(game, seed=seed), Stream(seed, "second")
    sides = [(0,) * game.pieces, (0,) * game.pieces]
    while not table.over:
        me = table.turn
        found = second.moves(sides[me], sides[1 - me], table.state.roll)
        assert table.moves == (list(found) or [game.home])
        move = stream.choice(table.moves)
        again = False
        if found:
            sides[me], sides[1 - me], again = found[move]
        table.play(move)
        state = table.state
        assert state.mover == (me if again or table.over else 1 - me)
        for player in range(2):
            assert tuple(sorted([0] * state.hand[player] + steps(state.at[player]))) == sides[player]


def test_evaluations_rise_with_every_step_of_progress():
    engine = Engine(CLASSIC)
    behind, ahead = position(CLASSIC, light=[5], roll=1), position(CLASSIC, light=[8], roll=1)
    assert engine.evaluate(ahead.state)[0] > engine.evaluate(behind.state)[0]
    assert sum(engine.evaluate(ahead.state)) == 1.0


def test_a_position_and_its_mirror_image_are_worth_the_same():
    engine = Engine(CLASSIC)
    light = position(CLASSIC, light=[5, 13], dark=[2], roll=1, hand=(1, 2))
    dark = position(CLASSIC, light=[2], dark=[5, 13], roll=1, hand=(2, 1), mover=DARK)
    assert engine.evaluate(light.state)[0] == pytest.approx(engine.evaluate(dark.state)[1])
