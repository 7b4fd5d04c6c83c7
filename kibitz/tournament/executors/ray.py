"""Plays games on a cluster, through Ray.

A batch of games whose worker is lost is given to another one, since games do not depend on who plays them. All games
come back to this process, which alone counts and logs them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from kibitz import notices
from kibitz.cluster import connected, pack
from kibitz.cluster.crew import LOST, Crew, Hand
from kibitz.errors import KibitzError
from kibitz.records.identity import identity_of
from kibitz.tournament.executors import relay
from kibitz.tournament.executors.processes import TaskQueue
from kibitz.tournament.plan import Contest, Take, Task

BATCH_SECONDS = 1.0  # of work sent to a worker at a time …
BATCH_SECONDS_PER_WORKER = 0.01  # … and more on a large cluster, since this process serves the workers in turn
BATCH_GAMES = 1 << 16  # the maximum, so that results stay small
MOST_LOSSES = 20  # of workers with the same task, for whatever reason; a node can die at any time


class Ray:
    """Plays on a cluster, with `count` workers, or one per CPU that it has."""

    def __init__(self, count: int | None, address: str | None = None) -> None:
        self._count = count
        self._address = address

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        queue = TaskQueue(tasks)
        if queue.is_empty():
            return
        with (
            connected(self._address, self._count) as ray,
            Crew(ray, relay.Relay, relay, pack(*_needed(contest)), contest.plan, self._count) as crew,
        ):
            sizes: dict[Hand, int] = {}  # of their next batches, in tasks
            batch_seconds = max(BATCH_SECONDS, BATCH_SECONDS_PER_WORKER * crew.count)
            while True:
                _hand_out(crew, queue, sizes)
                if crew.idle and not crew.working:
                    return
                for hand, answer in crew.news():
                    batch: list[Task] = hand.job
                    if answer is LOST:
                        queue.give_back(batch, MOST_LOSSES)
                        continue
                    if answer is None:
                        notices.tell(f"A worker on {hand.node} died or was stopped; another one plays its games.")
                        queue.give_back(batch)
                        crew.replace(hand)
                        continue
                    games, seconds = answer
                    if isinstance(games, KibitzError):
                        raise games
                    sizes[hand] = _next_size(batch, seconds, batch_seconds)
                    _hand_out(crew, queue, sizes)  # nobody waits while games are counted
                    take(games)
                    yield
                yield


def _hand_out(crew: Crew, queue: TaskQueue, sizes: dict[Hand, int]) -> None:
    """Give batches to all workers that have none, as long as there are any."""
    while crew.idle and (batch := queue.next(sizes.get(crew.idle[-1], 1))):
        crew.send(crew.idle[-1], batch, batch)


def _next_size(batch: list[Task], seconds: float, batch_seconds: float) -> int:
    """The size of a worker's next batch, in tasks, if it took some seconds for this one."""
    done, most = len(batch), BATCH_GAMES // max(len(numbers) for _, numbers in batch)
    return max(1, min(2 * done, int(done * batch_seconds / max(seconds, 1e-9)), most))


def _needed(contest: Contest) -> tuple[list[Path], list[str]]:
    """The files and programs that the game and the bots of a tournament need on every node."""
    files = {Path(name) for name in identity_of(contest.game, contest.entrants)["files"]}
    programs = []
    for command in (entrant.parsed.command for entrant in contest.entrants if entrant.parsed.command):
        programs.append(command[0])
        files.update(path for path in map(Path, command) if not path.is_absolute() and path.is_file())
    return sorted(files), programs
