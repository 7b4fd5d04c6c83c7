"""The rooms that are open in this process. Each change is saved to the store, and published once it is safe there.

Rooms that nobody watches are put away when there are too many, and are restored from the store when somebody comes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from kibitz.web.limits import Busy
from kibitz.web.playthrough import Phase
from kibitz.web.room import Room
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import SavedElsewhere, Store

MOST_OPEN = 500
RETRY_SECONDS = 5.0  # from a failed attempt to save to the next

log = logging.getLogger("kibitz.web")


class Lobby:
    """The open rooms, by their ids."""

    def __init__(self, store: Store, restore: Callable[[RoomSnapshot], Awaitable[Room]], most: int = MOST_OPEN) -> None:
        self._store = store
        self._restore = restore
        self._most = most
        self._open: dict[str, RoomSaver] = {}
        self._arriving: dict[str, asyncio.Task[bool]] = {}

    def __len__(self) -> int:
        return len(self._open)

    @property
    def is_somebody_there(self) -> bool:
        """Whether anybody is at any table."""
        return any(saver.room.watchers for saver in self._open.values())

    def find(self, key: str) -> Room | None:
        """A room that is open."""
        saver = self._open.get(key)
        return None if saver is None else saver.room

    async def get(self, key: str) -> Room | None:
        """A room, restored if it was put away; None: there is none."""
        while key not in self._open:  # again after waiting: it may have been put away in the meantime
            if not await self._arrival(key):
                return None
        return self._open[key].room

    async def _arrival(self, key: str) -> bool:
        """Wait until a room is restored, once for all who ask for it; False: there is none."""
        if key not in self._arriving:
            self._arriving[key] = asyncio.create_task(self._fetch(key))
            self._arriving[key].add_done_callback(lambda _: self._arriving.pop(key))
        return await asyncio.shield(self._arriving[key])  # others may still wait when this visitor hangs up

    async def _fetch(self, key: str) -> bool:
        snapshot = await self._store.load(key)
        if snapshot is None:
            return False
        await self._make_space()
        room = await self._restore(snapshot)
        self._open[key] = RoomSaver(room, self._store, self._let_go, snapshot.version)
        if room.version != snapshot.version:  # a game that was still being prepared has begun
            self._open[key].room_changed()
        return True

    async def add(self, room: Room) -> None:
        """Save a new room and keep it open; an error when that is impossible."""
        await self._make_space()
        saver = RoomSaver(room, self._store, self._let_go)
        await saver.save()
        self._open[room.id] = saver
        if saver.is_behind:  # something has happened in the meantime
            saver.room_changed()

    async def _make_space(self) -> None:
        """Put away the room that has been deserted for longest, if there are too many."""
        if len(self._open) < self._most:
            return
        rooms = sorted((saver.room for saver in self._open.values()), key=lambda room: room.last_used)
        for room in rooms:
            if await self.put_away(room):
                return
        raise Busy("All tables of this server are in use; please try again later.")

    async def put_away(self, room: Room) -> bool:
        """Close a room until somebody asks for it again; whether that was possible."""
        saver = self._open.get(room.id)
        if saver is None or _is_in_use(room):
            return False
        try:
            await saver.save()
        except Exception as error:
            saver.complain(error)
            return False
        if self._open.get(room.id) is not saver or _is_in_use(room) or saver.is_behind:
            return False  # something has happened in the meantime
        self._discard(saver)
        return True

    def _let_go(self, saver: RoomSaver) -> None:
        """Close a room that another server has changed. Whoever is here comes again and finds it as it is now."""
        if self._open.get(saver.room.id) is saver:
            self._discard(saver)

    def _discard(self, saver: RoomSaver) -> None:
        del self._open[saver.room.id]
        saver.close()
        saver.room.close()

    async def close(self) -> None:
        """Close all rooms, once everything is saved."""
        for arrival in tuple(self._arriving.values()):
            arrival.cancel()
        for saver in tuple(self._open.values()):
            saver.room.close()
            try:
                await saver.save()
            except Exception as error:
                saver.complain(error)
            self._discard(saver)


def _is_in_use(room: Room) -> bool:
    return bool(room.watchers) or room.phase is Phase.PREPARING


class RoomSaver:
    """Saves a room after every change, one save at a time, and publishes it when nothing is left to save.

    Changes that come faster than the store saves are saved together: a snapshot holds all that happened before it.
    """

    def __init__(
        self, room: Room, store: Store, let_go: Callable[[RoomSaver], None], saved_version: int | None = None
    ) -> None:
        """`let_go` is called when another server has changed the room; `saved_version` is the last in the store."""
        self.room = room
        self._store = store
        self._let_go = let_go
        self._saved_version = saved_version
        self._one_at_a_time = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        room.on_change = self.room_changed

    @property
    def is_behind(self) -> bool:
        """Whether something is not saved yet."""
        return self._saved_version != self.room.version

    def room_changed(self) -> None:
        """Have the room saved soon."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._catch_up())

    async def save(self) -> None:
        """Save the room as it is now, if it has changed since it was last saved."""
        async with self._one_at_a_time:
            if self.is_behind:
                snapshot = self.room.snapshot()
                await self._store.save(snapshot, self._saved_version)
                self._saved_version = snapshot.version

    async def _catch_up(self) -> None:
        while True:
            try:
                await self.save()
            except SavedElsewhere:
                log.warning("Table %s was changed by another server.", self.room.id)
                self._let_go(self)
                return
            except Exception as error:
                self.complain(error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if not self.is_behind:
                self.room.publish()
            if not self.is_behind:  # not even now
                return

    def complain(self, error: Exception) -> None:
        """Say, in the log and at the table, that the room could not be saved."""
        log.error("Table %s could not be saved.", self.room.id, exc_info=error)
        self.room.notify("The server could not save this game; it is trying again.")

    def close(self) -> None:
        self.room.on_change = lambda: None
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
