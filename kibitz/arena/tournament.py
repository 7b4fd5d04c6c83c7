"""A tournament from specs to result: played, counted, logged, and resumed where it was left off."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.arena.compiled_match import CompiledMatch
from kibitz.arena.games import Games
from kibitz.arena.isolation import MOVE_SECONDS, IsolatedBot, make_player
from kibitz.arena.result import ArenaResult
from kibitz.arena.schedule import ROUND_ROBIN, Schedule
from kibitz.arena.sprt import Sprt
from kibitz.arena.tally import Tally
from kibitz.arena.workers import Plan, Task, play_tasks
from kibitz.bots import is_reproducible
from kibitz.compiled import is_plain
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.games import spec_of

COMPILED_CHUNK = 16_384  # games counted at once; enough that counting costs little beside playing
SPRT_CHUNK = 512
SHOW_SECONDS = 0.25  # between two calls of `progress`


def arena(
    game: Game | str,
    bots: Sequence[str],
    games: int = 100,
    seed: int | str = 0,
    *,
    format: str = ROUND_ROBIN,
    paired: bool = True,
    workers: int | None = None,
    move_time: float = MOVE_SECONDS,
    sprt: Sprt | None = None,
    log: str | Path | None = None,
    resume: bool = False,
    progress: Callable[[ArenaResult], None] | None = None,
) -> ArenaResult:
    """Play a tournament of `games` games between bots, given by their specs.

    Round robin: all pairs of bots where two play, else tables with every choice of bots. Gauntlet: the first bot
    against each of the others. Seats rotate; `paired` plays every rotation with the same luck. The result depends on the
    seed, not on the number of `workers` (None: all cores, when that is faster). Bots from outside kibitz have
    `move_time` seconds a move. `sprt` ends a match of two bots as soon as the answer is known. `log` is a folder that keeps every
    game as it ends; with `resume` the tournament there is continued. `progress` is shown the result so far, now and
    then. Ctrl-C ends the tournament early: the result holds what is finished.
    """
    rules = find_game(game) if isinstance(game, str) else game
    schedule = Schedule(rules.players, len(bots), games, format, paired)
    if workers is not None and workers < 1:
        raise KibitzError(f"A tournament needs at least one worker, not {workers}.")
    if sprt is not None and (rules.players != 2 or len(bots) != 2):
        raise KibitzError("A sequential test compares two bots in a game for two.")
    if resume and log is None:
        raise KibitzError("To resume a tournament, say where its log is.")
    _refuse_impossible(rules, bots, move_time)
    tournament = _Tournament(rules, tuple(bots), seed, schedule, sprt, progress)
    with contextlib.ExitStack() as stack:
        if log is not None:
            tournament.open_log(Path(log), resume, stack)
        plan = Plan(
            spec_of(rules), tuple(bots), seed, schedule, move_time, keep_moves=log is not None, plain=is_plain()
        )
        tournament.play(plan, workers)
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
        self,
        game: Game,
        specs: tuple[str, ...],
        seed: int | str,
        schedule: Schedule,
        sprt: Sprt | None,
        progress: Callable[[ArenaResult], None] | None,
    ) -> None:
        self.game, self.specs, self.seed, self.schedule, self.sprt = game, specs, seed, schedule, sprt
        self.tally = Tally(schedule, game.score_lower_wins)
        self.interrupted = False
        self.decision: str | None = None
        self._progress = progress
        self._started = self._shown = time.perf_counter()
        self._writer: Any = None
        self._earlier: Games | None = None
        about = SPRT_CHUNK if sprt else COMPILED_CHUNK
        self._chunks = schedule.chunks(about if CompiledMatch.fits(game, specs) else 1)
        self._expected: deque[tuple[int, int]] = deque()  # the chunks not yet counted, in order, and their sizes
        self._waiting: dict[int, list[Games]] = {}  # games of chunks that are not complete or not next

    def open_log(self, folder: Path, resume: bool, stack: contextlib.ExitStack) -> None:
        """Keep every game in a folder; when resuming, take the games that are there as played."""
        from kibitz.records.log import Log, LogWriter  # the libraries it needs are an extra

        identity = {
            "game": spec_of(self.game),
            "bots": list(self.specs),
            "seed": self.seed,
            "games": self.schedule.games,
            "format": self.schedule.format,
            "paired": self.schedule.paired,
        }
        self._writer = stack.enter_context(LogWriter(folder, identity, resume=resume))
        if resume:
            self._earlier = Log(folder).games()

    def play(self, plan: Plan, workers: int | None) -> None:
        """Play what is not played yet, until all is done or decided, or Ctrl-C."""
        try:
            with contextlib.closing(play_tasks(plan, self.game, self._tasks(), workers)) as played:
                for chunk, games in played:
                    if self._writer is not None:
                        self._writer.write(games)
                    self._take(chunk, games)
                    if self.decision:
                        return
        except KeyboardInterrupt:
            self.interrupted = True
            for chunk in sorted(self._waiting):  # finished out of turn, but finished
                self.tally.add(Games.joined(self._waiting.pop(chunk)))

    def _tasks(self) -> Iterator[Task]:
        """What is left to play. Chunks that are in the log already are counted on the way."""
        for chunk, numbers in enumerate(self._chunks):
            if self.decision:
                return
            self._expected.append((chunk, len(numbers)))
            number = np.arange(numbers.start, numbers.stop)
            if self._earlier is not None:
                between = slice(*np.searchsorted(self._earlier.game, [numbers.start, numbers.stop]))
                done = self._earlier.rows(np.arange(len(self._earlier))[between])
                number = np.setdiff1d(number, done.game)
                if len(done):
                    self._take(chunk, done)
            if len(number):
                yield chunk, number

    def _take(self, chunk: int, games: Games) -> None:
        """Count games, in the order of the chunks."""
        self._waiting.setdefault(chunk, []).append(games)
        while self._expected and not self.decision:
            first, size = self._expected[0]
            batches = self._waiting.get(first, [])
            if sum(map(len, batches)) < size:
                break
            self._expected.popleft()
            self.tally.add(Games.joined(self._waiting.pop(first)))
            if self.sprt is not None:
                self.decision = self.sprt.decision(self.tally.first_bot_groups)
        if self._progress and time.perf_counter() - self._shown > SHOW_SECONDS:
            self._progress(self.result())
            self._shown = time.perf_counter()

    def result(self) -> ArenaResult:
        """The result so far."""
        return ArenaResult(
            game=self.game,
            specs=self.specs,
            seed=self.seed,
            schedule=self.schedule,
            tally=self.tally,
            seconds=time.perf_counter() - self._started,
            reproducible=all(is_reproducible(spec, self.game) for spec in self.specs),
            interrupted=self.interrupted,
            sprt=self.sprt,
            decision=self.decision,
        )
