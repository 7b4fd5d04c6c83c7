"""Where the rooms of a server are kept: in memory, as long as there is space."""

from __future__ import annotations

import contextlib
import time

from kibitz.errors import KibitzError
from kibitz.web.rooms import Room

MOST_ROOMS = 500
IDLE_SECONDS = 3600.0  # after which an unfinished game that nobody looks at may be dropped


class Store:
    """The rooms of a server, in memory. When there are too many, old ones are dropped."""

    def __init__(self, most: int = MOST_ROOMS) -> None:
        self._most = most
        self._rooms: dict[str, Room] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._rooms)

    def get(self, key: str) -> Room | None:
        return self._rooms.get(key)

    def add(self, room: Room) -> None:
        """Keep a room; an error when there is no space, not even after dropping what nobody looks at."""
        if len(self._rooms) >= self._most:
            self._drop_one()
        self._rooms[room.id] = room

    def _drop_one(self) -> None:
        deserted = [room for room in self._rooms.values() if not room.onlookers]
        finished = [room for room in deserted if room.over]
        idle = [room for room in deserted if time.monotonic() - room.last_used > IDLE_SECONDS]
        for room in (*finished, *idle):
            del self._rooms[room.id]
            room.close()
            return
        raise KibitzError("All tables of this server are taken; try again later.")

    def close(self) -> None:
        """End everything."""
        for room in self._rooms.values():
            with contextlib.suppress(Exception):
                room.close()
