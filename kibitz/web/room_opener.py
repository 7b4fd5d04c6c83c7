"""How rooms are opened: a new game, a record, or what the store has kept of a room.

The rules and the bots are compiled first (precompile.py), and the table is set up in a thread: the event loop never
waits for either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from kibitz.errors import KibitzError
from kibitz.rules.rng import as_secret
from kibitz.table import Record, Table
from kibitz.web.catalogue import Catalogue
from kibitz.web.events import Event
from kibitz.web.history import GameHistory
from kibitz.web.lanes import Lane
from kibitz.web.playthrough import Phase, Playthrough
from kibitz.web.precompile import Precompiler
from kibitz.web.room import Room
from kibitz.web.sentences import sentence
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Setting
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.thinking_pool import ThinkingPool

Played: TypeAlias = tuple[Playthrough, GameHistory | None]


class RoomOpener:
    """Opens the rooms of a server."""

    def __init__(
        self,
        catalogue: Catalogue,
        pool: ThinkingPool,
        precompiler: Precompiler,
        clock: ServerClock,
        pace: float = 1.0,
        heard: Callable[[Room, Event], None] = lambda room, event: None,
    ) -> None:
        """`heard` is called for everything that happens in any of the rooms; for `pace`, see Room."""
        self._catalogue = catalogue
        self._pool = pool
        self._precompiler = precompiler
        self._clock = clock
        self._pace = pace
        self._heard = heard

    def room(self, setting: Setting, client: str = "") -> Room:
        """A room in which nothing has begun yet; its bots think on behalf of a client."""
        room = Room(setting, self._pool, self._pace, self._catalogue.terms, self._clock)
        room.client = client
        room.on_event = self._heard
        return room

    async def open(self, room: Room) -> None:
        """Begin the game of a room as soon as its rules and bots are compiled."""
        setting = room.setting
        try:
            secret = as_secret(None, needed=setting.has_strangers)
            begin = partial(
                Table,
                setting.game,
                setting.seed,
                seats=setting.recorded_names,
                position=setting.position or None,
                given=setting.given,
                secret=secret,
            )
            played = await self._prepared(room, setting.bot_specs, lambda: Playthrough(begin()))
        except Exception as error:
            room.cannot_begin(error)
        else:
            room.begin(*played)

    async def open_record(self, room: Room, record: Record) -> None:
        """Show a recorded game; an error when the rules do not allow it."""
        try:
            begin = partial(Playthrough.of_record, record, room.setting.game)
            played = await self._prepared(room, [], begin, Lane.SLOW)
        except Exception as error:
            raise KibitzError(sentence(error)) from error
        room.begin(*played)

    async def restore(self, snapshot: RoomSnapshot, leads: bool = True) -> Room:
        """Restore the room that a snapshot was taken of: same position, same seats, same bot to move.

        An error says why it cannot be restored: the game or a bot is not available any more, the rules have changed, or
        the snapshot contradicts itself.
        """
        room = self.room(snapshot.setting(self._catalogue))
        room.id = snapshot.id
        await self.go_on(room, snapshot)
        if leads:
            await self.lead(room)
        else:
            room.follow()
        return room

    async def go_on(self, room: Room, snapshot: RoomSnapshot) -> None:
        """Make an open room what a snapshot says, which perhaps another server has saved."""
        setting = snapshot.setting(self._catalogue)
        played: Played | None = None
        if not snapshot.is_unopened:
            begin = partial(Playthrough.restore, snapshot.table, snapshot.events, snapshot.ending, setting.game)
            played = await self._prepared(room, [] if snapshot.ending else setting.bot_specs, begin, patient=True)
        room.go_on_from(snapshot, setting, played)

    async def lead(self, room: Room) -> None:
        """From now on, this server leads a room, and opens it if nobody has."""
        room.lead()
        if room.phase is Phase.PREPARING:
            await self.open(room)

    async def _prepared(
        self,
        room: Room,
        bots: Sequence[str],
        begin: Callable[[], Playthrough],
        lane: Lane = Lane.QUICK,
        patient: bool = False,
    ) -> Played:
        """Get ready what the game needs, and set up the table in a thread."""

        def set_up(stop: threading.Event) -> Played:
            playthrough = begin()
            return playthrough, None if playthrough.table is None else GameHistory(playthrough.table)

        await self._precompiler.prepare(room.setting.game, bots, patient)
        return await self._pool.run(set_up, lane, room.client)
