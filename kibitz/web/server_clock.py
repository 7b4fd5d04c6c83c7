"""The server's own time: the seconds that it has been running, over all its starts.

Thinking time is measured by it. While the server is down it stands still, so that nobody pays for a crash or a restart;
while a table is put away it goes on, so that nobody gains by leaving.
"""

from __future__ import annotations

import time
from collections.abc import Callable


class ServerClock:
    """A clock that can be read, and set once to go on from an earlier start."""

    def __init__(self, read: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._offset = -read()

    def now(self) -> float:
        """Seconds since the server was started for the first time, without those in which it was down."""
        return self._read() + self._offset

    def go_on_from(self, seconds: float) -> None:
        """Add the time of earlier starts."""
        self._offset += seconds

    def advance_to(self, seconds: float) -> None:
        """Catch up with the clock of another server; time never goes back."""
        self._offset += max(0.0, seconds - self.now())
