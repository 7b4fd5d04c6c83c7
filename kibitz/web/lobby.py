"""The rooms that are open in this process. Each change is saved to the store, and published once it is safe there.

Rooms that nobody watches are put away after a while, or when there are too many. They are restored from the store when
somebody comes. Other servers may have the same rooms open; one of them leads each (peers.py).
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Protocol

from kibitz.web.background import BackgroundWork
from kibitz.web.limits import Busy
from kibitz.web.peers import Alone, Peers, Present, Saved, WhoIsPresent
from kibitz.web.playthrough import Phase
from kibitz.web.room import Room
from kibitz.web.room_saver import RETRY_SECONDS, RoomSaver
from kibitz.web.server_clock import ServerClock
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import Store

MOST_OPEN = 500
LEAD_SECONDS = 0.5  # from one attempt to take over the tables of a dead server to the next

log = logging.getLogger("kibitz.web")


class RoomMaker(Protocol):
    """Makes rooms of snapshots."""

    async def restore(self, snapshot: RoomSnapshot, leads: bool) -> Room:
        """A room as it was; `leads`: whether this server leads it."""

    async def go_on(self, room: Room, snapshot: RoomSnapshot) -> None:
        """Make an open room what a snapshot of it says."""

    async def lead(self, room: Room) -> None:
        """From now on, this server leads an open room."""


class Lobby:
    """The open rooms, by their ids."""

    def __init__(self, store: Store, maker: RoomMaker, most: int = MOST_OPEN, peers: Peers | None = None) -> None:
        self._store = store
        self._maker = maker
        self._most = most
        self._peers = peers or Alone()
        self._open: dict[str, RoomSaver] = {}
        self._arriving: dict[str, asyncio.Task[bool]] = {}
        self._work = BackgroundWork()

    async def open(self, clock: ServerClock) -> None:
        """Begin to listen to other servers, and take over the tables of those that die."""
        if self._peers.are_possible:
            await self._peers.meet(self, clock)
            self._work.start(self._take_over())

    def __len__(self) -> int:
        return len(self._open)

    @property
    def is_somebody_there(self) -> bool:
        """Whether anybody is at any table."""
        return any(saver.room.audience.watchers for saver in self._open.values())

    @property
    def visited(self) -> list[str]:
        """The ids of the rooms in which somebody is."""
        return [key for key, saver in self._open.items() if saver.room.audience.watchers]

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
        leads = bool(await self._peers.claim([key]))  # before it is loaded: who leads must miss nothing
        try:
            snapshot = await self._store.load(key)
            if snapshot is not None:
                await self._make_space()
                room = await self._maker.restore(snapshot, leads)
        except BaseException:
            await self._peers.release(key)
            raise
        if snapshot is None:
            await self._peers.release(key)
            return False
        self._open[key] = saver = self._saver(room, snapshot.version)
        if saver.is_behind:  # a game that was still being prepared has begun
            saver.room_changed()
        if self._peers.are_possible:
            self._peers.tell(WhoIsPresent(key))
            self._work.start(self._refresh(saver))  # a change that was saved while it was restored went unnoticed
        return True

    def _saver(self, room: Room, saved_version: int | None = None) -> RoomSaver:
        saver = RoomSaver(room, self._store, self._maker.go_on, self._let_go, saved_version)
        room.on_presence = self._tell_presence
        return saver

    def _tell_presence(self, room: Room) -> None:
        self._peers.tell(Present(room.id, *room.audience.present_here()))

    async def add(self, room: Room) -> None:
        """Save a new room and keep it open; an error when that is impossible."""
        await self._make_space()
        if not await self._peers.claim([room.id]):
            raise Busy("The database cannot be reached; please try again in a moment.", RETRY_SECONDS)
        saver = self._saver(room)
        try:
            await saver.save()
        except BaseException:
            await self._peers.release(room.id)
            raise
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

    def deserted(self, seconds: float) -> list[Room]:
        """The rooms that nobody has used for so many seconds."""
        rooms = [saver.room for saver in self._open.values()]
        long_ago = time.monotonic() - seconds
        return [room for room in rooms if room.last_used < long_ago and not _is_in_use(room)]

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
        """Close a room that is not in the store any more. Whoever is here is told so when they come again."""
        if self._open.get(saver.room.id) is saver:
            self._discard(saver)

    def forget(self, key: str) -> None:
        """Close a room that was deleted from the store, if it is open."""
        if key in self._open:
            self._discard(self._open[key])

    def _discard(self, saver: RoomSaver) -> None:
        del self._open[saver.room.id]
        saver.close()
        saver.room.close()
        self._work.start(self._peers.release(saver.room.id))

    # -------------------------------------------------------------- other servers

    def heard(self, server: str, news: Saved | Present | WhoIsPresent) -> None:
        """Another server has told everyone something."""
        saver = self._open.get(news.table)
        if saver is None:
            return
        match news:
            case Saved():
                self._work.start(self._refresh(saver))
            case Present():
                saver.room.heard_from(server, news.seats, news.spectators)
            case WhoIsPresent():
                self._tell_presence(saver.room)

    def peer_left(self, server: str) -> None:
        """Another server is gone; so is everyone who was connected to it."""
        for saver in self._open.values():
            saver.room.audience.forget_server(server)

    def peers_lost(self) -> None:
        """Nobody can know who leads what, so this server leads nothing."""
        for saver in self._open.values():
            saver.room.follow()

    def peers_found(self) -> None:
        """Anything may have changed in the meantime."""
        for saver in self._open.values():
            self._work.start(self._refresh(saver))
            self._peers.tell(WhoIsPresent(saver.room.id))
            self._tell_presence(saver.room)

    async def _refresh(self, saver: RoomSaver) -> None:
        while self._open.get(saver.room.id) is saver:
            try:
                await saver.refresh()
                return
            except Exception as error:
                log.error("Table %s cannot be loaded again.", saver.room.id, exc_info=error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _take_over(self) -> None:
        """Lead, from now on, every table here that has no leader any more."""
        while True:
            await asyncio.sleep(LEAD_SECONDS)
            orphans = {key: saver for key, saver in self._open.items() if not saver.room.leads}
            for key in await self._peers.claim(orphans) if orphans else ():
                await self._refresh(orphans[key])  # who leads must miss nothing
                if self._open.get(key) is orphans[key]:
                    self._work.start(self._maker.lead(orphans[key].room))

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
        self._work.cancel()
        await self._peers.part()


def _is_in_use(room: Room) -> bool:
    return bool(room.audience.watchers) or room.phase is Phase.PREPARING
