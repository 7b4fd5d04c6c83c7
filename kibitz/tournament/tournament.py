"""Runs a tournament from specs to result: plays, counts and logs its games, and resumes it where it left off."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.compiler import is_plain, running_time
from kibitz.errors import KibitzError, RulesError
from kibitz.players.limit import LimitLike, as_limit
from kibitz.players.process_bot import DAY
from kibitz.players.roster import BotLike, resolve_all
from kibitz.players.seating import BOT_MEMORY, MOVE_SECONDS, check_strangers, terms_for
from kibitz.players.warm_up import rehearse
from kibitz.records.games import Games
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import as_secret, as_seed
from kibitz.rules.spec import whole_number
from kibitz.sandbox.levels import AUTO
from kibitz.tournament.executors import LOCAL, Executor, choose_executor
from kibitz.tournament.interrupts import Interrupts
from kibitz.tournament.plan import Contest, Plan, Played, Task
from kibitz.tournament.result import ArenaResult
from kibitz.tournament.schedule import ROUND_ROBIN, Schedule
from kibitz.tournament.sprt import Sprt
from kibitz.tournament.tally import Tally, group_edges, sum_rows

if TYPE_CHECKING:
    from kibitz.records.log import Log, LogWriter

CHUNK_SECONDS = 0.1  # the length of a chunk of games played in compiled code …
CHUNK_GAMES = 1 << 14  # … and its maximum number of games
LEAST_MEMORY, MOST_MEMORY = 0.5, 1_000_000  # GB; a process needs a few hundred MB by itself
MOST_WORKERS = 512
KEPT_GAMES = 100_000  # of a tournament without a log, for `ArenaResult.games`
PAYOFF_ERROR = 1e-9  # how far payoffs may be from their bounds and their sum
SHOW_SECONDS = 0.25  # between two calls of `progress` …
SHOW_EFFORT = 0.05  # … which take at most this share of the time


def arena(
    game: GameLike,
    bots: Sequence[BotLike],
    games: int = 100,
    seed: int | str | None = None,
    *,
    secret: str | None = None,
    format: str = ROUND_ROBIN,
    paired: bool | None = None,
    opening: int = 0,
    workers: int | None = None,
    engine: str = LOCAL,
    address: str | None = None,
    move_time: float = MOVE_SECONDS,
    bot_memory: float = BOT_MEMORY,
    sandbox: str = AUTO,
    limit: LimitLike | None = None,
    sprt: Sprt | str | None = None,
    log: str | Path | None = None,
    resume: bool = False,
    keep_moves: bool = True,
    progress: Callable[[ArenaResult], None] | None = None,
) -> ArenaResult:
    """Play a tournament of `games` games: `kibitz.arena("connect_four", ["uct:sims=400", "random"], games=1000)`.

    Bots are specs, classes with a method `choose`, or instances of such classes. Every game gets new bots: a class is
    instantiated anew, an instance copied, unless its class says `learns = True`.

    In a round robin, every pair of bots meets, or every combination of bots at tables for more than two; in a gauntlet,
    the first bot plays against each of the others. Seats rotate; `paired` plays every rotation with the same luck
    (None: yes, unless a bot learns from game to game, which must never meet luck that it has seen).
    Every game begins with `opening` random moves, which are the same in all rotations if paired. The result depends on
    the `seed` (None: a new one, see `result.seed`), but neither on the number of `workers` (None: all cores, if that is
    faster) nor on the `engine` (`serial`, `threads`, `processes`, or `local`: the fastest of them; or `ray`: the Ray
    cluster at `address`, or else one on this machine).

    If a bot plays that is not trusted, such as one from a file, a random `secret` is mixed with the seed, so that it
    cannot compute the luck of its games. It is published at the end, as `result.secret`; given back, together with the
    seed, it reproduces the tournament.

    Bots from files, and programs, have `move_time` seconds per move and `bot_memory` GB of memory, and play in a
    `sandbox`: `bwrap`, `landlock`, `none`, or `auto`, the strongest that this machine gives. A class or an instance
    plays in this process, without such limits. `limit`, such as "ms=20" or "sims=1000", replaces the limit per move in
    the options of every search. `sprt`, such as "elo0=0,elo1=10", ends a match of two bots as soon as the answer is
    known. `log` is a folder to which every game is written as it ends, with its moves if `keep_moves`; `resume`
    continues the tournament in it. `progress` is called regularly with the result so far. Ctrl-C ends the tournament
    early; the result then covers the finished games.

    Examples:
        >>> import kibitz
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=100, seed=1)
        >>> print(f"{result.ranking[0].bot} won {result.ranking[0].share.share:.0%}")
        greedy won 97%
    """
    if isinstance(bots, str) or not isinstance(bots, Iterable):
        raise KibitzError(f"A tournament needs a list of bots, such as ['uct:sims=400', 'random'], not {bots!r}.")
    bots, rules = list(bots), as_game(game)
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    Schedule(rules.players, len(bots), games, format, opening=opening)  # fail before anything is compiled
    if workers is not None:
        workers = whole_number(workers, "The number of workers", 1, MOST_WORKERS)
    if not hasattr(move_time, "__float__") or not 0 < move_time <= DAY:
        raise KibitzError(f"A time limit must be more than 0 seconds and at most a day, not {move_time!r}.")
    if not hasattr(bot_memory, "__float__") or not LEAST_MEMORY <= bot_memory <= MOST_MEMORY:
        raise KibitzError(f"A bot needs from {LEAST_MEMORY:g} to {MOST_MEMORY:,} GB of memory, not {bot_memory!r}.")
    if test is not None and (rules.players != 2 or len(bots) != 2):
        raise KibitzError("A sequential test needs exactly two bots and a game for two players.")
    if test is not None and not rules.is_constant_sum:
        raise KibitzError("A sequential test needs a constant-sum game, in which one bot wins what the other loses.")
    if resume and log is None:
        raise KibitzError("To resume a tournament, give its log.")
    entrants = resolve_all(bots, rules)
    needs_secret = any(entrant.is_stranger for entrant in entrants)
    if resume and log is not None and _has_begun(Path(log)):
        seed, secret = _logged_key(Path(log), seed, secret)
        needs_secret = False
    if not is_plain():
        rehearse(rules)
    terms = terms_for(entrants, sandbox, move_time, bot_memory, None if log is None else Path(log))
    learners = [*check_strangers(entrants, terms), *(entrant for entrant in entrants if entrant.learns)]
    if learners and paired:
        raise KibitzError(
            f"{learners[0].spec} learns from game to game, so it must not meet the same luck twice; "
            "do not pair the games."
        )
    terms = dataclasses.replace(terms, learners=tuple(entrant.spec for entrant in learners))
    plan = Plan(
        game=spec_of(rules),
        specs=tuple(entrant.spec for entrant in entrants),
        seed=as_seed(seed),
        schedule=Schedule(rules.players, len(bots), games, format, paired is not False and not learners, opening),
        keep_moves=keep_moves and log is not None,
        plain=is_plain(),
        limit=as_limit(limit),
        terms=terms,
        secret=as_secret(secret, needs_secret),
    )
    contest = Contest(plan, rules, entrants)
    _prepare(contest)
    tournament = _Tournament(contest, test, progress)
    executor = choose_executor(contest, engine, workers, address)
    with contextlib.ExitStack() as stack:
        if log is not None:
            tournament.open_log(Path(log), resume, stack)
        tournament.play(executor)
        tournament.publish_secret()
    return tournament.result()


def _has_begun(folder: Path) -> bool:
    """Whether there is a log to resume: a tournament can die before its log has begun."""
    from kibitz.records.log import INDEX

    return (folder / INDEX).exists()


def _logged_key(folder: Path, seed: int | str | None, secret: str | None) -> tuple[int | str, str | None]:
    """The seed and the secret of the tournament to resume. If others are given, opening its log will fail."""
    from kibitz.records.log import Log  # imported on demand: it needs an optional dependency
    from kibitz.records.secret import SECRET_FILE, kept_secret

    log = Log(folder)
    if secret is None:
        secret = log.secret or kept_secret(folder)
    if secret is None and log.has_secret:
        raise KibitzError(f"{folder / SECRET_FILE}, the secret of the tournament, is missing; it cannot be resumed.")
    return log.tournament["seed"] if seed is None else seed, secret


def _prepare(contest: Contest) -> None:
    """Compile everything that the bots of kibitz need before any clock starts, and what counts their games."""
    contest.compile()
    schedule = contest.plan.schedule
    number = np.array(schedule.chunk(0, 1))
    blank = Games.empty(len(number), contest.game.players)
    blank.game[:], blank.group[:], blank.bots[:] = number, schedule.group(number), schedule.seats(number)
    wrong_payoffs(contest.game, blank.payoff)
    Tally(schedule, contest.game).add(blank)  # counting is compiled, too


class _Tournament:
    """A tournament in progress: the games already counted, and those waiting for their turn."""

    def __init__(self, contest: Contest, sprt: Sprt | None, progress: Callable[[ArenaResult], None] | None) -> None:
        self.contest, self.game, self.plan, self.sprt = contest, contest.game, contest.plan, sprt
        self.schedule = self.plan.schedule
        self.tally = Tally(self.schedule, self.game)
        self.resumed = 0
        self.interrupted = False
        self.decision: str | None = None
        self._published = False  # whether the secret is known from now on
        self._progress = progress
        self._started = running_time()
        self._next_show = time.perf_counter() + SHOW_SECONDS
        self._interrupts = Interrupts()
        self._taking = threading.Lock()  # held while games are counted and logged
        self._writer: LogWriter | None = None
        self._kept: list[Games] = []
        self._earlier: _Earlier | None = None
        self._chunk_games = 1  # at least a whole group in any case
        self._expected: deque[tuple[int, int]] = deque()  # the chunks not yet counted, in order, and their sizes
        self._waiting: dict[int, list[Games]] = {}  # games of chunks that are incomplete or not next in order
        self._groups_until_check = 1  # groups until the next check of the sequential test

    def open_log(self, folder: Path, resume: bool, stack: contextlib.ExitStack) -> None:
        """Log every game to a folder; when resuming, do not play the games that are already there."""
        from kibitz.records.identity import identity_of
        from kibitz.records.log import Log, LogWriter  # imported on demand: it needs an optional dependency

        what: dict[str, Any] = {
            "game": self.plan.game,
            "bots": list(self.plan.specs),
            "seed": self.plan.seed,
            "games": self.schedule.games,
            "format": self.schedule.format,
            "paired": self.schedule.paired,
            "move_time": self.plan.terms.move_time,
            "sprt": dataclasses.asdict(self.sprt) if self.sprt else None,
        }
        if self.schedule.opening:
            what["opening"] = self.schedule.opening
        if self.plan.terms.memory != BOT_MEMORY:
            what["bot_memory"] = self.plan.terms.memory
        if self.contest.sandbox:
            what["sandbox"] = self.contest.sandbox
        if self.plan.limit:
            what["limit"] = str(self.plan.limit)
        if not self.plan.keep_moves:
            what["keep_moves"] = False
        if self.contest.local_bots:
            what["local_bots"] = list(self.contest.local_bots)
        identity, secret = identity_of(self.game, self.contest.entrants), self.plan.secret
        self._writer = stack.enter_context(LogWriter(folder, what, resume=resume, identity=identity, secret=secret))
        if resume:
            self._earlier = _Earlier(Log(folder))
        if self.plan.terms.stderr:
            Path(self.plan.terms.stderr).mkdir(exist_ok=True)

    def play(self, executor: Executor) -> None:
        """Play the remaining games until all are done, the sequential test is decided, or Ctrl-C is pressed."""
        try:
            with (
                self._interrupts,
                contextlib.closing(executor.play(self.contest, self._tasks(), self._finish)) as playing,
            ):
                for _ in playing:
                    self._show()
                    if self.decision:
                        return
        except KeyboardInterrupt:
            self.interrupted = True
            for chunk in sorted(self._waiting):  # finished, though out of order
                self._add(Games.joined(self._waiting.pop(chunk)))

    def publish_secret(self) -> None:
        """Publish the secret if no more games can follow: an interrupted tournament goes on if it has a log."""
        if self._writer is not None:
            if self.interrupted:
                return
            self._writer.publish_secret()
        self._published = True

    def _tasks(self) -> Iterator[Task]:
        """The games left to play, in order. Games that are already in the log are counted on the way."""
        chunk, first = 0, 0
        while first < self.schedule.games and not self.decision:
            done_in_a_row = self._earlier.in_a_row(first) if self._earlier else 0
            numbers = self.schedule.chunk(first, max(done_in_a_row, self._chunk_games))
            self._expected.append((chunk, len(numbers)))
            missing = np.arange(numbers.start, numbers.stop)
            if self._earlier and len(done := self._earlier.before(numbers.stop)):
                missing = np.setdiff1d(missing, done.game, assume_unique=True)
                self.resumed += len(done)
                with self._taking, self._interrupts.held():
                    self._take([(chunk, done)])
                self._show()
            if len(missing) and not self.decision:
                yield chunk, missing
            chunk, first = chunk + 1, numbers.stop

    def _next_size(self, games: Games) -> int:
        """The size of the next chunk. In Python, it is one group, so that each is safe as soon as it ends."""
        if not self.contest.is_compiled:
            return 1
        seconds = float(games.seconds.sum())
        return int(min(2 * len(games), len(games) * CHUNK_SECONDS / max(seconds, 1e-9), CHUNK_GAMES)) or 1

    def _finish(self, played: Played) -> None:
        """Log and count games that have just been played, in any thread."""
        with self._taking, self._interrupts.held():
            games = Games.joined([games for _, games in played])
            self._chunk_games = self._next_size(games)
            if self._writer is not None:
                self._writer.write(games)
            self._take(played)

    def _take(self, played: Played) -> None:
        """Count games, in the order of the chunks, all at once that are next."""
        for chunk, games in played:
            if wrong := wrong_payoffs(self.game, games.payoff):
                raise RulesError(f"{type(self.game).__name__}.payoff: {wrong}; run `kibitz check`.")
            self._waiting.setdefault(chunk, []).append(games)
        next_games: list[Games] = []
        while self._expected and not self.decision:
            first, size = self._expected[0]
            batches = self._waiting.get(first, [])
            if sum(map(len, batches)) < size:
                break
            self._expected.popleft()
            next_games += self._waiting.pop(first)
        if next_games:
            self._count(Games.joined(next_games))

    def _count(self, games: Games) -> None:
        """Count games; check the sequential test each time the number of groups has grown by 1 % (at least one)."""
        if self.sprt is None:
            self._add(games)
            return
        edges = group_edges(games).tolist()
        group, groups = 0, len(edges) - 1
        while group < groups and not self.decision:
            until = min(groups, group + self._groups_until_check)
            self._add(games.rows(slice(edges[group], edges[until])))
            self._groups_until_check -= until - group
            group = until
            if not self._groups_until_check:
                self.decision = self.sprt.decision(self.tally.first_bot_groups)
                self._groups_until_check = max(1, self.tally.groups // 100)

    def _add(self, games: Games) -> None:
        self.tally.add(games)
        if self._writer is None and self.schedule.games <= KEPT_GAMES:
            self._kept.append(games)

    def _show(self) -> None:
        """Call `progress` with the result so far, if it is time."""
        before = time.perf_counter()
        if self._progress and before > self._next_show:
            with self._taking:
                so_far = dataclasses.replace(self.result(), tally=copy.deepcopy(self.tally))  # the tally keeps changing
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
            seconds=running_time() - self._started,
            reproducible=self.contest.is_reproducible,
            resumed=self.resumed,
            interrupted=self.interrupted,
            sprt=self.sprt,
            decision=self.decision,
            local_bots=self.contest.local_bots,
            sandbox=self.contest.sandbox,
            has_secret=self.plan.secret is not None,
            secret=self.plan.secret if self._published else None,
            log=None if self._writer is None else self._writer.folder,
            kept=tuple(self._kept),
        )


def wrong_payoffs(game: Game, payoff: np.ndarray) -> str | None:
    """What is wrong with the payoffs of some games; None if nothing is."""
    low, high, total = game.min_utility, game.max_utility, game.utility_sum
    slack = PAYOFF_ERROR * (high - low)
    if payoff.min(initial=low) < low - slack or payoff.max(initial=high) > high + slack:
        return f"not every payoff is from {low:g} to {high:g}"
    if total is not None and np.abs(sum_rows(payoff) - total).max(initial=0.0) > slack:
        return f"the {'utilities' if game.has_utilities else 'shares'} do not sum to {total:g}"
    return None


class _Earlier:
    """The games that were in the log before, in order."""

    def __init__(self, log: Log) -> None:
        self._batches = log.batches(moves=False)
        self._batch: Games | None = next(self._batches, None)
        self._at = 0  # the first row not returned yet

    def in_a_row(self, first: int) -> int:
        """The number of consecutive games, starting at number `first`, that are known to be in the log."""
        if self._batch is None:
            return 0
        numbers = self._batch.game[self._at :]  # ascending, so that the first gap can be found by bisection
        return bisect_right(range(len(numbers)), first, key=lambda row: int(numbers[row]) - row)

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
