"""Opponents in plain words: beginner, casual, strong and best, and which bot stands behind each of them.

A game may choose its own in `bots.py` beside its rules: `LEVELS = {"casual": ("greedy", "Takes what is there.")}`, or
a function of the game that returns such a mapping. What it leaves out, or what does not fit a variant, is as usual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kibitz.board import beside
from kibitz.bots import bot
from kibitz.errors import SpecError
from kibitz.game import Game

TITLES = {"beginner": "Beginner", "casual": "Casual", "strong": "Strong", "best": "Best"}


@dataclass(frozen=True)
class Level:
    """An opponent to choose."""

    key: str
    title: str
    words: str  # how it plays, in plain words
    spec: str


def levels_of(game: Game) -> list[Level]:
    """The levels of a game, the weakest first."""
    own, usual = _own_levels(game), _usual_levels(game)
    chosen = {key: own[key] if key in own and _fits(own[key][0], game) else usual[key] for key in TITLES}
    return [Level(key, title, chosen[key][1], chosen[key][0]) for key, title in TITLES.items()]


def _usual_levels(game: Game) -> dict[str, tuple[str, str]]:
    search = ("mc:sims=60", "mc:sims=600") if game.has_hidden_information else ("uct:sims=60", "uct:sims=1000")
    return {
        "beginner": ("random", "Plays any legal move, without a thought."),
        "casual": (search[0], "Looks ahead a little and overlooks a lot."),
        "strong": (search[1], "Looks well ahead; you have to be careful."),
        "best": ("best", "The strongest player of this game there is here."),
    }


def _own_levels(game: Game) -> Mapping[str, tuple[str, str]]:
    own = getattr(beside(game, "bots"), "LEVELS", {})
    return own(game) if callable(own) else own


def _fits(spec: str, game: Game) -> bool:
    try:
        bot(spec, game)
    except SpecError:
        return False
    return True
