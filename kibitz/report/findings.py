"""Everything a report needs from a log, read in one pass: the result of the tournament, scores, paces and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kibitz.errors import KibitzError
from kibitz.players.limit import Limit
from kibitz.players.roster import resolve
from kibitz.records.games import Games, Outcome
from kibitz.records.log import Log
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game
from kibitz.tournament.result import ArenaResult
from kibitz.tournament.schedule import Schedule
from kibitz.tournament.tally import Tally

REQUIRED = ("game", "bots", "seed", "games", "format", "paired")  # in the description of every tournament


@dataclass
class Faults:
    """The faults of one kind of one bot."""

    words: Counter[str] = field(default_factory=Counter)  # messages
    example: dict[str, int] = field(default_factory=dict)  # the first game with each message


@dataclass
class Findings:
    """The evaluation of a log. Bots are numbered by their index in the specs."""

    log: Log
    result: ArenaResult
    scores: list[Counter[float]]  # by bot: one score per seat in a game won on the board
    paces: list[np.ndarray]  # by bot: milliseconds per decision, one value per seat in a game
    timed_together: bool  # games ran in compiled code, where only the total time of all bots is measured
    faults: dict[tuple[int, Outcome], Faults]

    @classmethod
    def of(cls, log: Log, game: GameLike | None = None) -> Findings:
        """Evaluate a log. `game` gives the rules if they cannot be found by the game's spec."""
        what = log.tournament
        if missing := [name for name in REQUIRED if name not in what]:
            raise KibitzError(f"The log {log.path} is not the log of a tournament: it lacks {', '.join(missing)}.")
        rules = as_game(what["game"] if game is None else game)
        specs, local = tuple(what["bots"]), tuple(what.get("local_bots", ()))
        schedule = Schedule(
            rules.players, len(specs), what["games"], what["format"], what["paired"], what.get("opening", 0)
        )
        tally = Tally(schedule, rules)
        scores: list[Counter[float]] = [Counter() for _ in specs]
        paces: list[list[np.ndarray]] = [[np.zeros(0)] for _ in specs]
        faults: dict[tuple[int, Outcome], Faults] = {}
        thinking, timed_together = 0.0, True
        for games in whole_groups(log):
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
                paces[bot].append(pace[own & chose])
            _add_faults(games, faults)
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
            has_secret=log.has_secret,
            secret=log.secret,
        )
        return cls(log, result, scores, [np.concatenate(parts) for parts in paces], timed_together, faults)


def whole_groups(log: Log) -> Iterator[Games]:
    """All finished games in order, in batches of moderate size that do not split groups."""
    from kibitz.records.columns import games_of  # needs pyarrow, like every log

    left: list[Games] = []  # the last group so far, which may continue in the next part
    for part in log.tables():
        games = Games.joined([*left, games_of(part)])
        last = games.group == games.group[-1]
        left = [games.rows(last)]
        if not last.all():
            yield games.rows(~last)
    yield from left


def _add_faults(games: Games, faults: dict[tuple[int, Outcome], Faults]) -> None:
    for row in np.flatnonzero(games.outcome):
        bot, number = int(games.bots[row, games.fault_seat[row]]), int(games.game[row])
        fault = faults.setdefault((bot, Outcome(games.outcome[row])), Faults())
        fault.words[games.fault[row]] += 1
        fault.example.setdefault(games.fault[row], number)


def _is_reproducible(spec: str, game: Game) -> bool:
    """Whether a bot would play the same moves again; False if it no longer exists."""
    try:
        return resolve(spec, game).is_reproducible
    except KibitzError:
        return False


def _has_time(limit: str | None) -> bool:
    """Whether the limit of a tournament, as it is logged, is a time."""
    return limit is not None and Limit.parse(limit).seconds is not None
