"""Where the games of a tournament are played: in this process, in threads of it, or in several processes.

Compiled matches need no more than threads, because compiled code runs beside Python. Other bots get processes, which
are handed specs, never objects, so that they may be fresh ones. Who plays a game does not change it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, cast

import numpy as np

from kibitz.arena.compiled_match import CompiledMatch
from kibitz.arena.games import Games
from kibitz.arena.match import Match
from kibitz.arena.schedule import Schedule
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
Done = tuple[int, Games]


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

    def play(self, match: Match | CompiledMatch, task: Task) -> Done:
        """Play the games of a task."""
        chunk, number = task
        games = match.play(number, self.schedule.group(number), self.schedule.seats(number), self.keep_moves)
        return chunk, games


def play_tasks(plan: Plan, game: Game, tasks: Iterator[Task], workers: int | None = None) -> Generator[Done]:
    """Play the games of all tasks, in any order. Without `workers`, on all cores as soon as that is faster."""
    cores = available_cores() if workers is None else workers
    if CompiledMatch.fits(game, plan.specs):
        yield from _play_in_threads(plan, game, tasks, cores)
    else:
        yield from _play_here_or_in_processes(plan, game, tasks, cores, workers is not None)


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play_in_threads(plan: Plan, game: Game, tasks: Iterator[Task], threads: int) -> Iterator[Done]:
    """Play compiled matches, each thread at a table of its own. This thread plays, too, rather than wait."""
    helpers = threads - 1
    own, *others = (CompiledMatch(game, plan.specs, plan.seed, plan.schedule.opening) for _ in range(threads))
    tables: queue.SimpleQueue[CompiledMatch] = queue.SimpleQueue()
    for table in others:
        tables.put(table)

    def help_out(task: Task) -> Done:
        table = tables.get()
        try:
            return plan.play(table, task)
        finally:
            tables.put(table)

    with ThreadPoolExecutor(max(1, helpers)) as pool:
        running: set[Future[Done]] = set()
        try:
            for task in tasks:
                if len(running) < 2 * helpers:  # one task for each to play, and another to go on with
                    running.add(pool.submit(help_out, task))
                    continue
                yield plan.play(own, task)
                finished = {future for future in running if future.done()}
                running -= finished
                yield from (future.result() for future in finished)
            yield from (future.result() for future in as_completed(running))
        finally:
            pool.shutdown(cancel_futures=True)


def _play_here_or_in_processes(
    plan: Plan, game: Game, tasks: Iterator[Task], cores: int, at_once: bool
) -> Iterator[Done]:
    """Play here, until it is clear that processes would save more time than they take to start."""
    if cores > 1 and not can_be_found(game):
        if at_once:
            raise KibitzError(f"Workers cannot find the game {spec_of(game)}; give it as path/file.py:Class.")
        cores = 1
    started, played = 0.0, 0
    with contextlib.closing(plan.match(game)) as match:
        for task in tasks:
            yield plan.play(match, task)
            # The first task is played here in any case, untimed: what it compiles, all workers load from the cache.
            if started:
                played += len(task[1])
            else:
                started = time.perf_counter()
            left = plan.left_after(task)
            if cores > 1 and left and (at_once or _pays(started, played, left, cores)):
                break
    yield from _play_in_processes(plan, tasks, cores)


def _pays(started: float, played: int, left: int, cores: int) -> bool:
    """Whether processes save more time than they take to start, judging by the games played since `started`."""
    if not played:
        return False
    seconds = time.perf_counter() - started
    return seconds / played * left * (1 - 1 / cores) > START_SECONDS


def _play_in_processes(plan: Plan, tasks: Iterator[Task], workers: int) -> Iterator[Done]:
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
                yield from answer
    finally:
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
    # Ended by a signal, it must still end the processes of bots from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_end_when_alone, args=(fd,), daemon=True).start()
    with Connection(fd) as pipe, contextlib.suppress(EOFError, OSError):  # nobody is there any more
        plan: Plan = pipe.recv()
        with plain() if plan.plain else contextlib.nullcontext():
            game = find_game(plan.game)
            with contextlib.closing(plan.match(game)) as match:
                while True:
                    tasks = pipe.recv()
                    started = time.perf_counter()
                    answer: list[Done] | KibitzError
                    try:
                        answer = [plan.play(match, task) for task in tasks]
                    except KibitzError as error:
                        answer = error
                    pipe.send((answer, time.perf_counter() - started))


def _end_when_alone(fd: int) -> None:
    """End this process, whatever it is doing, when the one that started it has hung up. Its bots' processes follow."""
    hung_up = select.poll()
    hung_up.register(fd, 0)
    hung_up.poll()
    time.sleep(FAREWELL_SECONDS)
    os._exit(1)
