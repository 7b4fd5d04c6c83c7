"""Where the tables of a server are kept, as snapshots: in memory (here), or in a database (database.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kibitz.errors import KibitzError
from kibitz.web.access import SPECTATOR, Grants
from kibitz.web.limits import Busy, TooOften
from kibitz.web.peers import Alone, Peers
from kibitz.web.playthrough import Phase
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.summaries import Listing, ListPlace

DAY = 86_400.0  # seconds
UNFINISHED = (Phase.PREPARING, Phase.GATHERING, Phase.PLAYING)


@dataclass(frozen=True)
class Retention:
    """How many tables a store keeps, and for how long. What is dropped first are finished games that nobody opens."""

    tables: int = 100_000
    tables_each: int = 500  # that one visitor has set up, records included
    unfinished_days: float = 30  # after the last change
    finished_days: float = 365  # after somebody last opened it

    def oldest_use(self, now: float, phase: Phase) -> float:
        """What was last used before this time is dropped."""
        return now - DAY * (self.finished_days if phase is Phase.OVER else self.unfinished_days)


IN_DATABASE, IN_MEMORY = Retention(), Retention(tables=500)


class SavedElsewhere(KibitzError):
    """A table was not saved, because another server has saved or deleted it in the meantime."""

    def __init__(self) -> None:
        super().__init__("Another server has changed this table; please load it again.")


def full() -> Busy:
    """The error for a store that can drop nothing."""
    return Busy("All tables of this server are in use; please try again later.")


def too_many_own(most: int) -> TooOften:
    """The error for a visitor of whom nothing can be dropped."""
    return TooOften(f"You have {most} unfinished games here; please finish or delete some of them first.")


@dataclass(frozen=True)
class TableQuery:
    """Which tables somebody wants to see."""

    phases: tuple[Phase, ...]
    game: str | None = None  # its name, without options; None: any
    visitor: str | None = None  # who asks
    own: bool = False  # whether they want their own tables, or those that are listed for everyone


class Store(Protocol):
    """Keeps the latest snapshot of every table. A store may be slow, and may fail with any exception."""

    @property
    def peers(self) -> Peers:
        """The other servers with this store."""

    async def load(self, key: str) -> RoomSnapshot | None:
        """The last snapshot that was saved of a table; None: there is no such table."""

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        """Keep a snapshot in place of the one before; when this returns, it survives a crash.

        `after` is the version that it follows, None for a new table. If another one has been saved since,
        SavedElsewhere is raised and nothing changes. For a new table, an old one may be dropped; Busy is raised if
        there is none to drop.
        """

    async def delete(self, key: str) -> None:
        """Forget a table. Nothing can be saved of it any more."""

    async def find(self, query: TableQuery, before: ListPlace | None, most: int) -> list[Listing]:
        """The tables that somebody wants to see, the latest first; those that come after a place in the list."""

    async def counts(self, queries: Sequence[TableQuery], most: int) -> list[int]:
        """How many tables there are of each kind, counted up to a limit."""

    async def drop_expired(self, in_use: Collection[str]) -> int:
        """Forget the tables that have not been used for long, but for those in use; how many."""

    async def load_time(self) -> float:
        """How long the server had been running when it was last kept; see server_clock.py."""

    async def keep_time(self, seconds: float) -> None:
        """Remember how long the server has been running. Time never goes back."""

    async def close(self) -> None:
        """Nothing more will be asked for."""


@dataclass(frozen=True)
class _Kept:
    snapshot: RoomSnapshot
    since: float  # when the present phase began
    used_at: float


class MemoryStore:
    """A store that lasts as long as the process."""

    def __init__(self, retention: Retention = IN_MEMORY, now: Callable[[], float] = time.time) -> None:
        self.peers: Peers = Alone()
        self._retention = retention
        self._now = now
        self._kept: dict[str, _Kept] = {}
        self._time = 0.0

    def __len__(self) -> int:
        return len(self._kept)

    async def load(self, key: str) -> RoomSnapshot | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept[key] = replace(kept, used_at=self._now())
        return kept.snapshot

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        before = self._kept.get(snapshot.id)
        if (None if before is None else before.snapshot.version) != after:
            raise SavedElsewhere
        if before is None:
            self._make_space(snapshot)
        is_same_phase = before is not None and before.snapshot.phase is snapshot.phase
        now = self._now()
        self._kept[snapshot.id] = _Kept(snapshot, before.since if before and is_same_phase else now, now)

    def _make_space(self, snapshot: RoomSnapshot) -> None:
        for host in snapshot.hosts:
            own = [kept for kept in self._kept.values() if host in kept.snapshot.hosts]
            if len(own) >= self._retention.tables_each:
                self._drop_one(own, too_many_own(self._retention.tables_each))
        if len(self._kept) >= self._retention.tables:
            self._drop_one(self._kept.values(), full())

    def _drop_one(self, among: Iterable[_Kept], otherwise: Busy) -> None:
        """Drop the finished table that was used longest ago."""
        finished = [kept for kept in among if kept.snapshot.phase is Phase.OVER]
        if not finished:
            raise otherwise
        del self._kept[min(finished, key=lambda kept: kept.used_at).snapshot.id]

    async def delete(self, key: str) -> None:
        self._kept.pop(key, None)

    async def find(self, query: TableQuery, before: ListPlace | None, most: int) -> list[Listing]:
        found = sorted(self._wanted(query), key=lambda listing: listing.place, reverse=True)
        return [listing for listing in found if before is None or listing.place < before][:most]

    async def counts(self, queries: Sequence[TableQuery], most: int) -> list[int]:
        return [min(most, sum(1 for _ in self._wanted(query))) for query in queries]

    def _wanted(self, query: TableQuery) -> Iterator[Listing]:
        for kept in self._kept.values():
            snapshot, access = kept.snapshot, Grants(kept.snapshot.grants).access(query.visitor)
            is_wanted = access != SPECTATOR if query.own else snapshot.is_listed
            is_game = query.game is None or snapshot.game_name == query.game
            if is_wanted and is_game and snapshot.phase in query.phases:
                yield Listing(snapshot.id, snapshot.phase, kept.since, snapshot.summary, access)

    async def drop_expired(self, in_use: Collection[str]) -> int:
        now = self._now()
        for key in self._kept.keys() & set(in_use):
            self._kept[key] = replace(self._kept[key], used_at=now)
        oldest = {phase: self._retention.oldest_use(now, phase) for phase in Phase}
        old = [key for key, kept in self._kept.items() if kept.used_at < oldest[kept.snapshot.phase]]
        for key in old:
            del self._kept[key]
        return len(old)

    async def load_time(self) -> float:
        return self._time

    async def keep_time(self, seconds: float) -> None:
        self._time = max(self._time, seconds)

    async def close(self) -> None:
        pass
