"""A key that is equal for positions of different value is caught; keys that know symmetries pass."""

import pytest
from faults import fault
from toys import DiceRace, Nim

import kibitz
from kibitz.rules.contract import OVER, game
from kibitz.testing import check_game


class HeapsRules:
    """Nim with two heaps: take one to three from either; who takes the last one wins."""

    players = 2
    actions = 6
    max_moves = 6
    max_plies = 10

    def fields(self):
        return [("left", "i1", 2), ("turn", "i1"), ("winner", "i1")]

    def start(self, s):
        s.left[:] = 5

    def moves(self, s, out):
        count = 0
        for move in range(6):
            if move % 3 < s.left[move // 3]:
                out[count] = move
                count += 1
        return count

    def play(self, s, move):
        s.left[move // 3] -= move % 3 + 1
        s.winner = s.turn
        s.turn = OVER if s.left[0] + s.left[1] == 0 else 1 - s.turn

    def payoff(self, s, out):
        out[s.winner] = 1.0
        out[1 - s.winner] = 0.0


def test_a_key_that_knows_a_symmetry_passes():
    @game
    class Symmetric(HeapsRules):
        def key(self, s):
            return (10 * max(s.left[0], s.left[1]) + min(s.left[0], s.left[1])) * 2 + s.turn

    with kibitz.plain():
        checked = check_game(Symmetric(), games=50)
    assert checked.findings == []
    assert checked.solved > 50


def test_a_key_that_ignores_whose_turn_it_is_is_caught():
    @game
    class Anyone(HeapsRules):
        def key(self, s):
            return 10 * s.left[0] + s.left[1]

    fault(Anyone(), "key", "but here s.turn is")


def test_a_key_that_ignores_a_heap_is_caught():
    @game
    class OneHeap(HeapsRules):
        def key(self, s):
            return s.left[0] * 2 + s.turn

    fault(OneHeap(), "key", "but with best play the shares are")


def test_a_key_that_ignores_chance_is_caught():
    """Who is to move after the roll is not who just moved."""

    @game
    class Rolling(DiceRace):
        def key(self, s):
            return (s.at[0] * 20 + s.at[1]) * 3 + s.turn + 1

    fault(Rolling(), "key", "but with best play the shares are")


def test_a_key_that_is_not_an_integer_is_caught():
    @game
    class Textual(Nim):
        def key(self, s):
            return f"{s.left} {s.turn}"

    fault(Textual(), "key", "must return an integer")


@pytest.mark.parametrize("spec", ["hexplode:side=2", "separo:size=5"])
def test_the_keys_of_shipped_games_pass(spec):
    with kibitz.plain():
        assert check_game(spec, games=5).solved > 0
