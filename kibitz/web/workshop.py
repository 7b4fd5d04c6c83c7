"""Processes for what a stranger could make expensive: looking at variants, compiling and solving them.

Every job has a process of its own, of low priority, with limits on its CPU time and its memory, and a deadline at which
it is killed. What it compiles or solves goes to kibitz's caches on disk, from which the server loads it; the event
loop, and the threads beside it, never wait for the compiler.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

from kibitz import notices
from kibitz.errors import KibitzError
from kibitz.notices import Notice
from kibitz.web.child_process import ChildProcess, ProcessLimits
from kibitz.web.limits import Busy, JobLimits
from kibitz.web.sentences import apology

LOWER_PRIORITY = 5  # the niceness of the processes; people wait for them
TOO_LARGE = "This variant is too large for this server: it takes too much time or memory to prepare."


class Workshop:
    """Runs jobs in processes, a few at a time."""

    def __init__(self, limits: JobLimits | None = None) -> None:
        self._limits = limits or JobLimits()
        self._supervisors = ThreadPoolExecutor(self._limits.at_once, "workshop")
        self._waiting = 0
        self._processes: set[ChildProcess] = set()
        self._open = True

    async def run(
        self,
        job: Callable[..., None],
        *args: Any,
        patient: bool = False,
        compiling: Callable[[str], None] = lambda what: None,
    ) -> None:
        """Run a function of a module in a process. What it raises is raised here: KibitzErrors as they are.

        Busy if too many jobs wait already, unless this one is patient. `compiling` is told, in another thread, of every
        function that is being compiled there.
        """
        if self._waiting >= self._limits.waiting and not patient:
            raise Busy("Too many variants are being prepared; please try again later.")
        self._waiting += 1
        try:
            await asyncio.get_running_loop().run_in_executor(self._supervisors, self._supervise, job, args, compiling)
        finally:
            self._waiting -= 1

    def _supervise(self, job: Callable[..., None], args: tuple[Any, ...], compiling: Callable[[str], None]) -> None:
        """Run a job in a process and wait for its end; called in a thread."""
        limits = ProcessLimits(LOWER_PRIORITY, self._limits.memory, self._limits.cpu_seconds)
        process = ChildProcess(limits, _work, job, args)
        self._processes.add(process)
        deadline = time.monotonic() + self._limits.seconds
        try:
            while True:
                if not self._open or not process.connection.poll(max(0.0, deadline - time.monotonic())):
                    raise KibitzError(TOO_LARGE)
                answer = json.loads(process.connection.recv_bytes())
                if "compiling" not in answer:
                    break
                compiling(answer["compiling"])
        except (EOFError, OSError):  # it exceeded a limit and was killed
            raise KibitzError(TOO_LARGE) from None
        finally:
            self._processes.discard(process)
            process.close()
        if answer["error"] is not None:
            raise KibitzError(answer["error"])

    def close(self) -> None:
        """End all jobs."""
        self._open = False
        self._supervisors.shutdown(wait=False, cancel_futures=True)
        for process in tuple(self._processes):
            process.kill()


def _work(connection: Connection, job: Callable[..., None], args: tuple[Any, ...]) -> None:
    """Do a job, say what is being compiled, and answer with what went wrong, in words; called in the process."""

    def pass_on(notice: Notice, text: str) -> None:
        if notice is Notice.COMPILING:
            connection.send_bytes(json.dumps({"compiling": text}).encode())

    notices.listener = pass_on
    words: str | None = None
    try:
        job(*args)
    except KibitzError as error:
        words = str(error)
    except MemoryError:
        words = TOO_LARGE
    except Exception as error:
        words = apology(error)
    connection.send_bytes(json.dumps({"error": words}).encode())
