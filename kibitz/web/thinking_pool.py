"""Threads for everything that takes long: bots' moves, hints and analyses. The event loop only waits for them.

Moves come first: analyses never take the last free thread. All work is handed an event, which is set when nobody waits
for the result any more. A search then ends after its current slice, and its result is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Work = Callable[[threading.Event], T]  # it should return soon after the event is set


class Job(Generic[T]):
    """A piece of work for a thread, and its result for the event loop that asked for it."""

    def __init__(self, work: Work[T]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self.result: asyncio.Future[T] = self._loop.create_future()

    def stop(self) -> None:
        """Ask the work to end soon, because nobody needs its result. `ended` waits until it has."""
        self._stopped.set()

    async def ended(self) -> None:
        """Wait until no thread works on it any more, whatever its result."""
        with contextlib.suppress(Exception):
            await asyncio.shield(self.result)

    def run(self) -> None:
        """Do the work; called in a thread."""
        result: Any = None
        failure: BaseException | None = None
        try:
            if not self._stopped.is_set():
                result = self._work(self._stopped)
        except StopIteration as error:  # a future cannot hold one
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # raised again where the result is awaited
            failure = error
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._settle, result, failure)

    def _settle(self, result: T, failure: BaseException | None) -> None:
        if self.result.cancelled():
            return
        if failure is None:
            self.result.set_result(result)
            return
        self.result.set_exception(failure)
        self.result.exception()  # marks it as retrieved, because nobody may be waiting any more


class ThinkingPool:
    """The threads of a server. They are daemons: they end with the process, whatever they are doing."""

    def __init__(self, threads: int = 0) -> None:
        count = max(2, threads or os.cpu_count() or 2)
        self._moves: deque[Job[Any]] = deque()
        self._analyses: deque[Job[Any]] = deque()
        self._analysing, self._most_analysing = 0, count - 1
        self._changed = threading.Condition()
        self._open = True
        for number in range(count):
            threading.Thread(target=self._work, name=f"thinking-{number}", daemon=True).start()

    def start(self, work: Work[T], urgent: bool = True) -> Job[T]:
        """Start some work in a thread; urgent work comes before analyses."""
        job = Job(work)
        with self._changed:
            (self._moves if urgent else self._analyses).append(job)
            self._changed.notify()
        return job

    async def run(self, work: Work[T], urgent: bool = True) -> T:
        """The result of some work. If the wait is cancelled, the work is stopped."""
        job = self.start(work, urgent)
        try:
            return await asyncio.shield(job.result)
        finally:
            job.stop()

    def _work(self) -> None:
        while (found := self._next()) is not None:
            job, is_analysis = found
            job.run()
            if is_analysis:
                with self._changed:
                    self._analysing -= 1
                    self._changed.notify()

    def _next(self) -> tuple[Job[Any], bool] | None:
        """The next job, and whether it is an analysis; None: the pool is closed."""
        with self._changed:
            while self._open:
                if self._moves:
                    return self._moves.popleft(), False
                if self._analyses and self._analysing < self._most_analysing:
                    self._analysing += 1
                    return self._analyses.popleft(), True
                self._changed.wait()
        return None

    def close(self) -> None:
        """Start no more jobs."""
        with self._changed:
            self._open = False
            for job in (*self._moves, *self._analyses):
                job.stop()
            self._changed.notify_all()
