"""Symmetries that do not hold, and features beyond their size, are caught."""

from dataclasses import dataclass

import pytest
from faults import fault
from toys import Nim

import kibitz
from kibitz.errors import RulesError
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.learn.features import Features
from kibitz.learn.symmetries import symmetries_of
from kibitz.rules.contract import game
from kibitz.testing import check_game


def variant(rules, **extras):
    """A game with other extras."""
    namespace = {name: value for name, value in vars(rules).items() if not name.startswith("__")}
    annotations = {"__annotations__": dict(rules.__annotations__)}
    return game(type(rules.__name__, (), {**namespace, **annotations, **extras}))


def test_the_symmetries_of_the_games_hold():
    assert check_game(ConnectFour(columns=5, rows=4), games=3).symmetries == 1
    assert len(symmetries_of(kibitz.game("separo"))) == 4
    assert len(symmetries_of(kibitz.game("hexplode"))) == 12
    assert len(symmetries_of(kibitz.game("hexplode:damage=0.1"))) == 1
    assert len(symmetries_of(kibitz.game("ur"))) == 1


def test_a_symmetry_that_does_not_hold_is_a_fault():
    shifted = variant(Nim, symmetries=lambda self: [[1, 2, 0]])
    fault(shifted(heap=9), "symmetries", "by number 1, the")


def test_a_symmetry_must_renumber_all_moves():
    with pytest.raises(RulesError, match="must list each move from 0 to 2 once"):
        symmetries_of(variant(Nim, symmetries=lambda self: [[0, 1, 1]])())


@dataclass(init=False, eq=False)
class Heap(Features):
    """The size of the heap."""

    beyond: int

    def __init__(self, beyond=0):
        self.beyond = beyond

    def size(self, game):
        return game.heap + 1

    def most(self, game):
        return 1

    def viewer(self, game, s):
        return s.turn

    def describe(self, game, s, places, amounts):
        places[0] = s.left + self.beyond
        places[1] = 0
        amounts[0] = 1.0
        return 1


class TwoHeaps(Heap):
    """One place too many."""

    def describe(self, game, s, places, amounts):
        places[0] = places[1] = 0
        return 2


def test_features_must_keep_within_their_size():
    check_game(variant(Nim, features={"td": Heap()})(heap=9), games=2)
    fault(variant(Nim, features={"td": Heap(3)})(heap=9), "features, 'td'", "is not a place; they go from 0 to 9")
    fault(variant(Nim, features={"td": TwoHeaps()})(heap=9), "features, 'td'", "by 2 places, but `most` is 1")
