"""A lifeline: a process that plays for another one ends when that one has ended, whatever it is doing."""

from __future__ import annotations

import os
import select
import threading
import time


def end_when_alone(fd: int, farewell: float = 0.0) -> None:
    """Exit once the other end of a pipe has been closed, `farewell` seconds later; watched by a thread."""
    threading.Thread(target=_watch, args=(fd, farewell), daemon=True).start()


def _watch(fd: int, farewell: float) -> None:
    hung_up = select.poll()
    hung_up.register(fd, 0)
    hung_up.poll()
    time.sleep(farewell)
    os._exit(1)
