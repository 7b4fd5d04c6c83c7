"""Where the games of a tournament are played: in this process, or in several.

Workers are handed specs, never objects, so that they may be fresh processes. Which worker plays a game does not
change it, and the games are put back into order afterwards: the result is the same for any number of workers.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from kibitz.arena.match import Played, play_game
from kibitz.arena.schedule import Seating
from kibitz.compiled import is_plain, plain
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.games import spec_of

START_SECONDS = 1.5  # what it costs to start workers; they must save more
BATCH_SECONDS = 0.2  # of work handed to a worker at a time


@dataclass(frozen=True)
class Entry:
    """All that a worker needs to know of a tournament."""

    game: str
    specs: tuple[str, ...]
    seed: int | str
    plain: bool


def play_games(
    game: Game, specs: Sequence[str], seed: int | str, seatings: Sequence[Seating], workers: int | None = None
) -> Generator[Played]:
    """Play games and yield each as it is finished. Without `workers`, all cores as soon as that is faster."""
    entry = Entry(spec_of(game), tuple(specs), seed, is_plain())
    cores = available_cores() if workers is None else workers
    if cores > 1 and not _can_be_found(entry.game, game):
        if workers is not None:
            raise KibitzError(f"Workers cannot find the game {entry.game}; give it as path/file.py:Class.")
        cores = 1
    groups = deque(list(group) for _, group in itertools.groupby(seatings, key=lambda seating: seating.group))
    started, timed = 0.0, 0
    while groups:
        for seating in groups.popleft():
            yield play_game(game, specs, seed, seating)
        # The first group is played here in any case, untimed: what it compiles, all workers load from the cache.
        if started:
            timed += 1
        else:
            started = time.perf_counter()
        if cores > 1 and groups and (workers or _pays(time.perf_counter() - started, timed, len(groups), cores)):
            yield from _play_in_workers(entry, groups, cores)


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pays(seconds: float, played: int, left: int, cores: int) -> bool:
    """Whether workers save more time than they take to start, judging by the groups played so far."""
    return played > 0 and seconds / played * left * (1 - 1 / cores) > START_SECONDS


def _can_be_found(spec: str, game: Game) -> bool:
    """Whether a spec leads a fresh process to this very game: not for a class typed into a notebook."""
    try:
        return find_game(spec) == game
    except KibitzError:
        return False


def _play_in_workers(entry: Entry, groups: deque[list[Seating]], workers: int) -> Iterator[Played]:
    """Hand the groups out to processes in batches, until none is left."""
    context = multiprocessing.get_context("spawn")
    sizes: dict[Connection, int] = {}
    processes = []
    try:
        for _ in range(min(workers, len(groups))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(entry, theirs), daemon=True)
            with _interrupts_ignored():
                process.start()
            theirs.close()
            processes.append(process)
            sizes[ours] = 1
            ours.send(groups.popleft())
        while sizes:
            for ready in wait(list(sizes)):
                pipe: Any = ready
                try:
                    answer, seconds = pipe.recv()
                except EOFError:
                    raise KibitzError("A worker died; run with one worker to see where.") from None
                if isinstance(answer, KibitzError):
                    raise answer
                size = max(1, min(2 * sizes[pipe], int(sizes[pipe] * BATCH_SECONDS / seconds)))
                sizes[pipe] = size = min(size, -(-len(groups) // workers))
                if size:
                    pipe.send([seating for _ in range(size) for seating in groups.popleft()])
                else:
                    del sizes[pipe]
                yield from answer
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(entry: Entry, pipe: Connection) -> None:
    """What a worker does: play the games it is sent and send back how they ended."""
    with plain() if entry.plain else contextlib.nullcontext(), contextlib.suppress(EOFError):
        game = find_game(entry.game)
        while True:
            seatings = pipe.recv()
            started = time.perf_counter()
            answer: list[Played] | KibitzError
            try:
                answer = [play_game(game, entry.specs, entry.seed, seating) for seating in seatings]
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
