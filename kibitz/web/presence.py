"""Which players of a room are connected, and for how long the others have been away."""

from __future__ import annotations

from collections.abc import Iterable

from kibitz.web.server_clock import ServerClock


class Presence:
    """The people who play at one table, as far as they are not there."""

    def __init__(self, seats: Iterable[int], clock: ServerClock) -> None:
        self._clock = clock
        self._absent_since = dict.fromkeys(seats, clock.now())
        self._elsewhere: dict[str, tuple[frozenset[int], int]] = {}  # seats and spectators, by server
        self.version = 0  # grows whenever a player comes or goes

    def note(self, absent: set[int]) -> bool:
        """These seats belong to people who are not connected; whether that is news."""
        if absent == self._absent_since.keys():
            return False
        now = self._clock.now()
        self._absent_since = {seat: self._absent_since.get(seat, now) for seat in sorted(absent)}
        self.version += 1
        return True

    def heard(self, server: str, seats: Iterable[int], spectators: int) -> None:
        """Another server says who is connected to it: the players in these seats, and so many spectators."""
        self._elsewhere[server] = frozenset(seats), spectators
        self.version += 1

    def forget(self, server: str) -> None:
        """Another server is gone, and with it all who were connected to it."""
        if self._elsewhere.pop(server, None):
            self.version += 1

    @property
    def seats_elsewhere(self) -> set[int]:
        """The players who are connected to other servers."""
        return {seat for seats, _ in self._elsewhere.values() for seat in seats}

    @property
    def spectators_elsewhere(self) -> int:
        return sum(spectators for _, spectators in self._elsewhere.values())

    def is_absent(self, seat: int) -> bool:
        return seat in self._absent_since

    def absent_for(self, seat: int) -> float:
        """For how many seconds the person in a seat has not been connected."""
        return self._clock.now() - self._absent_since[seat] if seat in self._absent_since else 0.0
