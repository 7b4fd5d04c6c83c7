"""All that a report tells of a log, read in one pass: the result of the tournament, scores, paces and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kibitz.arena.games import Games, Outcome
from kibitz.arena.result import ArenaResult
from kibitz.arena.schedule import Schedule
from kibitz.arena.tally import Tally
from kibitz.bots import is_reproducible
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.records.log import Log

ASKED = ("game", "bots", "seed", "games", "format", "paired")  # of every tournament


@dataclass
class Faults:
    """What one bot did wrong in one way."""

    words: Counter[str] = field(default_factory=Counter)
    example: dict[str, int] = field(default_factory=dict)  # the first game of each


@dataclass
class Findings:
    """What the games of a log show. Bots are numbered by their places in the specs."""

    log: Log
    result: ArenaResult
    scores: list[Counter[float]]  # by bot, one for each seat in a game that ended on the board
    paces: list[np.ndarray]  # by bot: milliseconds per decision, one for each seat in a game
    timed_together: bool  # games ran in compiled code, which knows the time of all bots together only
    faults: dict[tuple[int, Outcome], Faults]

    @classmethod
    def of(cls, log: Log, game: Game | None = None) -> Findings:
        """Read a log. `game` gives the rules where the game's spec does not lead to them."""
        what = log.tournament
        if missing := [name for name in ASKED if name not in what]:
            raise KibitzError(f"The log {log.path} is not of a tournament: it does not say its {', '.join(missing)}.")
        rules = game or find_game(what["game"])
        specs = tuple(what["bots"])
        schedule = Schedule(
            rules.players, len(specs), what["games"], what["format"], what["paired"], what.get("opening", 0)
        )
        tally = Tally(schedule, rules.score_lower_wins)
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
            reproducible=all(_repeats(spec, rules) for spec in specs),
            interrupted=tally.games < schedule.games,
        )
        return cls(log, result, scores, [np.concatenate(parts) for parts in paces], timed_together, faults)


def whole_groups(log: Log) -> Iterator[Games]:
    """All finished games in order, in batches of moderate size that do not cut a group in two."""
    from kibitz.records.columns import games_of  # needs pyarrow, as does any log

    left: list[Games] = []  # the last group so far: more of it may follow
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


def _repeats(spec: str, game: Game) -> bool:
    """Whether a bot would play the same again; not when there is no such bot any more."""
    try:
        return is_reproducible(spec, game)
    except KibitzError:
        return False
