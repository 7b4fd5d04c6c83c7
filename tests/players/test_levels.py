"""Levels: the defaults, and a game's own."""

import pytest
from toys import HighCard, Nim

from kibitz.players import levels
from kibitz.players.levels import levels_of
from kibitz.rules.registry import find_game


def specs(rules):
    return {level.key: level.spec for level in levels_of(rules)}


def test_a_game_without_its_own_levels_has_the_default_ones():
    assert specs(Nim()) == {"beginner": "random", "casual": "uct:sims=60", "strong": "uct:sims=1000", "best": "best"}


def test_no_default_level_peeks_at_hidden_information():
    assert specs(HighCard()) == {"beginner": "random", "casual": "mc:sims=60", "strong": "mc:sims=600", "best": "best"}


def test_a_game_chooses_its_own_levels():
    assert specs(find_game("hexplode"))["strong"] == "minimax3"
    assert specs(find_game("hexplode"))["beginner"] == "random"


def test_levels_may_depend_on_the_variant():
    assert specs(find_game("camelup"))["casual"] == "leader"
    assert specs(find_game("camelup:rules=second,camels=6"))["casual"] == "mc:sims=60"


@pytest.mark.parametrize("spec", ["alphabeta:depth=x", "nobody"])
def test_a_level_that_does_not_fit_is_replaced_by_the_default(monkeypatch, spec):
    monkeypatch.setattr(levels, "_own_levels", lambda rules: {"strong": (spec, "…"), "casual": ("greedy", "…")})
    assert specs(Nim())["strong"] == "uct:sims=1000"
    assert specs(Nim())["casual"] == "greedy"
