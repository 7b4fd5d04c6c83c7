"""Plays a game of a log again, to see its moves if they were not logged."""

from __future__ import annotations

import contextlib

import numpy as np

from kibitz.errors import KibitzError
from kibitz.players.limit import as_limit
from kibitz.players.roster import resolve_all
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.rules.spec import parse_spec
from kibitz.tournament.plan import Contest, Plan
from kibitz.tournament.schedule import Schedule
from kibitz.version import VERSION

COMPARED = ("group", "bots", "payoff", "score", "outcome", "choices")


def logged_game(log: Log, number: int) -> Games:
    """One game of a log with its moves. If they were not logged, it is played again, and must end in the same way."""
    logged = log.row(number)
    if log.has_moves:
        return logged
    unknown = f"The log {log.path} does not contain the moves of game {number}, and it cannot be played again: "
    if (version := log.index.get("versions", {}).get("kibitz")) != VERSION:
        raise KibitzError(f"{unknown}it was played with kibitz {version}.")
    contest = _contest(log, unknown)
    with contextlib.closing(contest.match()) as match:
        played = contest.play(match, (0, logged.game))
    for name in COMPARED:
        if not np.array_equal(getattr(played, name), getattr(logged, name), equal_nan=name == "score"):
            raise KibitzError(f"{unknown}now it ends differently, so the rules or the bots have changed.")
    return played


def _contest(log: Log, unknown: str) -> Contest:
    """The tournament of a log, to be played with keeping the moves."""
    what = log.tournament
    strangers = [bot for bot in what["bots"] if bot in what.get("local_bots", ()) or parse_spec(bot).file]
    rules = log.rules()
    entrants = () if strangers else resolve_all(what["bots"], rules)
    for bot in (*strangers, *(entrant.spec for entrant in entrants if not entrant.is_shipped)):
        raise KibitzError(f"{unknown}{bot} does not ship with kibitz.")
    plan = Plan(
        game=what["game"],
        specs=tuple(what["bots"]),
        seed=what["seed"],
        schedule=Schedule.logged(what, rules.players),
        keep_moves=True,
        limit=as_limit(what.get("limit")),
        secret=log.secret,
    )
    contest = Contest(plan, rules, entrants)
    if not contest.is_reproducible or contest.learns:
        raise KibitzError(f"{unknown}a bot would play differently.")
    return contest
