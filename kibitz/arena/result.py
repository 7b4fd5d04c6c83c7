"""What a tournament found: standings, ratings and shares by seat, as values, as a table, as JSON or as a data frame."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from kibitz.arena.ratings import Rating, bradley_terry, plackett_luce
from kibitz.arena.schedule import Schedule
from kibitz.arena.sprt import Sprt
from kibitz.arena.statistics import Share, share_from_sums
from kibitz.arena.tally import Tally
from kibitz.board import board_of
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import spec_of


@dataclass(frozen=True)
class Standing:
    """How one bot did. Its share is its mean payoff per seat: 1 / players when all are equally strong."""

    bot: str
    games: int
    share: Share
    rating: Rating
    score_mean: float | None  # None when every game ended in a fault
    move_ms: float | None  # thinking time per decision
    faults: Counter[str]  # by kind


@dataclass(frozen=True)
class ArenaResult:
    """A tournament that was played, or as much of it as was finished."""

    game: Game
    specs: tuple[str, ...]
    seed: int | str
    schedule: Schedule
    tally: Tally
    seconds: float
    reproducible: bool  # whether the same seed gives the same result
    resumed: int = 0  # games that came from the log of a tournament that was resumed
    interrupted: bool = False
    sprt: Sprt | None = None
    decision: str | None = None  # of the sequential test

    @cached_property
    def standings(self) -> list[Standing]:
        """Every bot, best first."""
        standings = [self._standing(i, label) for i, label in enumerate(labels(self.specs))]
        return sorted(standings, key=lambda standing: -standing.share.share if standing.games else 1)

    @cached_property
    def ratings(self) -> list[Rating]:
        """The bots' strengths on the Elo scale, by spec: Bradley–Terry, or Plackett–Luce at larger tables."""
        tally = self.tally
        if self.game.players == 2:
            pairs = tally.pair_groups
            return bradley_terry(tally.pairs.points, tally.pairs.games, pairs.groups, pairs.squares)
        return plackett_luce(tally.orders, len(self.specs))

    @cached_property
    def seats(self) -> list[Share]:
        """What each seat is worth, whoever sits there."""
        groups = self.tally.seat_groups
        return [
            share_from_sums(groups.groups[seat], groups.total[seat], groups.squares[seat])
            for seat in range(self.game.players)
        ]

    @property
    def games(self) -> int:
        """How many games were counted."""
        return self.tally.games

    @property
    def rate(self) -> float:
        """Games per second, those that came from a log left out."""
        return (self.games - self.resumed) / max(self.seconds, 1e-9)

    @property
    def plies_mean(self) -> float:
        """Decisions per game; chance is not counted."""
        return self.tally.decisions / max(self.tally.games, 1)

    def pair(self, a: int, b: int) -> Share | None:
        """What one bot took from another, by their places in the specs, where two play; None if they never met."""
        groups, pairs = self.tally.pair_groups, self.tally.pairs
        if not pairs.games[a, b]:
            return None
        mean = pairs.points[a, b] / pairs.games[a, b]
        return share_from_sums(groups.groups[a, b], groups.total[a, b], groups.squares[a, b], float(mean))

    def _standing(self, bot: int, label: str) -> Standing:
        sums, groups = self.tally.bots, self.tally.bot_groups
        mean = float(sums.payoff[bot] / sums.seats[bot]) if sums.seats[bot] else None
        return Standing(
            bot=label,
            games=int(sums.games[bot]),
            share=share_from_sums(groups.groups[bot], groups.total[bot], groups.squares[bot], mean),
            rating=self.ratings[bot],
            score_mean=float(sums.score[bot] / sums.scored[bot]) if sums.scored[bot] else None,
            move_ms=1000 * float(sums.seconds[bot] / sums.choices[bot]) if sums.choices[bot] else None,
            faults=Counter({kind.words: n for (who, kind), n in self.tally.faults.items() if who == bot}),
        )

    def summary(self) -> dict[str, Any]:
        """The result as plain values; see `to_json`."""
        board = board_of(self.game)
        return {
            "game": spec_of(self.game),
            "games": self.games,
            "seed": self.seed,
            "format": self.schedule.format,
            "paired": self.schedule.paired,
            "opening": self.schedule.opening,
            "reproducible": self.reproducible,
            "resumed": self.resumed,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "plies_mean": self.plies_mean,
            "standings": [
                {
                    "bot": standing.bot,
                    "games": standing.games,
                    **_plain(asdict(standing.share)),
                    "rating": _plain(asdict(standing.rating)),
                    "score_mean": standing.score_mean,
                    "move_ms": standing.move_ms,
                    "faults": standing.faults.total(),
                    "fault_kinds": dict(sorted(standing.faults.items())),
                }
                for standing in self.standings
            ],
            "seats": [
                {"seat": seat, "name": board.seat(seat), **_plain(asdict(share))}
                for seat, share in enumerate(self.seats)
            ],
            "lengths": {str(length): count for length, count in sorted(self.tally.lengths.items())},
            "sprt": self._sprt_summary(),
            "faults": [
                {"game": game, "bot": labels(self.specs)[bot], "message": words}
                for game, bot, words in self.tally.fault_words
            ],
        }

    def _sprt_summary(self) -> dict[str, Any] | None:
        if self.sprt is None:
            return None
        low, high = self.sprt.bounds
        llr = self.sprt.llr(self.tally.first_bot_groups)
        return {**asdict(self.sprt), "llr": llr, "bounds": [low, high], "decision": self.decision}

    def to_json(self) -> str:
        """The result as one JSON document."""
        return json.dumps(self.summary(), indent=2)

    def to_frame(self) -> Any:
        """The standings as a polars data frame."""
        try:
            import polars
        except ModuleNotFoundError:
            raise KibitzError('A data frame needs polars; install it with: pip install "kibitz[frames]"') from None
        rows = [
            {
                "bot": standing.bot,
                "games": standing.games,
                **_plain(asdict(standing.share)),
                **_plain({f"rating_{k}" if k != "rating" else k: v for k, v in asdict(standing.rating).items()}),
                "score_mean": standing.score_mean,
                "move_ms": standing.move_ms,
                "faults": standing.faults.total(),
            }
            for standing in self.standings
        ]
        return polars.DataFrame(rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from kibitz.arena.standings import shown

        yield shown(self, options.max_width)

    def __str__(self) -> str:
        console = Console(width=120, no_color=True, emoji=False, file=io.StringIO())
        with console.capture() as shown:
            console.print(self)
        return "\n".join(line.rstrip() for line in shown.get().splitlines()).strip("\n")

    __repr__ = __str__


def labels(specs: Sequence[str]) -> list[str]:
    """The bots' names in the standings: their specs, numbered where one is there twice."""
    return [spec if specs.index(spec) == i else f"{spec} #{specs[:i].count(spec) + 1}" for i, spec in enumerate(specs)]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values for JSON, which has no word for "not a number" and "infinite": null."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()}
