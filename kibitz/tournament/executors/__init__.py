"""Executors play the games of a tournament. The choice of executor does not affect the games.

An executor is anything with the `play` method of Executor. There are four, each in its own module: `serial` (this
thread), `threads`, `processes` and `ray` (a cluster). `choose_executor` selects one by name; `local`, the default, is
the fastest of the first three on this machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Protocol

from kibitz.cluster import available_cores
from kibitz.compiler import running_time
from kibitz.errors import KibitzError
from kibitz.rules.registry import can_be_found, spec_of
from kibitz.tournament.executors.processes import Processes
from kibitz.tournament.executors.ray import Ray
from kibitz.tournament.executors.serial import Serial
from kibitz.tournament.executors.threads import Threads
from kibitz.tournament.plan import Contest, Take, Task

LOCAL, RAY = "local", "ray"
START_SECONDS = 1.5  # the cost of starting processes; they must save more than that


class Executor(Protocol):
    """Plays tasks, in any order."""

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        """Play the games of all tasks and pass them to `take`, some tasks at a time, possibly from several threads.

        Yields regularly, so that the caller can show progress or stop.
        """
        ...


EXECUTORS: Mapping[str, Callable[[int], Executor]] = {
    "serial": lambda workers: Serial(),
    "threads": Threads,
    "processes": Processes,
    RAY: Ray,
}
ENGINES = (LOCAL, *EXECUTORS)


def choose_executor(
    contest: Contest, engine: str = LOCAL, workers: int | None = None, address: str | None = None
) -> Executor:
    """Choose the executor for a tournament. If a bot learns from game to game, games run in order, in this thread.

    `address` is that of a Ray cluster.
    """
    if engine not in ENGINES:
        raise KibitzError(f"There is no engine {engine!r}; choose one of {', '.join(ENGINES)}.")
    if engine == "serial" and workers not in (None, 1):
        raise KibitzError(f"The engine serial uses one thread; it cannot have {workers} workers.")
    if address is not None and engine != RAY:
        raise KibitzError(f"An address is for the engine ray; the engine {engine} runs on this machine.")
    if engine in ("processes", RAY) or (engine == LOCAL and not contest.is_compiled and (workers or 1) > 1):
        _check_that_others_can_find(contest)
    if contest.learns:
        return Serial()
    games = contest.plan.schedule.games
    if engine == RAY:
        return Ray(min(workers, games) if workers else None, address)
    cores = min(workers or available_cores(), games)
    if engine != LOCAL:
        return EXECUTORS[engine](cores)
    if cores == 1:
        return Serial()
    if contest.is_compiled:
        return Threads(cores)
    if workers is not None:
        return Processes(cores)
    if contest.local_bots or not can_be_found(contest.game):
        return Serial()
    return StartHere(Processes(cores), cores)


def _check_that_others_can_find(contest: Contest) -> None:
    if not can_be_found(contest.game):
        raise KibitzError(f"Workers cannot find the game {spec_of(contest.game)}; name it as path/file.py:Class.")
    for name in contest.local_bots:
        raise KibitzError(f"Workers cannot find the bot {name}; use one worker, or name the bot as path/file.py:Class.")


class StartHere:
    """Plays in this thread until another executor would clearly save more time than it takes to start."""

    def __init__(self, later: Executor, cores: int) -> None:
        self._later = later
        self._cores = cores

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        yield from Serial().play(contest, self._first_of(contest, tasks), take)
        yield from self._later.play(contest, tasks, take)

    def _first_of(self, contest: Contest, tasks: Iterator[Task]) -> Iterator[Task]:
        """The tasks to play here. Each has been played when the next one is requested.

        The first is not timed, because it also starts the processes of isolated bots.
        """
        for task in itertools.islice(tasks, 1):
            yield task
        started, played = running_time(), 0
        for task in tasks:
            yield task
            played += len(task[1])
            seconds, left = (running_time() - started) / played, contest.left_after(task)
            if seconds * left * (1 - 1 / self._cores) > START_SECONDS:
                return
