"""What Ctrl-C does while a tournament is played: it ends the tournament, but nothing is left half counted."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """As a context: Ctrl-C raises KeyboardInterrupt, as ever, but waits for what is done inside `held()`."""

    def __init__(self) -> None:
        self._before: Any = None
        self._held = False
        self._pending = False

    def __enter__(self) -> Interrupts:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(before):  # no other thread ever sees it
            self._before = before
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._held:
            self._pending = True
        else:
            self._before(number, frame)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """What is done in here is done whole; Ctrl-C comes after it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
