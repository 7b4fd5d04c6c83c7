"""Everyone who is connected to a room, to play or to watch, here and at other servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kibitz.web.presence import Presence
from kibitz.web.room_state import RoomState
from kibitz.web.server_clock import ServerClock


class Watcher(Protocol):
    """Somebody connected to a room, to play or to watch."""

    visitor: str | None  # who it is

    def room_changed(self) -> None:
        """The room has changed, and what changed is safe."""

    def presence_changed(self) -> None:
        """Somebody has come or gone."""

    def room_closed(self) -> None:
        """The room has been closed here; it can be opened again from the store."""

    def notify(self, words: str) -> None:
        """Show somebody a sentence."""


class Audience:
    """The people at one table."""

    def __init__(self, room: RoomState, clock: ServerClock) -> None:
        self.watchers: set[Watcher] = set()  # who is connected to this server
        self.presence = Presence(range(len(room.setting.seats)), clock)
        self._room = room

    def join(self, watcher: Watcher) -> None:
        self.watchers.add(watcher)
        self.note_presence()

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        self.note_presence()

    def note_presence(self) -> None:
        """Note who is connected, and tell everyone here when that has changed."""
        seats, _ = self.present_here()
        if self.presence.note(set(self._room.people) - set(seats) - self.presence.seats_elsewhere):
            for watcher in tuple(self.watchers):
                watcher.presence_changed()

    def present_here(self) -> tuple[tuple[int, ...], int]:
        """The seats of the players who are connected to this server, and how many spectators are."""
        access = [self._room.access(watcher.visitor) for watcher in self.watchers]
        seats = {seat for one in access for seat in one.seats}
        return tuple(sorted(seats)), sum(not one.seats for one in access)

    @property
    def spectators(self) -> int:
        """How many people are connected who do not play."""
        return self.present_here()[1] + self.presence.spectators_elsewhere

    @property
    def is_watching(self) -> bool:
        """Whether somebody sees what happens, here or as a spectator elsewhere."""
        return bool(self.watchers) or self.presence.spectators_elsewhere > 0

    def heard_from(self, server: str, seats: Sequence[int], spectators: int) -> None:
        """Another server says who is connected to it."""
        self.presence.heard(server, seats, spectators)
        self.note_presence()

    def forget_server(self, server: str) -> None:
        """Another server is gone."""
        self.presence.forget(server)
        self.note_presence()

    def absent_for(self, seat: int) -> float:
        """For how many seconds the person in a seat has not been connected."""
        return self.presence.absent_for(seat)

    def is_absent(self, seat: int) -> bool:
        """Whether the seat is a person's who is not connected."""
        return self.presence.is_absent(seat) and self._room.setting.seats[seat].bot is None

    def notify(self, words: str) -> None:
        """Show everyone who is connected a sentence."""
        for watcher in tuple(self.watchers):
            watcher.notify(words)
