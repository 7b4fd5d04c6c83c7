"""Who sits where: every line-up of bots, in all rotations of the seats, round after round.

The seating of game number i depends only on i. A round consists of every line-up once, and a line-up of its rotations,
which form a group. If paired, the games of a group have the same luck: each bot in turn gets what the dice gave the
others.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kibitz.errors import KibitzError
from kibitz.rules.spec import whole_number

ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"
MOST_GAMES, LONGEST_OPENING = 10**12, 10_000
FORMATS = (ROUND_ROBIN, GAUNTLET)


@dataclass(frozen=True)
class Schedule:
    """The schedule of a tournament."""

    players: int  # at a table
    bots: int
    games: int
    format: str = ROUND_ROBIN
    paired: bool = True
    opening: int = 0  # the number of random moves before the bots take over, the same in all games of a group

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise KibitzError(f"There is no format {self.format!r}; choose {' or '.join(FORMATS)}.")
        if self.bots < 1:
            raise KibitzError("A tournament needs at least one bot.")
        for count, words, least, most in (
            ("games", "The number of games", 1, MOST_GAMES),
            ("opening", "The number of random opening moves", 0, LONGEST_OPENING),
        ):
            object.__setattr__(self, count, whole_number(getattr(self, count), words, least, most))
        if self.format == GAUNTLET and self.bots < 2:
            raise KibitzError("A gauntlet needs at least two bots: the first plays against each of the others.")

    @classmethod
    def logged(cls, tournament: Mapping[str, Any], players: int) -> Schedule:
        """The schedule of a tournament as a log describes it."""
        games, format, paired = (tournament[name] for name in ("games", "format", "paired"))
        return cls(players, len(tournament["bots"]), games, format, paired, tournament.get("opening", 0))

    @cached_property
    def line_ups(self) -> list[tuple[int, ...]]:
        """Which bots play together. Too few bots for a table take several seats each, as opponents in a gauntlet do."""
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
        """The group of each of these games, which also determines its luck."""
        _, line_up = self._round
        return game // len(line_up) * len(self.line_ups) + line_up[game % len(line_up)] if self.paired else game

    @property
    def strata(self) -> int:
        """The number of kinds of groups: line-ups, or seatings if each game is its own group."""
        return len(self.line_ups) if self.paired else len(self._round[1])

    def stratum(self, group: np.ndarray) -> np.ndarray:
        """The kind of each of these groups. It is not random, so variation between kinds adds no uncertainty."""
        return group % self.strata

    def chunk(self, first: int, about: int) -> range:
        """The numbers of about `about` games starting at `first`; a chunk always ends at the end of a group."""
        last = min(first + about, self.games)
        while last < self.games and self.group(np.array([last])) == self.group(np.array([last - 1])):
            last += 1
        return range(first, last)


def rotations(line_up: Sequence[int]) -> list[tuple[int, ...]]:
    """The distinct seatings obtained by moving every bot to the next seat, again and again."""
    seats = range(len(line_up))
    turned = (tuple(line_up[(seat - shift) % len(line_up)] for seat in seats) for shift in seats)
    return list(dict.fromkeys(turned))
