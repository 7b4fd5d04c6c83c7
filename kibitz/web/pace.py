"""How fast a game of bots is played: paused or not, step by step, and at which speed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

SLOWEST, FASTEST = 0.1, 20.0


@dataclass(frozen=True)
class Pace:
    """What the host has chosen with the controls under the board."""

    paused: bool
    speed: Annotated[float, Field(ge=SLOWEST, le=FASTEST)]
    stepping: bool  # whether one more move is made before the pause

    @property
    def waits(self) -> bool:
        """Whether the bots have to wait."""
        return self.paused and not self.stepping

    def pause(self, on: bool) -> Pace:
        return replace(self, paused=on, stepping=False)

    def step(self) -> Pace:
        return replace(self, paused=True, stepping=True)

    def stepped(self) -> Pace:
        """The pace after a move."""
        return replace(self, stepping=False)

    def at_speed(self, speed: float) -> Pace:
        """The same at another speed, within limits."""
        return replace(self, speed=min(max(speed, SLOWEST), FASTEST))


USUAL_PACE = Pace(paused=False, speed=1.0, stepping=False)
