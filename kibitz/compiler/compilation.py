"""What each thread is compiling right now, and a clock that does not count it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Compilation(threading.local):
    """The functions being compiled in this thread, outermost first, and the digests computed since it began."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.digests: dict[Any, Any] = {}
        self.failure: tuple[tuple[Any, ...], Exception] | None = None  # the innermost one, and the path to it
        self.only_loads = False  # whether nothing may be compiled
        self.seconds = 0.0  # that this thread has spent compiling functions and loading them from the cache

    @property
    def is_running(self) -> bool:
        """Whether kibitz is compiling something; otherwise numba is left alone."""
        return bool(self.stack)

    def digest(self, thing: Any, take: Callable[[], Any]) -> Any:
        """A digest that is fixed until the outermost function has been compiled, so that all its parts agree."""
        if not self.stack:
            return take()
        if thing not in self.digests:
            self.digests[thing] = take()
        return self.digests[thing]


compilation = Compilation()


@contextlib.contextmanager
def loading_only() -> Iterator[None]:
    """In this thread, load machine code from the cache, and raise NotCompiled where it would have to be compiled."""
    before, compilation.only_loads = compilation.only_loads, True
    try:
        yield
    finally:
        compilation.only_loads = before


def is_loading_only() -> bool:
    """Whether this thread is inside `loading_only()`."""
    return compilation.only_loads


def running_time() -> float:
    """The time in seconds, on a clock that stands still while this thread compiles code or loads it from the cache.

    Whatever measures or limits thinking uses this clock, so that results do not depend on the state of the cache.
    """
    return time.perf_counter() - compilation.seconds
