"""A server: its catalogue, its open rooms, its threads, and what people ask of it. app.py puts it on the web."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from kibitz.display.board import board_of
from kibitz.display.palette import COLOURS, usual_colours
from kibitz.display.wording import title_of
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.table import Record, Table
from kibitz.web.access import Access, Grants, visitor_with
from kibitz.web.background import BackgroundWork
from kibitz.web.catalogue import Catalogue
from kibitz.web.connection import SharedMessages
from kibitz.web.events import Event, Moved
from kibitz.web.garbage import collect_regularly
from kibitz.web.laboratory import Laboratory
from kibitz.web.limits import Allowances, Limits
from kibitz.web.lobby import Lobby
from kibitz.web.log_lines import note
from kibitz.web.messages import (
    JoinRequest,
    LogRequest,
    RecordRequest,
    SeatRequest,
    TableRequest,
    clean_name,
)
from kibitz.web.metrics import Metrics, measured
from kibitz.web.playthrough import Phase
from kibitz.web.precompile import Precompiler
from kibitz.web.results import YOU
from kibitz.web.room import Room
from kibitz.web.room_opener import RoomOpener
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Seat, Setting, new_seed
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import MemoryStore, Store, TableQuery
from kibitz.web.summaries import may_delete
from kibitz.web.thinking_pool import ThinkingPool
from kibitz.web.tokens import operator_of
from kibitz.web.tournament_messages import TournamentGameRequest
from kibitz.web.tournaments import Tournaments
from kibitz.web.variants import Variants
from kibitz.web.variations import checked_position
from kibitz.web.workshop import Workshop

LOOK_SECONDS = 10.0  # from one look for deserted tables to the next
TIME_SECONDS = 1.0  # from one time that is saved to the next
TIDY_SECONDS = 3600.0  # from one look for tables that have not been used for long to the next
RECORDS_AT_ONCE = 100  # that are looked up
PATIENCE = 0.2  # seconds to wait for a new table; that is enough unless something has to be compiled
TABLE_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
NO_SUCH_TABLE = "This table does not exist, or no longer exists."

log = logging.getLogger("kibitz.web")


class Server:
    """Everything that one server has: its catalogue, its open rooms, its threads, and what it has compiled."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store | None = None,
        pace: float = 1.0,
        warm: bool = True,
        limits: Limits | None = None,
        hosts: Collection[str] = (),
        secret: str | None = None,
        tournaments: Tournaments | None = None,
        clock: ServerClock | None = None,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        """`pace` multiplies the minimum time of a bot's turn; with `warm`, everything is compiled at startup.

        `hosts` are further names by which browsers may call this server, beside localhost and any address. Whoever
        shows the `secret` has the powers of the server's operator; without one, nobody has. `today` says which day it
        is, for everybody: in UTC.
        """
        self.catalogue = catalogue
        self.hosts = frozenset(hosts)
        self.today = today
        self.limits = limits or Limits()
        self.new_tables = Allowances(self.limits.tables)
        self.questions = Allowances(self.limits.questions)
        self.new_tournaments = Allowances(self.limits.tournaments)
        self.messages = SharedMessages()
        self.sockets: Counter[str] = Counter()  # that each address has open
        self.clock = clock or ServerClock()
        self.store = MemoryStore() if store is None else store
        self.metrics = Metrics()
        self.pool = ThinkingPool(self.limits.thinking)
        self.workshop = Workshop(self.limits.jobs)
        self.precompiler = Precompiler(catalogue, self.workshop)
        self.variants = Variants(catalogue, self.workshop, self.limits.variants)
        self.tournaments = tournaments or Tournaments(catalogue)
        self.rooms = RoomOpener(catalogue, self.pool, self.precompiler, self.clock, pace, self._count)
        self.lobby = Lobby(measured(self.store, self.metrics), self.rooms, peers=self.store.peers)
        self.laboratory = Laboratory(
            catalogue, self.variants, self.precompiler, self.pool, self.table, self.limits.opinions
        )
        self._warm = warm
        self._operator = None if secret is None else visitor_with(secret)
        self._openings = BackgroundWork()
        self._watch_myself()

    def _watch_myself(self) -> None:
        watch = self.metrics.watch
        watch("kibitz_tables_open", "Tables that are open in this process.", lambda: len(self.lobby))
        watch("kibitz_people_connected", "Sockets at tables.", self.sockets_open)
        watch("kibitz_thinking_queue_length", "Bots and analyses that wait for a thread.", lambda: self.pool.waiting())

    def sockets_open(self) -> int:
        """How many sockets are open at tables."""
        return sum(self.sockets.values())

    def is_operator(self, connection: HTTPConnection) -> bool:
        """Whether a request or a socket comes from somebody who knows the secret of this server's operator."""
        return self.is_secret(operator_of(connection))

    def is_secret(self, shown: str | None) -> bool:
        """Whether the hash of something is that of the operator's secret."""
        return self._operator is not None and shown is not None and secrets.compare_digest(shown, self._operator)

    def not_compiled(self) -> list[str]:
        """The games whose rules are not compiled yet; called in a thread."""
        games = {name: self.catalogue.game(name) for name in self.catalogue.names}
        return [name for name, game in games.items() if not self.precompiler.is_ready(game)]

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Run as long as the application does."""
        self.clock.go_on_from(await self.store.load_time())
        await self.lobby.open(self.clock)
        chores = BackgroundWork()
        for chore in (self._keep_time, self._put_away_deserted, self._tidy, collect_regularly):
            chores.start(chore())
        if self._warm:
            self.precompiler.start()
        note("started")
        yield
        note("stopping")
        self.precompiler.stop()
        self.workshop.close()
        chores.cancel()
        self._openings.cancel()
        await self.tournaments.close()
        await self.lobby.close()
        with contextlib.suppress(Exception):
            await self.store.keep_time(self.clock.now())
        await self.store.close()
        self.pool.close()

    async def _keep_time(self) -> None:
        """While people play, save the time now and then: after a crash, the clock goes on from there, and so does that
        of another server."""
        while True:
            await asyncio.sleep(TIME_SECONDS)
            if self.lobby.is_somebody_there or self.store.peers.are_possible:
                with contextlib.suppress(Exception):  # the next attempt may succeed
                    await self.store.keep_time(self.clock.now())

    async def _put_away_deserted(self) -> None:
        """Put away tables that nobody has watched for a while: their bots are dismissed, and their memory is freed."""
        while True:
            await asyncio.sleep(min(self.limits.deserted, LOOK_SECONDS))
            for room in self.lobby.deserted(self.limits.deserted):
                with contextlib.suppress(Exception):  # the next attempt may succeed
                    await self.lobby.put_away(room)

    async def _tidy(self) -> None:
        """Now and then, drop the tables that have not been used for long."""
        while True:
            try:
                await self.store.drop_expired(self.lobby.visited)
            except Exception:  # the next attempt may succeed
                log.exception("Old tables could not be dropped.")
            await asyncio.sleep(TIDY_SECONDS)

    async def new_table(self, request: TableRequest, visitor: str, client: str) -> dict[str, str]:
        """Set up a table on behalf of a client; its id."""
        game = await self.variants.game(request.game, len(request.seats) or None, client)
        setting = await asyncio.to_thread(self._setting, request, game)
        if request.after is not None:
            start = await self.laboratory.start(request.after, visitor, client)
            if start.game is not game:
                raise KibitzError("These moves are of another game, or of another variant.")
            setting = replace(setting, position=start.position, given=start.plies)
        room = self.rooms.room(setting, client)
        own = tuple(player for player, seat in enumerate(request.seats) if seat.you)
        room.admit(visitor, Access(own, host=True))
        return await self._begin(room)

    async def rematch(self, room: Room, access: Access) -> dict[str, str]:
        """Set up the same table once more, with another seed, for everyone who sits at it; only once, whoever asks."""
        if not room.rights(access).may_rematch:
            raise KibitzError("Only the players can start a rematch, when the game is over.")
        async with room.opening_rematch:
            if room.rematch is None:
                again = self.rooms.room(room.setting.again(), room.client)
                again.admit_all(room)
                room.set_rematch((await self._begin(again))["id"])
                await room.published()
            assert room.rematch is not None
            return {"id": room.rematch}

    async def take_seat(self, key: str, request: JoinRequest, visitor: str) -> dict[str, int]:
        """Give somebody an open seat; its number."""
        room = await self.table(key)
        await room.published()
        seat = room.take_seat(visitor, clean_name(request.name, YOU), request.seat)
        await room.published()
        if seat not in room.access(visitor).seats:  # somebody was faster, on another server
            raise KibitzError("This seat is taken; please choose another one.")
        return {"seat": seat}

    async def seat_bot(self, room: Room, access: Access, seat: int, bot: str) -> None:
        """Let a bot play a free seat."""
        game = room.setting.game
        try:
            chosen = await asyncio.to_thread(self.catalogue.bot, bot, game)
        except KibitzError as error:
            raise KibitzError(self.catalogue.in_public(str(error))) from None
        await self.precompiler.prepare(game, [chosen.spec])
        room.seat_bot(access, seat, chosen)

    async def find_table(self, key: str) -> Room | None:
        """A room by its id; None if there is none."""
        return await self.lobby.get(key) if TABLE_ID.fullmatch(key) else None

    async def table(self, key: str) -> Room:
        """A room by its id; 404 if there is none."""
        room = await self.find_table(key)
        if room is None:
            raise HTTPException(404, NO_SUCH_TABLE)
        return room

    async def delete_table(self, key: str, visitor: str | None, is_operator: bool = False) -> None:
        """Delete a table, whose rules need not be available any more; 404 if there is none."""
        room = self.lobby.find(key)
        snapshot = await self.store.load(key) if room is None else room.snapshot()
        if snapshot is None:
            raise HTTPException(404, NO_SUCH_TABLE)
        access = Grants(snapshot.grants).access(visitor)
        if not is_operator and not may_delete(snapshot.summary, snapshot.phase, access):
            raise KibitzError(
                "A table can be deleted by who set it up or is the only person there; not while others play."
            )
        await self.store.delete(key)
        self.lobby.forget(key)

    async def own_records(self, visitor: str) -> AsyncIterator[Record]:
        """The records of all finished games of a visitor, the latest first; but for those of games that are gone."""
        query, before = TableQuery((Phase.OVER,), visitor=visitor, own=True), None
        while found := await self.store.find(query, before, RECORDS_AT_ONCE):
            before = found[-1].place
            for listing in found:
                with contextlib.suppress(KibitzError):
                    snapshot = await self.store.load(listing.id)
                    if snapshot is not None and snapshot.table is not None:
                        yield await self.pool.run(lambda stop, snapshot=snapshot: self._record(snapshot))  # type: ignore[misc]

    def _record(self, snapshot: RoomSnapshot) -> Record:
        """The record of a finished game that is in the store."""
        assert snapshot.table is not None
        table = Table.restore(snapshot.table, snapshot.setting(self.catalogue).game)
        return replace(table.record(), game=snapshot.game)

    async def open_record(self, request: Any, visitor: str, client: str) -> dict[str, str]:
        """Set up a table at which a finished game is shown: a record that was sent, or one from a log or tournament."""
        record = await self._find_record(request, client)
        game = await self.variants.game(self.catalogue.spec(record.game), None, client)
        names = [clean_name(name, "?") for name in record.seats]
        names += [f"Player {player + 1}" for player in range(len(names), game.players)]
        colours = usual_colours(game, board_of(game))
        seats = tuple(Seat(name, colour, None, False, False) for name, colour in zip(names, colours, strict=False))
        setting = Setting(
            game, self.catalogue.spec(game), title_of(game)[0], seats, record.seed, position=record.position
        )
        room = self.rooms.room(setting, client)
        await self.rooms.open_record(room, record)
        room.admit(visitor, Access(host=True))
        await self.lobby.add(room)
        return {"id": room.id}

    async def _find_record(self, request: Any, client: str) -> Record:
        if isinstance(request, dict) and "log" in request:
            wanted = LogRequest.model_validate(request)
            return await self.pool.run(lambda stop: self.catalogue.logged(wanted.log, wanted.game), client=client)
        if isinstance(request, dict) and "tournament" in request:
            sought = TournamentGameRequest.model_validate(request)
            key, number = sought.tournament, sought.game
            return await self.pool.run(lambda stop: self.tournaments.record(key, number), client=client)
        record = RecordRequest.model_validate(request).record()
        if record.position:
            game = await self.variants.game(self.catalogue.spec(record.game), None, client)
            state = await self.pool.run(lambda stop: checked_position(game, record.position), client=client)
            return replace(record, position=state.to_text())
        return record

    def _setting(self, request: TableRequest, game: Game) -> Setting:
        is_chosen = request.colours is not None
        colours = usual_colours(game, board_of(game)) if request.colours is None else request.colours
        if len(request.seats) != game.players or len(colours) != game.players:
            raise KibitzError(f"This game has {game.players} seats; say who takes each of them.")
        if len(set(colours)) < min(len(colours), len(COLOURS)):
            raise KibitzError("Every seat needs a colour of its own.")
        seats = tuple(
            self._seat(player, wanted, colour, is_chosen, game)
            for player, (wanted, colour) in enumerate(zip(request.seats, colours, strict=True))
        )
        if request.seed is not None and any(seat.is_open for seat in seats):
            raise KibitzError("Who knows the seed knows the dice to come: with open seats, it cannot be chosen.")
        if request.clock is not None and all(seat.bot is not None for seat in seats):
            raise KibitzError("A clock needs a person at the table.")
        seed, title = new_seed() if request.seed is None else request.seed, title_of(game)[0]
        spec = self.catalogue.spec(game)
        return Setting(game, spec, title, seats, seed, request.absence, request.clock, request.listed)

    def _seat(self, player: int, wanted: SeatRequest, colour: int, is_chosen: bool, game: Game) -> Seat:
        if [wanted.you, wanted.open, wanted.bot is not None].count(True) != 1:
            raise KibitzError(f"Seat {player + 1} must be either yours, or open, or a bot's.")
        bot = None if wanted.bot is None else self.catalogue.bot(wanted.bot, game)
        name = clean_name(wanted.name, YOU if bot is None else bot.title)
        return Seat(YOU if wanted.open else name, colour, bot, is_chosen, wanted.open)

    def _count(self, room: Room, event: Event) -> None:
        """Count what happens at a table."""
        if isinstance(event, Moved):
            by = "person" if event.seat in room.people else "bot"
            self.metrics.moves.labels(by).inc()
            note("move", logging.DEBUG, table=room.id, by=by)  # not which move: it may be a secret

    async def _begin(self, room: Room) -> dict[str, str]:
        await self.lobby.add(room)
        note("new table", table=room.id, game=room.setting.spec)
        await asyncio.wait([self._openings.start(self.rooms.open(room))], timeout=PATIENCE)
        return {"id": room.id}
