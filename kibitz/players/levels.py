"""Named levels of opponents: beginner, casual, strong and best, and the bot behind each of them.

A game can bring its own along as an extra (kibitz/rules/extras.py): a mapping `LEVELS`, such as
`{"casual": ("greedy", "Takes what it can get.")}`, or a function of the game that returns one. Levels that it omits, or
that do not fit a variant, use the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kibitz.errors import SpecError
from kibitz.players.roster import bot
from kibitz.rules.contract import Game

TITLES = {"beginner": "Beginner", "casual": "Casual", "strong": "Strong", "best": "Best"}


@dataclass(frozen=True)
class Level:
    """An opponent to choose."""

    key: str
    title: str
    words: str  # a short description of how it plays
    spec: str


def levels_of(game: Game) -> list[Level]:
    """The levels of a game, weakest first."""
    own, usual = _own_levels(game), _usual_levels(game)
    chosen = {key: own[key] if key in own and _fits(own[key][0], game) else usual[key] for key in TITLES}
    return [Level(key, title, chosen[key][1], chosen[key][0]) for key, title in TITLES.items()]


def _usual_levels(game: Game) -> dict[str, tuple[str, str]]:
    search = ("mc:sims=60", "mc:sims=600") if game.has_hidden_information else ("uct:sims=60", "uct:sims=1000")
    return {
        "beginner": ("random", "Plays random legal moves."),
        "casual": (search[0], "Looks ahead a little and misses a lot."),
        "strong": (search[1], "Looks well ahead; play carefully."),
        "best": ("best", "The strongest bot for this game."),
    }


def _own_levels(game: Game) -> Mapping[str, tuple[str, str]]:
    return game.extra_mapping("levels")


def _fits(spec: str, game: Game) -> bool:
    try:
        bot(spec, game)
    except SpecError:
        return False
    return True
