"""Where the games of a tournament are played: in this process, in threads of it, or in several processes.

Compiled matches need no more than threads, because compiled code runs beside Python. Other bots get processes, which
are handed specs, never objects, so that they may be fresh ones. Who plays a game does not change it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from kibitz.arena.compiled_match import CompiledMatch
from kibitz.arena.games import Games
from kibitz.arena.match import Match
from kibitz.arena.schedule import Schedule
from kibitz.compiled import plain
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.games import spec_of

START_SECONDS = 1.5  # what it costs to start processes; they must save more
BATCH_SECONDS = 0.2  # of work handed to a process at a time

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
    """Play compiled matches, each thread at a table of its own."""
    tables: queue.SimpleQueue[CompiledMatch] = queue.SimpleQueue()
    for _ in range(threads):
        tables.put(CompiledMatch(game, plan.specs, plan.seed))

    def play(task: Task) -> Done:
        table = tables.get()
        try:
            return plan.play(table, task)
        finally:
            tables.put(table)

    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[Done]] = set()
        try:
            for task in tasks:
                running.add(pool.submit(play, task))
                while len(running) > threads:
                    finished, running = wait_for(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in finished)
            for future in running:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _play_here_or_in_processes(
    plan: Plan, game: Game, tasks: Iterator[Task], cores: int, at_once: bool
) -> Iterator[Done]:
    """Play here, until it is clear that processes would save more time than they take to start."""
    if cores > 1 and not _can_be_found(game):
        if at_once:
            raise KibitzError(f"Workers cannot find the game {spec_of(game)}; give it as path/file.py:Class.")
        cores = 1
    waiting = deque(tasks)
    started, timed = 0.0, 0
    with contextlib.closing(Match(game, plan.specs, plan.seed, plan.move_time)) as match:
        while waiting:
            yield plan.play(match, waiting.popleft())
            # The first task is played here in any case, untimed: what it compiles, all workers load from the cache.
            if started:
                timed += 1
            else:
                started = time.perf_counter()
            if cores > 1 and waiting and (at_once or _pays(time.perf_counter() - started, timed, len(waiting), cores)):
                break
    if waiting:
        yield from _play_in_processes(plan, waiting, cores)


def _pays(seconds: float, played: int, left: int, cores: int) -> bool:
    """Whether processes save more time than they take to start, judging by the tasks played so far."""
    return played > 0 and seconds / played * left * (1 - 1 / cores) > START_SECONDS


def _can_be_found(game: Game) -> bool:
    """Whether its spec leads a fresh process to this very game: not for a class typed into a notebook."""
    try:
        return find_game(spec_of(game)) == game
    except KibitzError:
        return False


def _play_in_processes(plan: Plan, tasks: deque[Task], workers: int) -> Iterator[Done]:
    """Hand the tasks out to processes in batches, until none is left."""
    context = multiprocessing.get_context("spawn")
    sizes: dict[Connection, int] = {}
    processes = []
    try:
        for _ in range(min(workers, len(tasks))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(plan, theirs))
            with _interrupts_ignored():
                process.start()
            theirs.close()
            processes.append(process)
            sizes[ours] = 1
            ours.send([tasks.popleft()])
        while sizes:
            for ready in wait(list(sizes)):
                pipe: Any = ready
                try:
                    answer, seconds = pipe.recv()
                except EOFError:
                    raise KibitzError("A worker died; run with one worker to see where.") from None
                if isinstance(answer, KibitzError):
                    raise answer
                size = max(1, min(2 * sizes[pipe], int(sizes[pipe] * BATCH_SECONDS / max(seconds, 1e-9))))
                sizes[pipe] = size = min(size, -(-len(tasks) // workers))
                if size:
                    pipe.send([tasks.popleft() for _ in range(size)])
                else:
                    del sizes[pipe]
                    pipe.close()
                yield from answer
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(plan: Plan, pipe: Connection) -> None:
    """What a process does: play the tasks it is sent and send back how they ended."""
    # Ended by a signal, it must still end the processes of bots from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with plain() if plan.plain else contextlib.nullcontext():
        game = find_game(plan.game)
        with (
            contextlib.closing(Match(game, plan.specs, plan.seed, plan.move_time)) as match,
            contextlib.suppress(EOFError),
        ):
            while True:
                tasks = pipe.recv()
                started = time.perf_counter()
                answer: list[Done] | KibitzError
                try:
                    answer = [plan.play(match, task) for task in tasks]
                except KibitzError as error:
                    answer = error
                pipe.send((answer, time.perf_counter() - started))


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started in here never see Ctrl-C: the one that started them decides what it means."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
