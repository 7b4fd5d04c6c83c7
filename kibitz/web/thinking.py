"""Threads that think: for bots, for hints and for analyses. The event loop only ever waits for them.

Moves come first: analyses never take the last free thread. A thought that nobody waits for any more is stopped; a
search then ends after the slice it is in, and what it found is thrown away.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from kibitz.search.budget import stoppable

T = TypeVar("T")


class Thought(Generic[T]):
    """A piece of work for a thread, and its result for the event loop that asked for it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self.result: asyncio.Future[T] = self._loop.create_future()

    def stop(self) -> None:
        """Do not wait for it any longer. `ended` says when the thread has let go of it."""
        self._stopped.set()

    async def ended(self) -> None:
        """Wait until no thread works on it any more, whatever came of it."""
        with contextlib.suppress(Exception):
            await asyncio.shield(self.result)

    def think(self) -> None:
        """Do the work, in a thread."""
        result: Any = None
        failure: BaseException | None = None
        try:
            if not self._stopped.is_set():
                with stoppable(self._stopped):
                    result = self._work()
        except StopIteration as error:  # which no future takes
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # it is told to whoever asked
            failure = error
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._settle, result, failure)

    def _settle(self, result: T, failure: BaseException | None) -> None:
        if self.result.cancelled():
            return
        if failure is None:
            self.result.set_result(result)
            return
        self.result.set_exception(failure)
        self.result.exception()  # it counts as heard: whoever asked may have gone


class Pool:
    """The threads of a server. They end with the process, whatever they are doing."""

    def __init__(self, threads: int = 0) -> None:
        count = max(2, threads or os.cpu_count() or 2)
        self._moves: deque[Thought[Any]] = deque()
        self._analyses: deque[Thought[Any]] = deque()
        self._analysing, self._most_analysing = 0, count - 1
        self._changed = threading.Condition()
        self._open = True
        for number in range(count):
            threading.Thread(target=self._work, name=f"thinking-{number}", daemon=True).start()

    def start(self, work: Callable[[], T], urgent: bool = True) -> Thought[T]:
        """Have something thought through; urgent things go before analyses."""
        thought = Thought(work)
        with self._changed:
            (self._moves if urgent else self._analyses).append(thought)
            self._changed.notify()
        return thought

    async def run(self, work: Callable[[], T], urgent: bool = True) -> T:
        """The result of some work. Cancelled, it stops."""
        thought = self.start(work, urgent)
        try:
            return await asyncio.shield(thought.result)
        finally:
            thought.stop()

    def _work(self) -> None:
        while (found := self._next()) is not None:
            thought, is_analysis = found
            thought.think()
            if is_analysis:
                with self._changed:
                    self._analysing -= 1
                    self._changed.notify()

    def _next(self) -> tuple[Thought[Any], bool] | None:
        """What to do next, and whether it is an analysis; None: nothing any more."""
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
        """Take nothing more on."""
        with self._changed:
            self._open = False
            for thought in (*self._moves, *self._analyses):
                thought.stop()
            self._changed.notify_all()
