"""What a tournament found: standings, shares by seat, as a table or as JSON."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from kibitz.arena.match import Played
from kibitz.arena.statistics import Share, share_of
from kibitz.board import board_of
from kibitz.game import Game
from kibitz.games import spec_of


@dataclass(frozen=True)
class Standing:
    """How one bot did. Its share is its mean payoff per seat: 1 / players when all are equally strong."""

    bot: str
    games: int
    share: Share
    score_mean: float | None  # None when every game ended in a fault
    faults: Counter[str]  # by kind


@dataclass(frozen=True)
class ArenaResult:
    """A tournament that was played, or as much of it as was finished."""

    game: Game
    specs: tuple[str, ...]
    seed: int | str
    played: tuple[Played, ...]  # in the order of the schedule
    seconds: float
    reproducible: bool  # whether the same seed gives the same result
    interrupted: bool = False

    @cached_property
    def standings(self) -> list[Standing]:
        """Every bot, best first."""
        standings = [self._standing(i, label) for i, label in enumerate(labels(self.specs))]
        return sorted(standings, key=lambda standing: -standing.share.share if standing.games else 1)

    @cached_property
    def seats(self) -> list[Share]:
        """What each seat is worth, whoever sits there."""
        return [share_of([[p.payoff[seat] for p in group] for group in self._groups()]) for seat in self._all_seats]

    @property
    def plies_mean(self) -> float:
        """Decisions per game; chance is not counted."""
        return sum(p.decisions for p in self.played) / max(len(self.played), 1)

    @property
    def _all_seats(self) -> range:
        return range(self.game.players)

    def _groups(self) -> Iterator[list[Played]]:
        for _, group in itertools.groupby(self.played, key=lambda p: p.seating.group):
            yield list(group)

    def _standing(self, bot: int, label: str) -> Standing:
        games = [p for p in self.played if bot in p.seating.bots]
        shares = [
            [p.payoff[seat] for p in group for seat in self._all_seats if p.seating.bots[seat] == bot]
            for group in self._groups()
        ]
        scores = [p.score[seat] for p in games if p.score for seat in self._all_seats if p.seating.bots[seat] == bot]
        return Standing(
            bot=label,
            games=len(games),
            share=share_of([payoffs for payoffs in shares if payoffs]),
            score_mean=sum(scores) / len(scores) if scores else None,
            faults=Counter(p.fault.kind for p in games if p.fault and p.seating.bots[p.fault.seat] == bot),
        )

    def summary(self) -> dict[str, Any]:
        """The result as plain values; see `to_json`."""
        board = board_of(self.game)
        return {
            "game": spec_of(self.game),
            "games": len(self.played),
            "seed": self.seed,
            "reproducible": self.reproducible,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "plies_mean": self.plies_mean,
            "standings": [
                {
                    "bot": standing.bot,
                    "games": standing.games,
                    **_defined(standing.share),
                    "score_mean": standing.score_mean,
                    "faults": standing.faults.total(),
                    "fault_kinds": dict(sorted(standing.faults.items())),
                }
                for standing in self.standings
            ],
            "seats": [
                {"seat": seat, "name": board.seat(seat), **_defined(share)} for seat, share in enumerate(self.seats)
            ],
            "faults": [
                {"game": p.seating.game, **asdict(p.fault), "bot": self.specs[p.seating.bots[p.fault.seat]]}
                for p in self.played
                if p.fault
            ],
        }

    def to_json(self) -> str:
        """The result as one JSON document."""
        return json.dumps(self.summary(), indent=2)

    def __rich__(self) -> RenderableType:
        return Group(self._standings_table(), self._seats_table(), *self._notes())

    def _standings_table(self) -> Table:
        scored = type(self.game).defines("score")
        faulty = any(standing.faults for standing in self.standings)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("", justify="right", style="dim")
        table.add_column("Bot", overflow="fold")
        table.add_column("Games", justify="right")
        table.add_column("Share", justify="right")
        table.add_column("95 % interval", justify="right", style="dim")
        table.add_column("")
        if scored:
            table.add_column("Score", justify="right")
        if faulty:
            table.add_column("Faults", justify="right")
        for place, standing in enumerate(self.standings, 1):
            row: list[RenderableType] = [
                str(place),
                Text(standing.bot, "bold" if place == 1 else ""),
                str(standing.games),
            ]
            row += _share_cells(standing.share, standing.games)
            if scored:
                row.append("–" if standing.score_mean is None else f"{standing.score_mean:.2f}")
            if faulty:
                kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(standing.faults.items()))
                row.append(Text(kinds or "–", "red" if kinds else "dim"))
            table.add_row(*row)
        return table

    def _seats_table(self) -> Table:
        board = board_of(self.game)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("Seat")
        table.add_column("Share", justify="right")
        table.add_column("95 % interval", justify="right", style="dim")
        table.add_column("")
        for seat, share in enumerate(self.seats):
            table.add_row(Text(board.seat(seat), board.colour(seat)), *_share_cells(share, len(self.played)))
        return table

    def _notes(self) -> Iterator[Text]:
        speed = len(self.played) / self.seconds if self.seconds else 0.0
        yield Text(
            f"{len(self.played)} games in {self.seconds:.1f} s ({speed:.3g}/s), "
            f"{self.plies_mean:.1f} decisions per game, seed {self.seed}.",
            "dim",
        )
        if self.interrupted:
            yield Text("Stopped early: this is what was finished.", "yellow")
        if not self.reproducible:
            yield Text("A bot has a time budget, so the same seed need not give the same result.", "yellow")
        messages = Counter(p.fault.message for p in self.played if p.fault)
        for message, count in messages.most_common(3):
            yield Text(f"{count} × {message}", "red")


def labels(specs: Sequence[str]) -> list[str]:
    """The bots' names in the standings: their specs, numbered where one is there twice."""
    return [spec if specs.index(spec) == i else f"{spec} #{specs[:i].count(spec) + 1}" for i, spec in enumerate(specs)]


def _defined(share: Share) -> dict[str, float | None]:
    """A share for JSON, which has no word for "not a number": null where nothing was played."""
    return {"share": None if share.share != share.share else share.share, "low": share.low, "high": share.high}


def _share_cells(share: Share, games: int) -> list[RenderableType]:
    if not games:
        return ["–", "", ""]
    return [f"{share.share:.1%}", f"{share.low:.1%} – {share.high:.1%}", IntervalBar(share)]


class IntervalBar:
    """A share and its interval drawn on a scale from 0 to 1."""

    WIDEST, NARROWEST = 25, 9

    def __init__(self, share: Share) -> None:
        self.share = share

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.NARROWEST, self.WIDEST)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        last = min(options.max_width, self.WIDEST) - 1
        low, at, high = (round(x * last) for x in (self.share.low, self.share.share, self.share.high))
        yield Text.assemble(
            ("·" * low, "bright_black"),
            ("─" * (at - low), "cyan"),
            ("●", "bold bright_cyan"),
            ("─" * (high - at), "cyan"),
            ("·" * (last - high), "bright_black"),
        )
