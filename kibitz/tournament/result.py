"""The result of a tournament: standings, ratings, shares by seat; as values, tables, JSON, data frames, a picture."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from kibitz.display.board import board_of
from kibitz.display.picture import Picture
from kibitz.errors import KibitzError
from kibitz.records.frames import games_frame, polars
from kibitz.records.games import Games
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.tournament.plot import plotted
from kibitz.tournament.ratings import Rating, bradley_terry, plackett_luce
from kibitz.tournament.schedule import Schedule
from kibitz.tournament.sprt import Sprt
from kibitz.tournament.standings import labels, shown
from kibitz.tournament.standings_html import standings_html
from kibitz.tournament.statistics import Share, share_from_sums
from kibitz.tournament.tally import Tally


@dataclass(frozen=True)
class Standing:
    """The result of one bot. Its share is its mean payoff per seat: 1 / players if all bots are equally strong.

    In a game with utilities, the share is the normalized mean utility; see `ArenaResult.utility`.

    Examples:
        >>> import kibitz
        >>> best = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1).ranking[0]
        >>> best.bot, best.games, round(best.share.share, 2), best.faults.total()
        ('greedy', 100, 0.97, 0)
    """

    bot: str
    games: int
    share: Share
    rating: Rating
    score_mean: float | None  # None if every game ended in a fault
    move_ms: float | None  # thinking time per decision
    faults: Counter[str]  # by kind


@dataclass(frozen=True)
class ArenaResult:
    """The result of a tournament, or of the games finished so far. Printed, or in a notebook, it shows its tables.

    Examples:
        >>> import kibitz
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1)
        >>> result.played, result.ranking[0].bot, round(result.ranking[0].share.low, 3)
        (100, 'greedy', 0.915)
        >>> round(result.ratings[0].rating), [round(seat.share, 2) for seat in result.seats]
        (278, [0.53, 0.47])
        >>> round(result.pair(0, 1).share, 2), round(result.utility(result.seats[0]).share, 2)
        (0.97, 0.53)
        >>> round(result.plies_mean, 1), result.rate > 0
        (11.4, True)
        >>> result.summary()["standings"][0]["bot"], result.to_json()[:1]
        ('greedy', '{')
    """

    game: Game
    specs: tuple[str, ...]
    seed: int | str
    schedule: Schedule
    tally: Tally
    seconds: float
    reproducible: bool  # whether the same seed, and secret, give the same result
    resumed: int = 0  # games that were already in the log of a resumed tournament
    interrupted: bool = False
    sprt: Sprt | None = None
    decision: str | None = None  # of the sequential test
    local_bots: tuple[str, ...] = ()  # those defined in the program that ran the tournament; they had no time limit
    sandbox: str | None = None  # in which bots played that did not come with kibitz; None if there was none of them
    has_secret: bool = False  # whether the result depends on a secret, besides the seed
    secret: str | None = None  # None while the tournament can go on, so that no bot can use it
    log: Path | None = None  # where its games are logged
    kept: tuple[Games, ...] = ()  # its games, without their moves, if they are few and not logged

    @cached_property
    def ranking(self) -> list[Standing]:
        """Every bot, best first."""
        standings = [self._standing(i, label) for i, label in enumerate(labels(self.specs))]
        return sorted(standings, key=lambda standing: -standing.share.share if standing.games else 1)

    @cached_property
    def ratings(self) -> list[Rating]:
        """The ratings on the Elo scale, in the order of the specs.

        By the Bradley–Terry model, with shares as parts of a win, in constant-sum games for two; by the Plackett–Luce
        model, from the finishing orders, in all others.
        """
        tally = self.tally
        if tally.has_orders:
            return plackett_luce(tally.orders, len(self.specs))
        pairs = tally.pair_groups
        return bradley_terry(tally.pairs.points, tally.pairs.games, pairs.groups, pairs.squares)

    @cached_property
    def seats(self) -> list[Share]:
        """The share of the win that each seat takes, averaged over the bots."""
        groups = self.tally.seat_groups
        return [
            share_from_sums(groups.groups[seat], groups.total[seat], groups.squares[seat])
            for seat in range(self.game.players)
        ]

    def utility(self, share: Share) -> Share:
        """A share, as in the standings, as the mean utility that it stands for, with its interval."""
        return Share(*(self.game.utility(value) for value in (share.share, share.low, share.high)))

    @property
    def played(self) -> int:
        """The number of games counted."""
        return self.tally.games

    @property
    def rate(self) -> float:
        """Games per second, excluding games that were already in the log."""
        return (self.played - self.resumed) / max(self.seconds, 1e-9)

    @property
    def plies_mean(self) -> float:
        """Decisions per game; chance is not counted."""
        return self.tally.decisions / max(self.tally.games, 1)

    def pair(self, a: int, b: int) -> Share | None:
        """The share that bot `a` won against bot `b`, by index, in a game for two; None if they never met."""
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
            "games": self.played,
            "seed": self.seed,
            "has_secret": self.has_secret,
            "secret": self.secret,
            "format": self.schedule.format,
            "paired": self.schedule.paired,
            "opening": self.schedule.opening,
            "reproducible": self.reproducible,
            "resumed": self.resumed,
            "interrupted": self.interrupted,
            "local_bots": list(self.local_bots),
            "sandbox": self.sandbox,
            "seconds": round(self.seconds, 3),
            "plies_mean": self.plies_mean,
            "standings": [
                {
                    "bot": standing.bot,
                    "games": standing.games,
                    **_plain(asdict(standing.share)),
                    **self._utility_summary(standing.share),
                    "rating": _plain(asdict(standing.rating)),
                    "score_mean": standing.score_mean,
                    "move_ms": standing.move_ms,
                    "faults": standing.faults.total(),
                    "fault_kinds": dict(sorted(standing.faults.items())),
                }
                for standing in self.ranking
            ],
            "seats": [
                {"seat": seat, "name": board.seat(seat), **_plain(asdict(share)), **self._utility_summary(share)}
                for seat, share in enumerate(self.seats)
            ],
            "lengths": {str(length): count for length, count in sorted(self.tally.lengths.items())},
            "sprt": self._sprt_summary(),
            "faults": [
                {"game": game, "bot": labels(self.specs)[bot], "message": words}
                for game, bot, words in self.tally.fault_words
            ],
        }

    def _utility_summary(self, share: Share) -> dict[str, Any]:
        """The mean utility with its interval; nothing in a game whose payoffs are shares of the win."""
        if not self.game.has_utilities:
            return {}
        utility = self.utility(share)
        return _plain({"utility": utility.share, "utility_low": utility.low, "utility_high": utility.high})

    def _sprt_summary(self) -> dict[str, Any] | None:
        if self.sprt is None:
            return None
        low, high = self.sprt.bounds
        llr = self.sprt.llr(self.tally.first_bot_groups)
        return {**asdict(self.sprt), "llr": llr, "bounds": [low, high], "decision": self.decision}

    def to_json(self) -> str:
        """The result as a JSON document."""
        return json.dumps(self.summary(), indent=2)

    def standings(self) -> Any:
        """The standings as a polars data frame, one row per bot, best first; `.to_pandas()` converts it.

        Examples:
            >>> import kibitz
            >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1)
            >>> result.standings().columns[:5]
            ['bot', 'games', 'share', 'low', 'high']
        """
        pl = polars()
        rows = [
            {
                "bot": standing.bot,
                "games": standing.games,
                **_plain(asdict(standing.share)),
                **self._utility_summary(standing.share),
                **_plain({f"rating_{k}" if k != "rating" else k: v for k, v in asdict(standing.rating).items()}),
                "score_mean": standing.score_mean,
                "move_ms": standing.move_ms,
                "faults": standing.faults.total(),
            }
            for standing in self.ranking
        ]
        unknown = dict.fromkeys(("rating_low", "rating_high", "score_mean", "move_ms"), pl.Float64)  # if all are null
        return pl.DataFrame(rows, schema_overrides=unknown)

    def games(self) -> Any:
        """The games as a polars data frame, one row per game, with the columns of a log (see docs/logs.md).

        If the tournament has a log, that is where they come from, with their moves; `kibitz.records.log.Log.scan` reads
        a long one lazily. Otherwise they are without moves, and only kept in tournaments of up to 100,000 games.

        Examples:
            >>> import kibitz
            >>> games = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1).games()
            >>> games.height, games["seats"][0].to_list()
            (100, ['greedy', 'random'])
        """
        if self.log is not None:
            from kibitz.records.log import Log  # imported on demand: it needs an optional dependency

            return Log(self.log).scan().collect()
        if sum(map(len, self.kept)) < self.played:
            raise KibitzError(
                f"The {self.played:,} games of this tournament were not kept; to keep so many, log them: "
                'kibitz.arena(…, log="runs/first").'
            )
        return games_frame(self.kept, spec_of(self.game), self.seed, self.specs)

    def plot(self) -> Picture:
        """The standings as a picture: each bot's share of the win, or mean utility, with its 95 % interval.

        Examples:
            >>> import kibitz
            >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1)
            >>> result.plot()
            <Picture: connect_four: share of the win, 100 games, 95 % intervals>
        """
        return plotted(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield shown(self, options.max_width)

    def __str__(self) -> str:
        console = Console(width=120, no_color=True, emoji=False, file=io.StringIO(), force_jupyter=False)
        with console.capture() as printed:
            console.print(self)
        return "\n".join(line.rstrip() for line in printed.get().splitlines()).strip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return standings_html(self)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values for JSON, which has neither NaN nor infinity; both become null."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()}
