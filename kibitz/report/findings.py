"""Everything a report needs from a log, read in one pass: the result of the tournament, scores and paces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kibitz.errors import KibitzError
from kibitz.players.limit import Limit
from kibitz.players.roster import resolve
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.report.quantiles import Quantiles
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike
from kibitz.tournament.result import ArenaResult
from kibitz.tournament.schedule import Schedule
from kibitz.tournament.tally import Tally

REQUIRED = ("game", "bots", "seed", "games", "format", "paired")  # in the description of every tournament


@dataclass
class Findings:
    """The evaluation of a log. Bots are numbered by their index in the specs."""

    log: Log
    result: ArenaResult
    scores: list[Counter[float]]  # by bot: one score per seat in a game won on the board
    paces: list[Quantiles]  # by bot: milliseconds per decision, one value per seat in a game
    timed_together: bool  # games ran in compiled code, where only the total time of all bots is measured

    @classmethod
    def of(cls, log: Log, game: GameLike | None = None, progress: Callable[[int, int], None] | None = None) -> Findings:
        """Evaluate a log. `game` gives the rules if they cannot be found by the game's spec.

        `progress(done, total)` is called regularly with numbers of games, `total` counting those not finished, too.
        """
        what = log.tournament
        if missing := [name for name in REQUIRED if name not in what]:
            raise KibitzError(f"The log {log.path} is not the log of a tournament: it lacks {', '.join(missing)}.")
        rules = log.rules(game)
        specs, local = tuple(what["bots"]), tuple(what.get("local_bots", ()))
        schedule = Schedule.logged(what, rules.players)
        tally = Tally(schedule, rules)
        scores: list[Counter[float]] = [Counter() for _ in specs]
        paces = [Quantiles() for _ in specs]
        thinking, timed_together = 0.0, True
        for games in whole_groups(log, moves=False):
            tally.add(games)
            thinking += float(games.seconds.sum())
            pace = 1000 * games.seconds / np.maximum(games.choices, 1)
            chose = games.choices > 0
            slowest, quickest = np.where(chose, pace, 0).max(axis=1), np.where(chose, pace, np.inf).min(axis=1)
            timed_together &= bool(np.isclose(slowest, quickest, rtol=1e-9, atol=0)[chose.any(axis=1)].all())
            for bot in range(len(specs)):
                own = games.bots == bot
                values, counts = np.unique(games.score[own & ~np.isnan(games.score)], return_counts=True)
                scores[bot].update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
                paces[bot].add(pace[own & chose])
            if progress is not None:
                progress(tally.games, schedule.games)
        if not tally.games:
            raise KibitzError(f"No game of the log {log.path} is finished yet.")
        result = ArenaResult(
            game=rules,
            specs=specs,
            seed=what["seed"],
            schedule=schedule,
            tally=tally,
            seconds=thinking,
            reproducible=all(spec in local or _is_reproducible(spec, rules) for spec in specs)
            and not _has_time(what.get("limit")),
            interrupted=tally.games < schedule.games,
            local_bots=local,
            sandbox=what.get("sandbox"),
            has_secret=log.has_secret,
            secret=log.secret,
            log=log.path,
        )
        return cls(log, result, scores, paces, timed_together)


def whole_groups(log: Log, moves: bool = True) -> Iterator[Games]:
    """All finished games in order, with or without moves, in batches of moderate size that do not split groups."""
    left: list[Games] = []  # the last group so far, which may continue in the next batch
    for batch in log.batches(moves):
        games = Games.joined([*left, batch])
        last = int(np.searchsorted(games.group, games.group[-1]))  # where the last group begins
        left = [games.rows(slice(last, None))]
        if last:
            yield games.rows(slice(last))
    yield from left


def _is_reproducible(spec: str, game: Game) -> bool:
    """Whether a bot would play the same moves again; False if it no longer exists."""
    try:
        return resolve(spec, game).is_reproducible
    except KibitzError:
        return False


def _has_time(limit: str | None) -> bool:
    """Whether the limit of a tournament, as it is logged, is a time."""
    return limit is not None and Limit.parse(limit).seconds is not None
