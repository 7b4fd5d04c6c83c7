"""Plays games in several processes. A worker receives a Plan of plain values, so it need not be a fork.

If a worker dies or is stopped (SIGSTOP), a new one plays its games: they do not depend on who plays them. If that keeps
happening with the same games, they are to blame, and the tournament ends. How long a worker takes does not matter: a
single move of a search without a time limit can take hours.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping
from multiprocessing.connection import Connection, Pipe, wait
from types import FrameType
from typing import Any

from kibitz import notices
from kibitz.compiler import plain, running_time
from kibitz.errors import KibitzError
from kibitz.players.lifeline import end_when_alone
from kibitz.records.games import Games
from kibitz.tournament.plan import Contest, Plan, Take, Task

BATCH_SECONDS = 0.2  # of work sent to a worker at a time
MOST_DEATHS = 3  # of workers, with the same task
STOP_SECONDS = 1.0  # between two checks for stopped workers, at most
FAREWELL_SECONDS = 1.0  # how long a worker has to exit by itself once its parent has hung up
WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from kibitz.tournament.executors.processes import serve; serve(int(sys.argv[2]))"
)


class Processes:
    """Plays in worker processes, which receive their tasks in batches."""

    def __init__(self, count: int) -> None:
        self._count = count

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        queue = TaskQueue(tasks)
        everyone: list[Worker] = []  # to be seen off at the end
        try:
            while len(everyone) < self._count and (batch := queue.next(1)):
                everyone.append(Worker(contest.plan, batch))
            playing = list(everyone)
            while playing:
                for worker in with_news(playing):
                    if (answer := worker.answer()) is None:
                        playing.remove(worker)
                        code = worker.end()
                        how = f"was killed by signal {-code}" if code < 0 else "died or was stopped"
                        notices.tell(f"A worker {how}; another one plays its games.")
                        queue.give_back(worker.batch)
                        everyone.append(Worker(contest.plan, queue.next(1)))
                        playing.append(everyone[-1])
                        continue
                    games, seconds = answer
                    if isinstance(games, KibitzError):
                        raise games
                    done = len(worker.batch)
                    size = min(2 * done, int(done * BATCH_SECONDS / max(seconds, 1e-9)))
                    if batch := queue.next(max(1, size)):
                        worker.send(batch)
                    else:
                        playing.remove(worker)
                        worker.hang_up()
                    take(games)
                    yield
        finally:
            for worker in everyone:
                worker.hang_up()
            for worker in everyone:
                worker.end()


class TaskQueue:
    """The tasks to play: those given back by workers that died come first, one at a time."""

    def __init__(self, tasks: Iterator[Task]) -> None:
        self._tasks = tasks
        self._again: deque[Task] = deque()
        self._deaths: Counter[tuple[int, int]] = Counter()  # by chunk and how many are too many

    def is_empty(self) -> bool:
        """Whether there is nothing left to hand out."""
        if not self._again:
            self._again.extend(itertools.islice(self._tasks, 1))
        return not self._again

    def next(self, count: int) -> list[Task]:
        """The next tasks, at most `count`; none if all have been handed out."""
        return [self._again.popleft()] if self._again else list(itertools.islice(self._tasks, count))

    def give_back(self, batch: list[Task], most: int = MOST_DEATHS) -> None:
        """Take back the tasks of a worker that died; raise an error if that has happened too often to one of them."""
        for chunk, numbers in batch:
            self._deaths[chunk, most] += 1
            if self._deaths[chunk, most] == most:
                first, last = int(numbers[0]), int(numbers[-1])
                which = f"game {first}" if first == last else f"games {first} to {last}"
                raise KibitzError(f"{most} workers died while playing {which}; run with one worker to see why.")
        self._again.extend(batch)


class Worker:
    """A worker process and the batch of tasks that it is playing."""

    def __init__(
        self, plan: Plan, batch: list[Task], folder: str | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """An empty batch is a warm-up. The worker runs in this process's folder and environment, unless given."""
        self._process, self.pipe = _start_worker(folder, environment)
        self._send(plan)
        self.send(batch)

    def send(self, batch: list[Task]) -> None:
        """Hand out the next batch."""
        self.batch = batch
        self._send(batch)

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # it has died: there will be no answer
            self.pipe.send(message)

    def answer(self) -> tuple[list[tuple[int, Games]] | KibitzError, float] | None:
        """What came of the batch, and how long it took; None if the worker will not answer any more."""
        if self.is_stopped:
            return None
        try:
            answer: tuple[list[tuple[int, Games]] | KibitzError, float] = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return answer

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has sent it SIGSTOP; False where the system does not say so."""
        if hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):  # it has ended
                return os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
        return False

    def hang_up(self) -> None:
        """Tell the worker to exit, if it has not done so."""
        self.pipe.close()
        self.terminate()

    def terminate(self) -> None:
        """Tell the worker to exit; whoever waits for its answer learns that there will be none."""
        self._process.terminate()
        self._process.send_signal(signal.SIGCONT)  # while it is stopped, it does not receive the other signal

    def end(self) -> int:
        """Wait for the worker to exit; return its exit code, or minus the signal that killed it."""
        self.hang_up()
        return self._process.wait()


def with_news(workers: list[Worker]) -> list[Worker]:
    """Wait for workers that have answered, died or been stopped."""
    while True:
        ready = wait([worker.pipe for worker in workers], STOP_SECONDS)
        if news := [worker for worker in workers if worker.pipe in ready or worker.is_stopped]:
            return news


def _start_worker(
    folder: str | None = None, environment: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a worker with this process's import path; return it and the connection to it.

    This does not use multiprocessing.Process, which would run the main program's file again. In a session of its own,
    the worker never sees Ctrl-C: its parent decides what to do.
    """
    ours, theirs = Pipe()
    with theirs:
        fd = theirs.fileno()
        command = [sys.executable, "-P", "-c", WORKER, json.dumps([str(path) for path in sys.path]), str(fd)]
        process = subprocess.Popen(
            command,
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=2,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
    return process, ours


def serve(fd: int) -> None:
    """Run a worker: play the tasks it receives and send back the games, or the error that keeps it from playing."""
    end_when_alone(fd, FAREWELL_SECONDS)  # the processes of its bots then end, too
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, OSError):  # the parent is gone
        _end_on_signal(stack)
        pipe = stack.enter_context(Connection(fd))
        plan: Plan = pipe.recv()
        if plan.plain:
            stack.enter_context(plain())
        contest: Contest | None = None
        while True:
            tasks = pipe.recv()
            started = running_time()
            answer: list[tuple[int, Games]] | KibitzError
            try:
                if contest is None:
                    contest = plan.contest()
                    match = stack.enter_context(contextlib.closing(contest.match()))
                if not tasks:
                    contest.warm_up()
                answer = [(task[0], contest.play(match, task)) for task in tasks]
            except KibitzError as error:
                answer = error
            pipe.send((answer, running_time() - started))


def _end_on_signal(stack: contextlib.ExitStack) -> None:
    """On SIGTERM, close everything that is open, above all the processes of isolated bots, and exit at once.

    An exception would not do: it could be raised anywhere, for example while compiled code is being loaded, or in a
    destructor, where Python ignores it.
    """

    def end(number: int, frame: FrameType | None) -> None:
        try:
            stack.close()
        finally:
            os._exit(0)

    signal.signal(signal.SIGTERM, end)
