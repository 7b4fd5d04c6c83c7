"""Who sits where: every line-up of bots, in all its rotations of seats, round after round.

Game number i follows from i alone. A round holds every line-up once; a line-up holds its rotations, which form a group.
Paired, the games of a group have the same luck: what the dice gave to one bot, they give to the others in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kibitz.errors import KibitzError

ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"
FORMATS = (ROUND_ROBIN, GAUNTLET)


@dataclass(frozen=True)
class Schedule:
    """The games of a tournament before they are played."""

    players: int  # at a table
    bots: int
    games: int
    format: str = ROUND_ROBIN
    paired: bool = True
    opening: int = 0  # so many random moves, the same in all games of a group, before the bots take over

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise KibitzError(f"There is no format {self.format!r}; there are {' and '.join(FORMATS)}.")
        if self.bots < 1:
            raise KibitzError("A tournament needs at least one bot.")
        if self.games < 1:
            raise KibitzError(f"A tournament needs at least one game, not {self.games}.")
        if self.opening < 0:
            raise KibitzError(f"An opening has 0 random moves or more, not {self.opening}.")
        if self.format == GAUNTLET and self.bots < 2:
            raise KibitzError("A gauntlet needs at least two bots: the first plays against each of the others.")

    @cached_property
    def line_ups(self) -> list[tuple[int, ...]]:
        """Which bots sit together. Too few for a table take several seats each; in a gauntlet each opponent does."""
        if self.format == GAUNTLET:
            return [(0, *[other] * (self.players - 1)) for other in range(1, self.bots)]
        if self.bots < self.players:
            return [tuple(seat % self.bots for seat in range(self.players))]
        return list(itertools.combinations(range(self.bots), self.players))

    @cached_property
    def _round(self) -> tuple[np.ndarray, np.ndarray]:
        """The seats and the line-up of each game of a round."""
        seatings = [(seats, i) for i, line_up in enumerate(self.line_ups) for seats in rotations(line_up)]
        return np.array([seats for seats, _ in seatings], "i2"), np.array([i for _, i in seatings], "i8")

    def seats(self, game: np.ndarray) -> np.ndarray:
        """Which bot sits in each seat of these games."""
        seats, _ = self._round
        return np.take(seats, game % len(seats), axis=0)

    def group(self, game: np.ndarray) -> np.ndarray:
        """The group of each of these games, which is also the number of its luck."""
        _, line_up = self._round
        return game // len(line_up) * len(self.line_ups) + line_up[game % len(line_up)] if self.paired else game

    @property
    def strata(self) -> int:
        """How many kinds of groups there are: line-ups, or seatings where each game is a group of its own."""
        return len(self.line_ups) if self.paired else len(self._round[1])

    def stratum(self, group: np.ndarray) -> np.ndarray:
        """Of which kind each of these groups is. That is no chance: what varies between kinds is no uncertainty."""
        return group % self.strata

    def chunk(self, first: int, about: int) -> range:
        """The numbers of `about` games from `first` on, or a few more: a chunk ends where a group does."""
        last = min(first + about, self.games)
        while last < self.games and self.group(np.array([last])) == self.group(np.array([last - 1])):
            last += 1
        return range(first, last)


def rotations(line_up: Sequence[int]) -> list[tuple[int, ...]]:
    """The different seatings that come of moving everybody on by one seat."""
    seats = range(len(line_up))
    turned = (tuple(line_up[(seat - shift) % len(line_up)] for seat in seats) for shift in seats)
    return list(dict.fromkeys(turned))
