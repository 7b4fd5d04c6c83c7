"""The clocks of a table: how much time every player has. The server keeps them; see room.py.

A bot is asked for its move in good time: its search is stopped while there is still time left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

LONGEST = 86_400.0  # seconds

Seconds = Annotated[float, Field(ge=1, le=LONGEST)]


@dataclass(frozen=True)
class PerMove:
    """So many seconds for every move."""

    seconds: Seconds
    type: Literal["per move"] = "per move"

    def after_move(self, left: float) -> float:
        """What a player has for the next move, who had so much left after this one."""
        return self.seconds

    def for_one_move(self, left: float) -> float:
        """How much of it a bot should use for a move."""
        return 0.8 * left


@dataclass(frozen=True)
class Fischer:
    """So many seconds for the whole game, and some more for every move that is made."""

    seconds: Seconds
    increment: Annotated[float, Field(ge=0, le=3600)]
    type: Literal["fischer"] = "fischer"

    def after_move(self, left: float) -> float:
        """What a player has for the next moves, who had so much left after this one."""
        return left + self.increment

    def for_one_move(self, left: float) -> float:
        """How much of it a bot should use for a move."""
        return min(left / 25 + 0.8 * self.increment, 0.8 * left)


TimeControl = Annotated[PerMove | Fischer, Field(discriminator="type")]
