"""Levels: the usual ones, and a game's own."""

import pytest
from toys import HighCard, Nim

from kibitz.games import game
from kibitz.web import levels
from kibitz.web.levels import levels_of


def specs(rules):
    return {level.key: level.spec for level in levels_of(rules)}


def test_without_its_own_a_game_has_the_usual_levels():
    assert specs(Nim()) == {"beginner": "random", "casual": "uct:sims=60", "strong": "uct:sims=1000", "best": "best"}


def test_where_something_is_hidden_nobody_peeks():
    assert specs(HighCard()) == {"beginner": "random", "casual": "mc:sims=60", "strong": "mc:sims=600", "best": "best"}


def test_a_game_chooses_its_own_levels():
    assert specs(game("hexplode"))["strong"] == "minimax3"
    assert specs(game("hexplode"))["beginner"] == "random"


def test_levels_may_depend_on_the_variant():
    assert specs(game("camelup"))["casual"] == "leader"
    assert specs(game("camelup:rules=second"))["casual"] == "mc:sims=60"


@pytest.mark.parametrize("spec", ["alphabeta:depth=x", "nobody"])
def test_a_level_that_does_not_fit_is_the_usual_one(monkeypatch, spec):
    monkeypatch.setattr(levels, "_own_levels", lambda rules: {"strong": (spec, "…"), "casual": ("greedy", "…")})
    assert specs(Nim())["strong"] == "uct:sims=1000"
    assert specs(Nim())["casual"] == "greedy"
