"""What can happen in a game: events as plain values, in the order in which they happened.

The events of a game, applied to a fresh table, give the same game again. What chance does follows from the seed and is
not an event, except in a record of a game that was played elsewhere: there, chance moves like a player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

SeatNumber = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Moved:
    """A player, or CHANCE in a record, made a move."""

    seat: int
    move: int
    type: Literal["moved"] = "moved"


@dataclass(frozen=True)
class TookBack:
    """A person took back moves: their own, and those of others after it."""

    moves: Annotated[int, Field(ge=1)]  # how many; what chance did after a move goes with it
    type: Literal["took back"] = "took back"


@dataclass(frozen=True)
class Resigned:
    """A person gave up."""

    seat: SeatNumber
    type: Literal["resigned"] = "resigned"


@dataclass(frozen=True)
class TimedOut:
    """A player ran out of time."""

    seat: SeatNumber
    type: Literal["timed out"] = "timed out"


@dataclass(frozen=True)
class Abandoned:
    """A person left for so long that another one ended the game."""

    seat: SeatNumber
    type: Literal["abandoned"] = "abandoned"


@dataclass(frozen=True)
class Agreed:
    """All people agreed to end the game: as a draw, or without a result."""

    draw: bool
    type: Literal["agreed"] = "agreed"


@dataclass(frozen=True)
class Failed:
    """Something went wrong, so that the game cannot go on."""

    seat: SeatNumber | None  # of the bot that failed; None: the game could not even begin
    words: str
    type: Literal["failed"] = "failed"


@dataclass(frozen=True)
class Closed:
    """Nothing more is to be played: this is a record."""

    type: Literal["closed"] = "closed"


Event = Annotated[
    Moved | TookBack | Resigned | TimedOut | Abandoned | Agreed | Failed | Closed, Field(discriminator="type")
]
