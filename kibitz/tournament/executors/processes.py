"""Plays games in several processes. A worker receives a Plan of plain values, so it need not be a fork."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from types import FrameType
from typing import Any, cast

from kibitz.compiler import plain, running_time
from kibitz.errors import KibitzError
from kibitz.players.lifeline import end_when_alone
from kibitz.records.games import Games
from kibitz.tournament.plan import Contest, Plan, Take, Task

BATCH_SECONDS = 0.2  # of work sent to a worker at a time
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
        sizes: dict[Connection, int] = {}  # of the batch each worker is playing
        processes = []
        try:
            for task in itertools.islice(tasks, self._count):
                process, pipe = _start_worker()
                processes.append(process)
                sizes[pipe] = 1
                pipe.send(contest.plan)
                pipe.send([task])
            while sizes:
                for ready in wait(list(sizes)):
                    pipe = cast("Connection[Any, Any]", ready)
                    try:
                        answer, seconds = pipe.recv()
                    except (EOFError, OSError):
                        raise KibitzError("A worker died; run with one worker to find out why.") from None
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
    """Start a worker with this process's import path; return it and the connection to it.

    This does not use multiprocessing.Process, which would run the main program's file again. In a session of its own,
    the worker never sees Ctrl-C: its parent decides what to do.
    """
    ours, theirs = Pipe()
    with theirs:
        fd = theirs.fileno()
        command = [sys.executable, "-P", "-c", WORKER, json.dumps([str(path) for path in sys.path]), str(fd)]
        process = subprocess.Popen(command, pass_fds=[fd], stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    return process, ours


def serve(fd: int) -> None:
    """Run a worker: play the tasks it receives and send back the games."""
    end_when_alone(fd, FAREWELL_SECONDS)  # the processes of its bots then end, too
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, OSError):  # the parent is gone
        _end_on_signal(stack)
        pipe = stack.enter_context(Connection(fd))
        plan: Plan = pipe.recv()
        if plan.plain:
            stack.enter_context(plain())
        contest = plan.contest()
        match = stack.enter_context(contextlib.closing(contest.match()))
        while True:
            tasks = pipe.recv()
            started = running_time()
            answer: list[tuple[int, Games]] | KibitzError
            try:
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
