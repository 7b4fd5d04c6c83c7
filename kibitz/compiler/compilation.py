"""What each thread is compiling right now."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Compilation(threading.local):
    """The functions being compiled in this thread, outermost first, and the digests computed since it began."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.digests: dict[Any, Any] = {}
        self.failure: tuple[tuple[Any, ...], Exception] | None = None  # the innermost one, and the path to it

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
