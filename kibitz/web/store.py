"""Where the tables of a server are kept, as snapshots: behind an interface that a database can implement, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

from kibitz.errors import KibitzError
from kibitz.web.snapshots import RoomSnapshot

MOST_TABLES = 500
IDLE_SECONDS = 3600.0  # after which an unfinished game may be dropped


class Store(Protocol):
    """Keeps the latest snapshot of every table. A store may be slow, and may fail with any exception."""

    async def load(self, key: str) -> RoomSnapshot | None:
        """The last snapshot that was saved of a table; None: there is no such table."""

    async def save(self, snapshot: RoomSnapshot) -> None:
        """Keep a snapshot in place of the one before; when this returns, it is safe."""

    async def close(self) -> None:
        """Nothing more will be asked for."""


class MemoryStore:
    """A store that lasts as long as the process. When it is full, old tables are dropped."""

    def __init__(self, most: int = MOST_TABLES) -> None:
        self._most = most
        self._saved: dict[str, tuple[RoomSnapshot, float]] = {}  # each with its time; the oldest save comes first

    def __len__(self) -> int:
        return len(self._saved)

    async def load(self, key: str) -> RoomSnapshot | None:
        snapshot, _ = self._saved.get(key, (None, 0.0))
        return snapshot

    async def save(self, snapshot: RoomSnapshot) -> None:
        """Keep a snapshot; an error when there is no space for it, not even after dropping an old table."""
        if snapshot.id not in self._saved and len(self._saved) >= self._most:
            self._drop_one()
        self._saved.pop(snapshot.id, None)
        self._saved[snapshot.id] = snapshot, time.monotonic()

    def _drop_one(self) -> None:
        key = next(self._droppable(), None)
        if key is None:
            raise KibitzError("All tables of this server are in use; please try again later.")
        del self._saved[key]

    def _droppable(self) -> Iterator[str]:
        """Finished games first, then games that were left long ago."""
        yield from (key for key, (snapshot, _) in self._saved.items() if snapshot.ending is not None)
        long_ago = time.monotonic() - IDLE_SECONDS
        yield from (key for key, (_, saved) in self._saved.items() if saved < long_ago)

    async def close(self) -> None:
        pass
