"""What to play: a Plan of plain values, and a Contest, which is a plan with its game found and its bots resolved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kibitz.players.limit import Limit
from kibitz.players.roster import Entrant, resolve_all
from kibitz.players.seating import Terms, check_strangers
from kibitz.players.warm_up import rehearse, try_out
from kibitz.records.games import Games
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game
from kibitz.tournament.compiled_match import CompiledMatch
from kibitz.tournament.match import Match
from kibitz.tournament.schedule import Schedule

Task = tuple[int, np.ndarray]  # a chunk's number, and the numbers of the games to play in it
Played = Sequence[tuple[int, Games]]  # the numbers of chunks, and games of them that are finished
Take = Callable[[Played], None]


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs to know about a tournament, in plain values that can be sent anywhere."""

    game: str
    specs: tuple[str, ...]
    seed: int | str
    schedule: Schedule
    keep_moves: bool
    plain: bool = False
    limit: Limit | None = None  # replaces the limit of every search
    terms: Terms = field(default_factory=Terms)  # for bots that did not come with kibitz
    secret: str | None = field(default=None, repr=False)  # with the seed, it determines all random streams

    def contest(self, game: Game | None = None) -> Contest:
        """Find the game, unless it is given, and resolve the bots by their specs."""
        rules = game or find_game(self.game)
        return Contest(self, rules, resolve_all(self.specs, rules))


@dataclass(frozen=True)
class Contest:
    """A plan that can be played in this process."""

    plan: Plan
    game: Game
    entrants: tuple[Entrant, ...]

    @property
    def is_compiled(self) -> bool:
        """Whether whole games run in compiled code."""
        return not self.plan.plain and all(entrant.is_compiled for entrant in self.entrants)

    @property
    def local_bots(self) -> tuple[str, ...]:
        """The bots that are defined in this program, by name: only this process can play them."""
        return tuple(dict.fromkeys(entrant.spec for entrant in self.entrants if entrant.is_local))

    @property
    def learns(self) -> bool:
        """Whether a bot learns from game to game, which must then be played in order."""
        return bool(self.plan.terms.learners) or any(entrant.learns for entrant in self.entrants)

    @property
    def sandbox(self) -> str | None:
        """The kind of sandbox in which bots play that did not come with kibitz; None if there is none of them."""
        return self.plan.terms.sandbox if any(entrant.is_stranger for entrant in self.entrants) else None

    @property
    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same result."""
        limit = self.plan.limit
        return all(entrant.is_reproducible for entrant in self.entrants) and (limit is None or limit.seconds is None)

    def compile(self) -> None:
        """Compile everything that bots of kibitz need in games."""
        if self.is_compiled:
            self.match().close()
        elif not self.plan.plain:
            for entrant in dict.fromkeys(self.entrants):
                if not entrant.is_stranger:
                    try_out(self.game, entrant.make())

    def warm_up(self) -> None:
        """Compile everything that games need, on a machine where nobody has done so; raise an error if a bot that did
        not come with kibitz cannot play there."""
        if not self.plan.plain:
            rehearse(self.game)
        check_strangers(self.entrants, self.plan.terms)
        self.compile()

    def match(self) -> Match | CompiledMatch:
        """An object that plays games. Not thread-safe."""
        plan = self.plan
        if self.is_compiled:
            return CompiledMatch(self.game, self.entrants, plan.seed, plan.schedule.opening, plan.secret)
        opening, limit = plan.schedule.opening, plan.limit
        return Match(self.game, self.entrants, plan.seed, plan.terms, opening, limit, plan.secret)

    def play(self, match: Match | CompiledMatch, task: Task) -> Games:
        """Play the games of a task."""
        schedule = self.plan.schedule
        _, number = task
        return match.play(number, schedule.group(number), schedule.seats(number), self.plan.keep_moves)

    def left_after(self, task: Task) -> int:
        """The number of games in the schedule after a task."""
        return self.plan.schedule.games - int(task[1][-1]) - 1
