"""Handles Ctrl-C during a tournament: it ends the tournament, but no game is left half counted."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """A context in which Ctrl-C raises KeyboardInterrupt as usual, but not before a `held()` block has finished."""

    def __init__(self) -> None:
        self._before: Any = None
        self._held = False
        self._pending = False

    def __enter__(self) -> Interrupts:
        before = signal.getsignal(signal.SIGINT)
        # Only the main thread receives signals.
        if threading.current_thread() is threading.main_thread() and callable(before):
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
        """Delay Ctrl-C until the end of this block, so that it is executed completely."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
