"""A room: one game on the server, with the people and bots who play it and everyone who watches.

A room belongs to the event loop. Whatever changes it is saved first (lobby.py); only then it is published: watchers are
notified and ask for what they may see, and the next bot thinks. What happened so far is kept in playthrough.py, bots
move in bot_turns.py, rights.py says who may do what, and snapshots.py what is saved of a room.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from kibitz.errors import IllegalMove, KibitzError
from kibitz.players.seating import Terms
from kibitz.rules.contract import CHANCE, NOBODY, OVER
from kibitz.rules.rng import as_secret
from kibitz.table import Record, Table
from kibitz.web.access import Access, Grants
from kibitz.web.bot_turns import MOVE_SECONDS, BotTurns
from kibitz.web.catalogue import Catalogue, ChosenBot
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.events import Abandoned, Agreed, Event, Failed, Moved, Resigned, TimedOut, TookBack
from kibitz.web.history import GameHistory
from kibitz.web.offers import Offer, OfferKind
from kibitz.web.pace import USUAL_PACE, Pace
from kibitz.web.playthrough import Phase, Playthrough
from kibitz.web.precompile import Precompiler
from kibitz.web.rights import Rights
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Seat, Setting
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.thinking_pool import ThinkingPool

log = logging.getLogger("kibitz.web")

WATCHED_SECONDS = 0.6  # the minimum time of a bot's turn, in a game of bots at speed 1 …
PLAYED_SECONDS = 0.25  # … and in a game with people


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


class Room:
    """One game on the server."""

    def __init__(
        self,
        setting: Setting,
        pool: ThinkingPool,
        precompiler: Precompiler,
        pace: float = 1.0,
        terms: Terms | None = None,
        clock: ServerClock | None = None,
    ) -> None:
        """`pace` multiplies the minimum time of a bot's turn; 0: bots move as soon as they can."""
        self.id = secrets.token_urlsafe(9)
        self.setting = setting
        self.history: GameHistory | None = None  # None until the rules are compiled
        self.pace = USUAL_PACE
        self.version = 0  # grows with every change
        self.changed_from = 0  # how many plies had been played before what was last published
        self.watchers: set[Watcher] = set()
        self.last_used = time.monotonic()
        self.on_change = self.publish  # called when there is something new; who saves it first takes this over
        self._playthrough = Playthrough()
        self._grants = Grants()
        self._pool = pool
        self._precompiler = precompiler
        self._pace_factor = pace
        self._bots = BotTurns(pool, terms or Terms(), self._turn_seconds, self._bot_moved, self._bot_failed)
        self._clock = clock or ServerClock()
        self._turn_began = self._clock.now()
        self._seconds = [0.0] * len(setting.seats)  # that each seat spent on its last move
        self._time_left = [setting.clock.seconds] * len(setting.seats) if setting.clock else []  # when the turn began
        self._alarm: asyncio.TimerHandle | None = None  # for when the clock of the player to move will have run down
        self._is_new_turn = False  # whether the player to move has not been told yet
        self._position_version = 0  # at which the position last changed
        self._absent_since = dict.fromkeys(range(len(setting.seats)), self._turn_began)  # people who are not connected
        self.presence = 0  # grows whenever a player comes or goes
        self.offer: Offer | None = None
        self.rematch: str | None = None  # the id of the table at which the people play on
        self.opening_rematch = asyncio.Lock()
        self._published = asyncio.Event()
        self._published.set()

    # -------------------------------------------------------------- how it stands

    @property
    def table(self) -> Table | None:
        """The table, once the rules are compiled."""
        return self._playthrough.table

    @property
    def phase(self) -> Phase:
        phase = self._playthrough.phase
        return Phase.GATHERING if phase is Phase.PLAYING and self.setting.open_seats else phase

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people play, or are to play."""
        return self.setting.people

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None exactly as long as it is not over."""
        return self._playthrough.ending

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened, also what was taken back."""
        return self._playthrough.events

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def is_record(self) -> bool:
        """Whether this is a game that was played elsewhere, to look at."""
        return self.ending is not None and self.ending.kind is EndingKind.CLOSED

    @property
    def turn(self) -> int:
        """The player to move; OVER after the end, and before the game has begun."""
        return self.table.turn if self.table is not None and self.phase is Phase.PLAYING else OVER

    @property
    def thinking(self) -> bool:
        """Whether a bot is thinking."""
        return self._bots.thinking

    def seconds(self, player: int) -> float:
        """How long a player has been thinking; if it is not their turn, how long they took for their last move."""
        return self._clock.now() - self._turn_began if player == self.turn else self._seconds[player]

    def time_left(self, player: int) -> float | None:
        """The seconds on a player's clock; None if there are no clocks."""
        if self.setting.clock is None:
            return None
        spent = self.seconds(player) if player == self.turn and self.is_published else 0.0
        return max(0.0, self._time_left[player] - spent)

    def payoff(self) -> list[float] | None:
        """Each player's share of the win, or utility, once somebody has won."""
        return None if self.ending is None else self.ending.payoff(self.setting.game, self.table)

    def score(self) -> list[float] | None:
        """The final score, in games that have one."""
        if self.table is None or not self.table.over or not type(self.table.game).defines("score"):
            return None
        return self.table.score()

    def record(self) -> Record:
        """The record of a finished game."""
        if not self.over:
            raise KibitzError("There is no record of a game before it is over.")
        return replace(self._ready_table().record(), game=self.setting.spec)

    def viewer(self, access: Access) -> int:
        """From whose point of view the table is shown. With several seats it is that of the player to move."""
        if len(access.seats) == 1:
            return access.seats[0]
        if self.turn in access.seats:
            return self.turn
        is_secret = self.setting.game.has_hidden_information and not self.over
        return NOBODY if is_secret or not access.seats else access.seats[0]

    # -------------------------------------------------------------- who may do what

    def admit(self, visitor: str, access: Access) -> None:
        """Give somebody access."""
        self._grants.give(visitor, access)
        self._changed()

    def admit_all(self, room: Room) -> None:
        """Give everybody the access that they have in another room."""
        for grant in room._grants:
            self._grants.give(grant.visitor, Access(grant.seats, grant.host))
        self._changed()

    def access(self, visitor: str | None) -> Access:
        """What somebody may do here; who was given nothing can only watch."""
        return self._grants.access(visitor)

    def rights(self, access: Access) -> Rights:
        """What somebody with such access may do now."""
        return Rights(self, access)

    def absent_for(self, seat: int) -> float:
        """For how many seconds the person in a seat has not been connected."""
        return self._clock.now() - self._absent_since[seat] if seat in self._absent_since else 0.0

    def is_absent(self, seat: int) -> bool:
        """Whether the seat is a person's who is not connected."""
        return seat in self._absent_since and self.setting.seats[seat].bot is None

    @property
    def plies(self) -> int:
        """How many plies have been played."""
        return 0 if self.history is None else len(self.history)

    # -------------------------------------------------------------- opening, saving and restoring

    async def open(self) -> None:
        """Begin the game as soon as its rules and bots are compiled."""
        setting = self.setting
        try:
            secret = as_secret(None, needed=setting.has_strangers)
            await self._prepare(
                setting.bot_specs,
                lambda: Playthrough(Table(setting.game, setting.seed, seats=setting.recorded_names, secret=secret)),
            )
        except Exception as error:
            self._playthrough.apply(Failed(None, sentence(error)))
        self._turn_began = self._clock.now()
        self._position_changed()

    async def open_record(self, record: Record) -> None:
        """Show a recorded game; an error when the rules do not allow it."""
        try:
            await self._prepare([], lambda: Playthrough.of_record(record, self.setting.game))
        except Exception as error:
            raise KibitzError(sentence(error)) from error
        self._position_changed()

    def snapshot(self) -> RoomSnapshot:
        """The room as a value, from which `restore` makes it again."""
        setting, table = self.setting, self.table
        return RoomSnapshot(
            id=self.id,
            version=self.version,
            game=setting.spec,
            title=setting.title,
            seats=setting.seats,
            seed=setting.seed,
            events=self.events,
            table=None if table is None else replace(table.snapshot(), game=setting.spec),
            ending=self.ending,
            turn_began=self._turn_began,
            seconds=tuple(self._seconds),
            clock=setting.clock,
            time_left=tuple(self._time_left),
            pace=self.pace,
            absence=setting.absence,
            offer=self.offer,
            rematch=self.rematch,
            grants=tuple(self._grants),
        )

    @classmethod
    async def restore(
        cls,
        snapshot: RoomSnapshot,
        catalogue: Catalogue,
        pool: ThinkingPool,
        precompiler: Precompiler,
        pace: float = 1.0,
        terms: Terms | None = None,
        clock: ServerClock | None = None,
    ) -> Room:
        """Restore the room that a snapshot was taken of: same position, same seats, same bot to move.

        An error says why it cannot be restored: the game or a bot is not available any more, the rules have changed, or
        the snapshot contradicts itself.
        """
        setting = snapshot.setting(catalogue)
        room = cls(setting, pool, precompiler, pace, terms, clock)
        room.id, room.version, room.pace = snapshot.id, snapshot.version, snapshot.pace
        room._position_version = snapshot.version
        room._grants = Grants(snapshot.grants)
        room.offer, room.rematch = snapshot.offer, snapshot.rematch
        room._turn_began = min(snapshot.turn_began, room._clock.now())  # the clock may have been kept a moment earlier
        room._seconds, room._time_left = list(snapshot.seconds), list(snapshot.time_left)
        if snapshot.table is None and snapshot.ending is None and not snapshot.events:
            await room.open()  # it had not begun yet
        else:
            bots = [] if snapshot.ending else setting.bot_specs
            await room._prepare(
                bots, lambda: Playthrough.restore(snapshot.table, snapshot.events, snapshot.ending, setting.game)
            )
            room._go_on()
            room.check_clock()
        return room

    async def _prepare(self, bots: Sequence[str], begin: Callable[[], Playthrough]) -> None:
        """Compile what the game needs and set up the table, both in a thread."""

        def prepare(stop: threading.Event) -> tuple[Playthrough, GameHistory | None]:
            self._precompiler.prepare(self.setting.game, bots)
            playthrough = begin()
            return playthrough, None if playthrough.table is None else GameHistory(playthrough.table)

        self._playthrough, self.history = await self._pool.run(prepare)
        self.changed_from = len(self._ready_table().history) if self.table else 0

    def close(self) -> None:
        """End everything that is going on here."""
        self._bots.stop()
        self._bots.dismiss()
        self._set_alarm(None)
        for watcher in tuple(self.watchers):
            watcher.room_closed()

    # -------------------------------------------------------------- what people do

    def play(self, access: Access, move: int, version: int) -> None:
        """Make a person's move. `version` is that of the table they saw; the position must be the same since."""
        table = self._ready_table()
        if not access.seats:
            raise IllegalMove("You are watching this game; only its players can move.")
        if self.over:
            raise IllegalMove("The game is over.")
        if self.phase is Phase.GATHERING:
            raise IllegalMove("The game begins when every seat is taken.")
        if table.turn not in access.seats:
            raise IllegalMove("It is not your turn.")
        if self.check_clock():
            raise IllegalMove("Your time has run out.")
        if version < self._position_version:
            raise IllegalMove("The table has changed in the meantime; please choose again.")
        self._move(table.turn, move)

    def undo(self, access: Access) -> None:
        """Go back to the last decision that a person made."""
        if not self.rights(access).may_undo:
            raise KibitzError("There is nothing that you can take back.")
        moves = self._moves_since_decision(access)
        self._bots.stop()
        self._bots.dismiss()  # they must not remember what was taken back
        self._turn_began = self._clock.now()
        self._apply(TookBack(moves))

    def _moves_since_decision(self, access: Access) -> int:
        """How many moves have been made since a person last had a choice, that one included."""
        table, history = self._ready_table(), self.history
        assert history is not None
        own = [index for index, ply in enumerate(table.history) if ply.turn in access.seats]
        decision = next((index for index in reversed(own) if len(history.moves(index)) > 1), own[0])
        return sum(ply.turn != CHANCE for ply in table.history[decision:])

    def resign(self, access: Access) -> None:
        """Give up; the others share the win, or the rest of the utilities."""
        if not self.rights(access).may_resign:
            raise KibitzError("There is no game that you can resign.")
        self._apply(Resigned(self.turn if self.turn in access.seats else access.seats[0]))

    def take_seat(self, visitor: str, name: str, seat: int | None = None) -> int:
        """Give somebody an open seat, the first one if they do not mind which; its number."""
        if self.access(visitor).seats:
            raise KibitzError("You already have a seat at this table.")
        if self.phase is not Phase.GATHERING:
            raise KibitzError("All seats at this table are taken; you can watch.")
        chosen = self.setting.open_seats[0] if seat is None else seat
        if chosen not in self.setting.open_seats:
            raise KibitzError("This seat is taken; please choose another one.")
        self._seat(chosen, replace(self.setting.seats[chosen], name=name, is_open=False))
        self._grants.give(visitor, replace(self.access(visitor), seats=(chosen,)))
        self._note_presence()  # they are connected already, if they came by the page
        self._changed()
        return chosen

    def seat_bot(self, access: Access, seat: int, bot: ChosenBot) -> None:
        """Let a bot play an open seat, or that of a person who has left."""
        if not self.rights(access).may_seat_bot(seat):
            raise KibitzError("This seat is not free for a bot.")
        table = self._ready_table()
        taken = replace(self.setting.seats[seat], name=bot.title, bot=bot, is_open=False)
        if table.secret is None and self.setting.with_seat(seat, taken).has_strangers:
            raise KibitzError("A bot that was added to the server can only be chosen when a table is set up.")
        self._seat(seat, taken)
        self._grants.take_back(seat)
        self._note_presence()
        self.offer = None
        self._changed()

    def _seat(self, number: int, seat: Seat) -> None:
        """Put somebody in a seat. When the last one is taken, the game begins."""
        was_waiting = self.phase is Phase.GATHERING
        self.setting = self.setting.with_seat(number, seat)
        self._ready_table().seats = self.setting.recorded_names
        if was_waiting and self.phase is Phase.PLAYING:
            self._turn_began = self._clock.now()

    def end_without(self, access: Access, seat: int) -> None:
        """End the game because a player has left, who loses."""
        if not self.rights(access).may_claim(seat):
            raise KibitzError("You can end the game without a player only when they have been away for long enough.")
        self._apply(Abandoned(seat))

    def make_offer(self, access: Access, kind: OfferKind) -> None:
        """Offer the others a draw, or an early end."""
        if not self.rights(access).may_offer(kind):
            raise KibitzError("You cannot offer that now.")
        self.offer = Offer(kind, access.seats, self.plies)
        self._changed()

    def answer_offer(self, access: Access, agree: bool) -> None:
        """Agree to what was offered, or not. When all people have agreed, the game ends."""
        if self.offer is None or not self.rights(access).may_answer:
            raise KibitzError("There is no offer that you could answer.")
        offer = self.offer.joined_by(access.seats)
        self.offer = offer if agree else None
        if agree and offer.is_settled(self.people):
            self._apply(Agreed(offer.kind is OfferKind.DRAW))
        else:
            self._changed()

    def set_rematch(self, key: str) -> None:
        """Tell everyone where the next game is played."""
        self.rematch = key
        self._changed()

    def pause(self, access: Access, on: bool) -> None:
        """Pause a game of bots, or let it go on."""
        self._set_pace(access, self.pace.pause(on))

    def step(self, access: Access) -> None:
        """Let one bot make one move, then pause."""
        self._set_pace(access, self.pace.step())

    def set_speed(self, access: Access, speed: float) -> None:
        self._set_pace(access, self.pace.at_speed(speed))

    def _set_pace(self, access: Access, pace: Pace) -> None:
        if not self.rights(access).may_set_pace:
            raise KibitzError("Only the host can pause a game, step through it or set its speed, and only among bots.")
        self.pace = pace
        if pace.waits:
            self._bots.stop()
        self._changed()

    def _ready_table(self) -> Table:
        if self.table is None:
            raise KibitzError(self.ending.words if self.ending else "The table is not ready yet.")
        return self.table

    # -------------------------------------------------------------- what bots do

    def _go_on(self) -> None:
        """Have a bot start thinking if it is its turn. Bots among themselves play only while somebody watches."""
        table = self.table
        if table is None or self.phase is not Phase.PLAYING or self.thinking or self.pace.waits:
            return
        if not self.is_published:  # a move would follow one that is not saved yet
            return
        bot = self.setting.seats[table.turn].bot
        if bot is not None and (self.people or self.watchers):
            left, clock = self.time_left(table.turn), self.setting.clock
            seconds = None if clock is None or left is None else clock.for_one_move(left)
            move_seconds = MOVE_SECONDS if seconds is None else min(seconds, MOVE_SECONDS)
            self._bots.start(bot, table.view(table.turn, move_seconds, named=True), seconds)

    def _turn_seconds(self) -> float:
        return self._pace_factor * (PLAYED_SECONDS if self.people else WATCHED_SECONDS / self.pace.speed)

    def _bot_moved(self, seat: int, move: int) -> None:
        if self.check_clock():
            return
        self.pace = self.pace.stepped()
        self._move(seat, move)

    def _bot_failed(self, seat: int, error: Exception) -> None:
        self._apply(Failed(seat, sentence(error)))

    # -------------------------------------------------------------- what follows from it

    def _move(self, seat: int, move: int) -> None:
        before = len(self._ready_table().history)
        self._apply(Moved(seat, move), since=before)

    def _apply(self, event: Event, since: int | None = None) -> None:
        """Everything that happens in a game happens here. The plies from `since` on are new."""
        self._playthrough.apply(event)
        if isinstance(event, Moved):
            now = self._clock.now()
            self._seconds[event.seat], self._turn_began = now - self._turn_began, now
            if self.setting.clock is not None:
                left = max(0.0, self._time_left[event.seat] - self._seconds[event.seat])
                self._time_left[event.seat] = self.setting.clock.after_move(left)
            if self.offer is not None and event.seat in self.people and event.seat not in self.offer.agreed:
                self.offer = None  # who moves on does not agree
        if self.over:
            self.offer = None
            self._bots.stop()
            self._bots.dismiss()
        self._position_changed(since)

    def _position_changed(self, since: int | None = None) -> None:
        """What is on the table has changed: the plies from `since` on are new."""
        self._position_version = self.version + 1
        self._is_new_turn = True
        self._changed(since)

    def _changed(self, since: int | None = None) -> None:
        """Have the change saved and then published."""
        if self.history is not None:
            self.history.follow()
            new = len(self.history) if since is None else since
            self.changed_from = new if self.is_published else min(new, self.changed_from)
        self.version += 1
        self.last_used = time.monotonic()
        self._published.clear()
        self.on_change()

    def publish(self) -> None:
        """Everything is saved: notify everyone, and let the next bot think. Only now does a new turn begin."""
        self._published.set()
        if self._is_new_turn:
            self._is_new_turn, self._turn_began = False, self._clock.now()
        self.check_clock()
        for watcher in tuple(self.watchers):
            watcher.room_changed()
        self._go_on()

    def check_clock(self) -> bool:
        """End the game if the player to move has run out of time, and say so; otherwise, look again when they will."""
        left = self.time_left(self.turn) if self.turn != OVER and self.is_published else None
        if left is not None and left <= 0:
            self._apply(TimedOut(self.turn))
            return True
        self._set_alarm(left)
        return False

    def _set_alarm(self, seconds: float | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self.check_clock)

    @property
    def is_published(self) -> bool:
        """Whether people may see the room as it is."""
        return self._published.is_set()

    async def published(self) -> None:
        """Wait until people may see the room as it is."""
        await self._published.wait()

    def join(self, watcher: Watcher) -> None:
        """Somebody begins to watch; bots among themselves go on."""
        self.watchers.add(watcher)
        self._note_presence()
        self._go_on()

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        self._note_presence()
        self.last_used = time.monotonic()

    @property
    def spectators(self) -> int:
        """How many people are connected who do not play."""
        return sum(not self.access(watcher.visitor).seats for watcher in self.watchers)

    def _note_presence(self) -> None:
        """Note who is connected, and tell the others when that has changed."""
        here = {watcher.visitor for watcher in self.watchers}
        absent = {seat for seat in self.people if self._grants.holder(seat) not in here}
        if absent == self._absent_since.keys():
            return
        now = self._clock.now()
        self._absent_since = {seat: self._absent_since.get(seat, now) for seat in absent}
        self.presence += 1
        for watcher in tuple(self.watchers):
            watcher.presence_changed()

    def notify(self, words: str) -> None:
        """Show everyone who is connected a sentence."""
        for watcher in tuple(self.watchers):
            watcher.notify(words)


def sentence(error: BaseException) -> str:
    """An error in words for people. Of one that kibitz did not expect, they learn the type; the log has the rest."""
    if isinstance(error, KibitzError):
        return str(error)
    log.error("Something went wrong.", exc_info=error)
    return f"Something went wrong on the server ({type(error).__name__})."
