"""Where the games of a tournament are played: in this process, in threads of it, or in several processes.

Compiled matches need no more than threads, because compiled code runs beside Python. Other bots get processes, which
are handed specs, never objects, so that they may be fresh ones. Who plays a game does not change it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from types import FrameType
from typing import Any, cast

import numpy as np

from kibitz.arena.compiled_match import CompiledMatch
from kibitz.arena.games import Games
from kibitz.arena.match import Match
from kibitz.arena.schedule import Schedule
from kibitz.bots import is_learner
from kibitz.compiled import plain
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import can_be_found, spec_of
from kibitz.games import game as find_game

START_SECONDS = 1.5  # what it costs to start processes; they must save more
BATCH_SECONDS = 0.2  # of work handed to a process at a time
FAREWELL_SECONDS = 1.0  # in which a worker may end by itself when it is left alone
WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from kibitz.arena.workers import serve; serve(int(sys.argv[2]))"
)

Task = tuple[int, np.ndarray]  # a chunk's number, and the games of it that are to be played
Take = Callable[[int, Games], None]  # what becomes of the games of a chunk when they are finished


@dataclass(frozen=True)
class Plan:
    """All that a worker needs to know of a tournament."""

    game: str
    specs: tuple[str, ...]
    seed: int | str
    schedule: Schedule
    move_time: float
    keep_moves: bool
    plain: bool = False

    def left_after(self, task: Task) -> int:
        """How many games of the schedule come after a task."""
        return self.schedule.games - int(task[1][-1]) - 1

    def match(self, game: Game) -> Match:
        """What its games are played with at a Table."""
        return Match(game, self.specs, self.seed, self.move_time, self.schedule.opening)

    def play(self, match: Match | CompiledMatch, task: Task) -> Games:
        """Play the games of a task."""
        _, number = task
        return match.play(number, self.schedule.group(number), self.schedule.seats(number), self.keep_moves)


def play_tasks(
    plan: Plan, game: Game, tasks: Iterator[Task], take: Take, workers: int | None = None
) -> Generator[None]:
    """Play the games of all tasks, in any order, and hand each to `take`, which may be called by several threads.

    Yields now and then, so that the caller can see how far it is, or end it. Without `workers`, on all cores as soon
    as that is faster; a bot that learns from game to game has them played in order, by one worker.
    """
    if any(is_learner(spec, game) for spec in plan.specs):
        workers = 1
    cores = available_cores() if workers is None else workers
    if CompiledMatch.fits(game, plan.specs):
        yield from _play_in_threads(plan, game, tasks, take, cores)
    else:
        yield from _play_here_or_in_processes(plan, game, tasks, take, cores, workers is not None)


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play_in_threads(plan: Plan, game: Game, tasks: Iterator[Task], take: Take, threads: int) -> Iterator[None]:
    """Play compiled matches, each thread at a table of its own. This thread plays, too, rather than wait.

    Each takes the games it played itself, because they are still in its core's cache: another would read them at
    half the speed.
    """
    own, *others = (CompiledMatch(game, plan.specs, plan.seed, plan.schedule.opening) for _ in range(threads))
    asking = threading.Lock()
    ended = threading.Event()

    def next_task() -> Task | None:
        with asking:
            return next(tasks, None)

    def help_out(table: CompiledMatch) -> None:
        while not ended.is_set() and (task := next_task()):
            take(task[0], plan.play(table, task))

    with ThreadPoolExecutor(threads) as pool:
        helpers = [pool.submit(help_out, table) for table in others]
        try:
            while task := next_task():
                take(task[0], plan.play(own, task))
                for helper in helpers:
                    if helper.done():
                        helper.result()
                yield
            for helper in helpers:
                helper.result()
        finally:
            ended.set()


def _play_here_or_in_processes(
    plan: Plan, game: Game, tasks: Iterator[Task], take: Take, cores: int, at_once: bool
) -> Iterator[None]:
    """Play here, until it is clear that processes would save more time than they take to start."""
    if cores > 1 and not can_be_found(game):
        if at_once:
            raise KibitzError(f"Workers cannot find the game {spec_of(game)}; give it as path/file.py:Class.")
        cores = 1
    started, played = 0.0, 0
    with contextlib.closing(plan.match(game)) as match:
        for task in tasks:
            take(task[0], plan.play(match, task))
            yield
            # The first task is played here in any case, untimed: what it compiles, all workers load from the cache.
            if started:
                played += len(task[1])
            else:
                started = time.perf_counter()
            left = plan.left_after(task)
            if cores > 1 and left and (at_once or _pays(started, played, left, cores)):
                break
    yield from _play_in_processes(plan, tasks, take, cores)


def _pays(started: float, played: int, left: int, cores: int) -> bool:
    """Whether processes save more time than they take to start, judging by the games played since `started`."""
    if not played:
        return False
    seconds = time.perf_counter() - started
    return seconds / played * left * (1 - 1 / cores) > START_SECONDS


def _play_in_processes(plan: Plan, tasks: Iterator[Task], take: Take, workers: int) -> Iterator[None]:
    """Hand the tasks out to processes in batches, until none is left."""
    sizes: dict[Connection, int] = {}  # of the batch each is playing
    processes = []
    try:
        for task in itertools.islice(tasks, workers):
            process, pipe = _start_worker()
            processes.append(process)
            sizes[pipe] = 1
            pipe.send(plan)
            pipe.send([task])
        while sizes:
            for ready in wait(list(sizes)):
                pipe = cast("Connection[Any, Any]", ready)
                try:
                    answer, seconds = pipe.recv()
                except (EOFError, OSError):
                    raise KibitzError("A worker died; run with one worker to see where.") from None
                if isinstance(answer, KibitzError):
                    raise answer
                size = min(2 * sizes[pipe], int(sizes[pipe] * BATCH_SECONDS / max(seconds, 1e-9)))
                if batch := list(itertools.islice(tasks, max(1, size))):
                    pipe.send(batch)
                    sizes[pipe] = len(batch)
                else:
                    del sizes[pipe]
                    pipe.close()
                for chunk, games in answer:
                    take(chunk, games)
                    yield
    finally:
        for pipe in sizes:
            pipe.close()
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def _start_worker() -> tuple[subprocess.Popen[bytes], Connection]:
    """A fresh process that can import what this one can, and how to talk to it.

    Not multiprocessing's own kind, which would run the main program's file again. In a session of its own it never sees
    Ctrl-C: the process that started it decides what that means.
    """
    ours, theirs = Pipe()
    with theirs:
        fd = theirs.fileno()
        command = [sys.executable, "-P", "-c", WORKER, json.dumps([str(path) for path in sys.path]), str(fd)]
        process = subprocess.Popen(command, pass_fds=[fd], stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    return process, ours


def serve(fd: int) -> None:
    """What a worker does: play the tasks it is sent and send back how they ended."""
    threading.Thread(target=_end_when_alone, args=(fd,), daemon=True).start()
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, OSError):  # nobody is there any more
        _end_on_signal(stack)
        pipe = stack.enter_context(Connection(fd))
        plan: Plan = pipe.recv()
        if plan.plain:
            stack.enter_context(plain())
        match = stack.enter_context(contextlib.closing(plan.match(find_game(plan.game))))
        while True:
            tasks = pipe.recv()
            started = time.perf_counter()
            answer: list[tuple[int, Games]] | KibitzError
            try:
                answer = [(task[0], plan.play(match, task)) for task in tasks]
            except KibitzError as error:
                answer = error
            pipe.send((answer, time.perf_counter() - started))


def _end_on_signal(stack: contextlib.ExitStack) -> None:
    """Let SIGTERM end this process at once, after what is open: the processes of bots from outside, above all.

    No exception does that: it would strike anywhere, in the middle of loading compiled code, say, or in a destructor,
    where Python ignores it.
    """

    def end(number: int, frame: FrameType | None) -> None:
        try:
            stack.close()
        finally:
            os._exit(0)

    signal.signal(signal.SIGTERM, end)


def _end_when_alone(fd: int) -> None:
    """End this process, whatever it is doing, when the one that started it has hung up. Its bots' processes follow."""
    hung_up = select.poll()
    hung_up.register(fd, 0)
    hung_up.poll()
    time.sleep(FAREWELL_SECONDS)
    os._exit(1)
