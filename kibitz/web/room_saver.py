"""How an open room and the store are kept the same, whoever changes it: this server, or another one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from kibitz.web.room import Room
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import SavedElsewhere, Store

RETRY_SECONDS = 5.0  # from a failed attempt to save to the next

log = logging.getLogger("kibitz.web")


class RoomSaver:
    """Saves a room after every change, one save at a time, and publishes it when nothing is left to save.

    Changes that come faster than the store saves are saved together: a snapshot holds all that happened before it. If
    another server was faster, what it has saved counts, and the changes here are dropped: nobody has seen them.
    """

    def __init__(
        self,
        room: Room,
        store: Store,
        go_on: Callable[[Room, RoomSnapshot], Awaitable[None]],
        let_go: Callable[[RoomSaver], None],
        saved_version: int | None = None,
    ) -> None:
        """`go_on` makes a room what a snapshot says; `let_go` is called when it is not in the store any more."""
        self.room = room
        self._store = store
        self._go_on = go_on
        self._let_go = let_go
        self._saved_version = saved_version
        self._one_at_a_time = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
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

    async def refresh(self) -> None:
        """Take over what another server has saved, if it has."""
        if await self._load():
            self._publish()

    async def _load(self) -> bool:
        """Take over what is in the store; whether that is news."""
        async with self._one_at_a_time:
            snapshot = await self._store.load(self.room.id)
            if snapshot is None:
                self._let_go(self)
            if snapshot is None or snapshot.version == self._saved_version:
                return False
            await self._go_on(self.room, snapshot)
            self._saved_version = snapshot.version
            return True

    async def _catch_up(self) -> None:
        while not self._is_closed:
            try:
                await self.save()
            except SavedElsewhere:
                await self._give_way()
            except Exception as error:
                self.complain(error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            self._publish()
            if not self.is_behind:  # not even now
                return

    async def _give_way(self) -> None:
        """Another server was faster."""
        try:
            await self._load()
            self.room.audience.notify("The table has changed in the meantime.")
        except Exception as error:
            log.error("Table %s cannot be loaded again.", self.room.id, exc_info=error)
            self._let_go(self)

    def _publish(self) -> None:
        if not self.is_behind and not self._is_closed:
            self.room.publish()

    def complain(self, error: Exception) -> None:
        """Say, in the log and at the table, that the room could not be saved."""
        if isinstance(error, SavedElsewhere):
            return  # what counts is safe
        log.error("Table %s could not be saved.", self.room.id, exc_info=error)
        self.room.audience.notify("The server could not save this game; it is trying again.")

    def close(self) -> None:
        self._is_closed = True
        self.room.on_change = lambda: None
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
