"""The ladders: how the bots that ship with kibitz compare, game by game, from recorded tournaments.

The files in ladders/ are written by benchmarks/ladders.py, each with the command that plays its tournament.
"""

from __future__ import annotations

import functools
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from kibitz.display.wording import title_of
from kibitz.rules.registry import find_game
from kibitz.web.validation import STRICT

FOLDER = Path(__file__).with_name("ladders")


class LadderRung(BaseModel):
    """A bot on a ladder."""

    model_config = ConfigDict(**STRICT)

    bot: str  # its spec
    words: str  # a description
    games: int
    share: float
    rating: float
    low: float
    high: float
    move_ms: float


class RecordedLadder(BaseModel):
    """The standings of a recorded tournament, best first."""

    model_config = ConfigDict(**STRICT)

    game: str
    command: str  # what plays the tournament
    version: str  # of kibitz
    games: int
    seconds: int
    standings: list[LadderRung]


class Ladder(RecordedLadder):
    """A ladder as the page shows it."""

    title: str  # of the game


class Ladders(BaseModel):
    """All ladders."""

    ladders: list[Ladder]


@functools.cache
def ladders() -> Ladders:
    """The ladder of every game that has one."""
    recorded = [RecordedLadder.model_validate_json(file.read_bytes()) for file in sorted(FOLDER.glob("*.json"))]
    return Ladders(
        ladders=[Ladder(title=title_of(find_game(ladder.game))[0], **ladder.model_dump()) for ladder in recorded]
    )
