"""Where the tables of a server are kept, as snapshots: in memory (here), or in a database (database.py)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

from kibitz.errors import KibitzError
from kibitz.web.limits import Busy
from kibitz.web.snapshots import RoomSnapshot

MOST_TABLES = 500
IDLE_SECONDS = 3600.0  # after which an unfinished game may be dropped


class SavedElsewhere(KibitzError):
    """A table was not saved, because another server has saved it in the meantime."""

    def __init__(self) -> None:
        super().__init__("Another server has changed this table; please load it again.")


class Store(Protocol):
    """Keeps the latest snapshot of every table. A store may be slow, and may fail with any exception."""

    async def load(self, key: str) -> RoomSnapshot | None:
        """The last snapshot that was saved of a table; None: there is no such table."""

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        """Keep a snapshot in place of the one before; when this returns, it survives a crash.

        `after` is the version that it follows, None for a new table. If another one has been saved since,
        SavedElsewhere is raised and nothing changes.
        """

    async def load_time(self) -> float:
        """How long the server had been running when it was last kept; see server_clock.py."""

    async def keep_time(self, seconds: float) -> None:
        """Remember how long the server has been running. Time never goes back."""

    async def close(self) -> None:
        """Nothing more will be asked for."""


class MemoryStore:
    """A store that lasts as long as the process. When it is full, old tables are dropped."""

    def __init__(self, most: int = MOST_TABLES) -> None:
        self._most = most
        self._saved: dict[str, tuple[RoomSnapshot, float]] = {}  # each with its time; the oldest save comes first
        self._time = 0.0

    def __len__(self) -> int:
        return len(self._saved)

    async def load(self, key: str) -> RoomSnapshot | None:
        snapshot, _ = self._saved.get(key, (None, 0.0))
        return snapshot

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        """Keep a snapshot; an error when there is no space for it, not even after dropping an old table."""
        before, _ = self._saved.get(snapshot.id, (None, 0.0))
        if (None if before is None else before.version) != after:
            raise SavedElsewhere
        if before is None and len(self._saved) >= self._most:
            self._drop_one()
        self._saved.pop(snapshot.id, None)
        self._saved[snapshot.id] = snapshot, time.monotonic()

    def _drop_one(self) -> None:
        key = next(self._droppable(), None)
        if key is None:
            raise Busy("All tables of this server are in use; please try again later.")
        del self._saved[key]

    def _droppable(self) -> Iterator[str]:
        """Finished games first, then games that were left long ago."""
        yield from (key for key, (snapshot, _) in self._saved.items() if snapshot.ending is not None)
        long_ago = time.monotonic() - IDLE_SECONDS
        yield from (key for key, (_, saved) in self._saved.items() if saved < long_ago)

    async def load_time(self) -> float:
        return self._time

    async def keep_time(self, seconds: float) -> None:
        self._time = max(self._time, seconds)

    async def close(self) -> None:
        pass
