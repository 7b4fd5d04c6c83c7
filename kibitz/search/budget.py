"""Spending a budget of simulations, nodes or milliseconds in short slices.

Compiled code cannot be interrupted, so searches run in slices of a few milliseconds; between them Ctrl-C, clocks
and cancellation work. How a search is sliced never changes what it finds.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

SLICE_SECONDS = 0.02
FIRST_SLICE = 200


class _Waiting(threading.local):
    stopped: threading.Event | None = None  # set when nobody waits for this thread's search any more


_waiting = _Waiting()


@contextlib.contextmanager
def stoppable(stopped: threading.Event) -> Iterator[None]:
    """Let searches of this thread end after the slice they are in once the event is set; what they find is void."""
    _waiting.stopped = stopped
    try:
        yield
    finally:
        _waiting.stopped = None


def allowance(limit: int, ms: float, seconds: float | None, usual: int) -> tuple[int, float]:
    """What a search may spend on a move: units and milliseconds, 0 being no limit; `usual` units if neither is given.

    Of the `seconds` that the table allows, a tenth is left for what is not search.
    """
    ms = min((time for time in (ms, 900 * (seconds or 0)) if time), default=0)
    return limit or (0 if ms else usual), ms


def spend(run: Callable[[int], int], limit: int = 0, ms: float = 0) -> int:
    """Call `run(n)` until `limit` units or `ms` are spent (0: no limit), or it did less than asked; return the sum.

    `run(n)` works off up to n units and returns how many; fewer than n means that nothing is left to do.
    """
    start = now = time.perf_counter()
    end = start + ms / 1000 if ms else float("inf")
    done, size, stopped = 0, FIRST_SLICE, _waiting.stopped
    while (not limit or done < limit) and now < end and not (stopped and stopped.is_set()):
        asked = min(size, limit - done) if limit else size
        worked = run(asked)
        done += worked
        if worked < asked:
            break
        before, now = now, time.perf_counter()
        rate = worked / max(now - before, 1e-9)
        size = max(1, int(min(rate * min(SLICE_SECONDS, max(end - now, 0.0005)), 2.0 * size)))
    return done
