"""A tournament from specs to result: played, counted, logged, and resumed where it was left off."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.arena.compiled_match import CompiledMatch
from kibitz.arena.games import Games
from kibitz.arena.interrupts import Interrupts
from kibitz.arena.isolation import MOVE_SECONDS, IsolatedBot, make_player
from kibitz.arena.result import ArenaResult
from kibitz.arena.schedule import ROUND_ROBIN, Schedule
from kibitz.arena.sprt import Sprt
from kibitz.arena.tally import Tally, group_edges, sum_rows
from kibitz.arena.workers import Plan, Task, play_tasks
from kibitz.bots import is_reproducible
from kibitz.compiled import is_plain
from kibitz.errors import KibitzError, RulesError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.games import spec_of

if TYPE_CHECKING:
    from kibitz.records.log import Log, LogWriter

CHUNK_SECONDS = 0.1  # of games that are played in compiled code at a time …
CHUNK_GAMES = 1 << 14  # … but no more than so many
SHOW_SECONDS = 0.25  # between two calls of `progress`
PAYOFF_ERROR = 1e-9  # how far the shares of a game may be from 1
SHOW_EFFORT = 0.05  # and no more than this part of the time


def arena(
    game: Game | str,
    bots: Sequence[str],
    games: int = 100,
    seed: int | str = 0,
    *,
    format: str = ROUND_ROBIN,
    paired: bool = True,
    opening: int = 0,
    workers: int | None = None,
    move_time: float = MOVE_SECONDS,
    sprt: Sprt | str | None = None,
    log: str | Path | None = None,
    resume: bool = False,
    progress: Callable[[ArenaResult], None] | None = None,
) -> ArenaResult:
    """Play a tournament of `games` games between bots, given by their specs.

    Round robin: all pairs of bots where two play, else tables with every choice of bots. Gauntlet: the first bot
    against each of the others. Seats rotate; `paired` plays every rotation with the same luck. With an `opening` the
    first so many moves of every game are random, the same ones in all rotations if paired. The result depends on
    the seed, not on the number of `workers` (None: all cores, when that is faster). Bots from outside kibitz have
    `move_time` seconds a move. `sprt`, such as "elo0=0,elo1=10", ends a match of two bots as soon as the answer is
    known. `log` is a folder that keeps every game as it ends; with `resume` the tournament there is continued.
    `progress` is shown the result so far, now and then. Ctrl-C ends the tournament early: the result holds what is
    finished.
    """
    if isinstance(bots, str):
        raise KibitzError(f"A tournament needs a list of bots, such as [{bots!r}, 'random'], not {bots!r}.")
    rules = find_game(game) if isinstance(game, str) else game
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    schedule = Schedule(rules.players, len(bots), games, format, paired, opening)
    if workers is not None and workers < 1:
        raise KibitzError(f"A tournament needs at least one worker, not {workers}.")
    if test is not None and (rules.players != 2 or len(bots) != 2):
        raise KibitzError("A sequential test compares two bots in a game for two.")
    if resume and log is None:
        raise KibitzError("To resume a tournament, say where its log is.")
    _refuse_impossible(rules, bots, move_time)
    plan = Plan(spec_of(rules), tuple(bots), seed, schedule, move_time, keep_moves=log is not None, plain=is_plain())
    tournament = _Tournament(rules, plan, test, progress)
    with contextlib.ExitStack() as stack:
        if log is not None:
            tournament.open_log(Path(log), resume, stack)
        tournament.play(workers)
    return tournament.result()


def _refuse_impossible(game: Game, specs: Sequence[str], move_time: float) -> None:
    """Refuse a bot that does not exist or cannot play this game, before anything is played."""
    for spec in dict.fromkeys(specs):
        player = make_player(spec, game, move_time)
        if isinstance(player, IsolatedBot):
            with player:
                player.check()


class _Tournament:
    """A tournament in progress: what is counted, and what waits for its turn to be counted."""

    def __init__(
        self, game: Game, plan: Plan, sprt: Sprt | None, progress: Callable[[ArenaResult], None] | None
    ) -> None:
        self.game, self.plan, self.schedule, self.sprt = game, plan, plan.schedule, sprt
        self.tally = Tally(plan.schedule, game.score_lower_wins)
        self.resumed = 0
        self.interrupted = False
        self.decision: str | None = None
        self._progress = progress
        self._started = time.perf_counter()
        self._next_show = self._started + SHOW_SECONDS
        self._interrupts = Interrupts()
        self._taking = threading.Lock()  # what is counted and logged
        self._writer: LogWriter | None = None
        self._earlier: _Earlier | None = None
        self._compiled = CompiledMatch.fits(game, plan.specs)
        self._chunk_games = 1  # or a group, if that is more
        self._expected: deque[tuple[int, int]] = deque()  # the chunks not yet counted, in order, and their sizes
        self._waiting: dict[int, list[Games]] = {}  # games of chunks that are not complete or not next
        self._groups_until_check = 1  # of the sequential test

    def open_log(self, folder: Path, resume: bool, stack: contextlib.ExitStack) -> None:
        """Keep every game in a folder; when resuming, take the games that are there as played."""
        from kibitz.records.log import Log, LogWriter  # the libraries it needs are an extra

        what: dict[str, Any] = {
            "game": self.plan.game,
            "bots": list(self.plan.specs),
            "seed": self.plan.seed,
            "games": self.schedule.games,
            "format": self.schedule.format,
            "paired": self.schedule.paired,
            "move_time": self.plan.move_time,
            "sprt": dataclasses.asdict(self.sprt) if self.sprt else None,
        }
        if self.schedule.opening:
            what["opening"] = self.schedule.opening
        self._writer = stack.enter_context(LogWriter(folder, what, resume=resume))
        if resume:
            self._earlier = _Earlier(Log(folder))

    def play(self, workers: int | None) -> None:
        """Play what is not played yet, until all is done or decided, or Ctrl-C."""
        try:
            with (
                self._interrupts,
                contextlib.closing(play_tasks(self.plan, self.game, self._tasks(), self._finish, workers)) as playing,
            ):
                for _ in playing:
                    self._show()
                    if self.decision:
                        return
        except KeyboardInterrupt:
            self.interrupted = True
            for chunk in sorted(self._waiting):  # finished out of turn, but finished
                self.tally.add(Games.joined(self._waiting.pop(chunk)))

    def _tasks(self) -> Iterator[Task]:
        """What is left to play, in order. Games that are in the log already are counted on the way."""
        chunk, first = 0, 0
        while first < self.schedule.games and not self.decision:
            done_in_a_row = self._earlier.in_a_row(first) if self._earlier else 0
            numbers = self.schedule.chunk(first, max(done_in_a_row, self._chunk_games))
            self._expected.append((chunk, len(numbers)))
            missing = np.arange(numbers.start, numbers.stop)
            if self._earlier and len(done := self._earlier.before(numbers.stop)):
                missing = np.setdiff1d(missing, done.game)
                self.resumed += len(done)
                with self._taking, self._interrupts.held():
                    self._take(chunk, done)
                self._show()
            if len(missing) and not self.decision:
                yield chunk, missing
            chunk, first = chunk + 1, numbers.stop

    def _next_size(self, games: Games) -> int:
        """How many games the next chunk should have. In Python, one group: each is safe as soon as it ends."""
        if not self._compiled:
            return 1
        seconds = float(games.seconds.sum())
        return int(min(2 * len(games), len(games) * CHUNK_SECONDS / max(seconds, 1e-9), CHUNK_GAMES)) or 1

    def _finish(self, chunk: int, games: Games) -> None:
        """Log and count games that were just played, in whichever thread that was."""
        with self._taking, self._interrupts.held():
            self._chunk_games = self._next_size(games)
            if self._writer is not None:
                self._writer.write(games)
            self._take(chunk, games)

    def _take(self, chunk: int, games: Games) -> None:
        """Count games, in the order of the chunks."""
        if np.abs(sum_rows(games.payoff) - 1.0).max(initial=0.0) > PAYOFF_ERROR:
            raise RulesError(
                f"{type(self.game).__name__}.payoff: the shares of a game do not sum to 1; see kibitz check."
            )
        self._waiting.setdefault(chunk, []).append(games)
        while self._expected and not self.decision:
            first, size = self._expected[0]
            batches = self._waiting.get(first, [])
            if sum(map(len, batches)) < size:
                break
            self._expected.popleft()
            self._count(Games.joined(self._waiting.pop(first)))

    def _count(self, games: Games) -> None:
        """Count games; ask the sequential test after each of the first hundred groups, then at every hundredth more."""
        if self.sprt is None:
            self.tally.add(games)
            return
        edges = group_edges(games).tolist()
        group, groups = 0, len(edges) - 1
        while group < groups and not self.decision:
            until = min(groups, group + self._groups_until_check)
            self.tally.add(games.rows(slice(edges[group], edges[until])))
            self._groups_until_check -= until - group
            group = until
            if not self._groups_until_check:
                self.decision = self.sprt.decision(self.tally.first_bot_groups)
                self._groups_until_check = max(1, self.tally.groups // 100)

    def _show(self) -> None:
        """Show the result so far, now and then."""
        before = time.perf_counter()
        if self._progress and before > self._next_show:
            with self._taking:
                so_far = dataclasses.replace(self.result(), tally=copy.deepcopy(self.tally))  # the tally goes on
            self._progress(so_far)
            after = time.perf_counter()
            self._next_show = after + max(SHOW_SECONDS, (after - before) / SHOW_EFFORT)

    def result(self) -> ArenaResult:
        """The result so far."""
        return ArenaResult(
            game=self.game,
            specs=self.plan.specs,
            seed=self.plan.seed,
            schedule=self.schedule,
            tally=self.tally,
            seconds=time.perf_counter() - self._started,
            reproducible=all(is_reproducible(spec, self.game) for spec in self.plan.specs),
            resumed=self.resumed,
            interrupted=self.interrupted,
            sprt=self.sprt,
            decision=self.decision,
        )


class _Earlier:
    """The games that a log held before, given out in order."""

    def __init__(self, log: Log) -> None:
        from kibitz.records.columns import games_of

        self._batches = (games_of(table) for table in log.tables())
        self._batch: Games | None = next(self._batches, None)
        self._at = 0  # the first row that was not given out

    def in_a_row(self, first: int) -> int:
        """How many games from number `first` on are known to be there, without a gap."""
        if self._batch is None:
            return 0
        numbers = self._batch.game[self._at :]
        gaps = np.flatnonzero(numbers != np.arange(first, first + len(numbers)))
        return int(gaps[0]) if len(gaps) else len(numbers)

    def before(self, stop: int) -> Games:
        """The next games, up to number `stop`."""
        found = []
        while self._batch is not None:
            end = int(np.searchsorted(self._batch.game, stop))
            found.append(self._batch.rows(slice(self._at, end)))
            self._at = end
            if end < len(self._batch):
                break
            self._batch, self._at = next(self._batches, None), 0
        return Games.joined(found) if found else Games.empty(0, 0)
