"""A room: one game on the server, with the people and bots who play it and everyone who watches.

A room belongs to the event loop. Whatever changes it is saved first (lobby.py); only then it is published: watchers are
notified and ask for what they may see, and the next bot thinks. What happened so far is kept in playthrough.py, bots
move in bot_turns.py, rights.py says who may do what, and snapshots.py what is saved of a room.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
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
from kibitz.web.lanes import Lane
from kibitz.web.offers import Offer, OfferKind
from kibitz.web.pace import USUAL_PACE, Pace
from kibitz.web.playthrough import Phase, Playthrough
from kibitz.web.precompile import Precompiler
from kibitz.web.presence import Presence
from kibitz.web.rights import Rights
from kibitz.web.sentences import sentence
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Seat, Setting
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.summaries import summarize
from kibitz.web.thinking_pool import ThinkingPool
from kibitz.web.turn_times import TurnTimes

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
        self.client = ""  # the address on whose behalf the bots think
        self.last_used = time.monotonic()
        self.leads = True  # whether this server plays the bots and watches the clocks; see peers.py
        self.on_change = self.publish  # called when there is something new; who saves it first takes this over
        self.on_presence: Callable[[], None] = lambda: None  # called when somebody comes or goes
        self.on_event: Callable[[Event], None] = lambda event: None  # called when something happens in the game
        self._playthrough = Playthrough()
        self._grants = Grants()
        self._pool = pool
        self._precompiler = precompiler
        self._pace_factor = pace
        self._bots = BotTurns(
            pool, terms or Terms(), self._turn_seconds, self._bot_moved, self._bot_failed, lambda: self.client
        )
        clock = clock or ServerClock()
        self.times = TurnTimes(len(setting.seats), setting.clock, clock)
        self.presence = Presence(range(len(setting.seats)), clock)
        self._alarm: asyncio.TimerHandle | None = None  # for when the clock of the player to move will have run down
        self._is_new_turn = False  # whether the player to move has not been told yet
        self._position_version = 0  # at which the position last changed
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
        return self.times.thinking() if player == self.turn else self.times.spent[player]

    def time_left(self, player: int) -> float | None:
        """The seconds on a player's clock; None if there are no clocks."""
        if self.setting.clock is None:
            return None
        return self.times.left_now(player, is_thinking=player == self.turn and self.is_published)

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
        return self.presence.absent_for(seat)

    def is_absent(self, seat: int) -> bool:
        """Whether the seat is a person's who is not connected."""
        return self.presence.is_absent(seat) and self.setting.seats[seat].bot is None

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
            self._begin_with(
                *await self._prepared(
                    setting.bot_specs,
                    lambda: Playthrough(_new_table(setting, secret)),
                )
            )
        except Exception as error:
            self._playthrough.apply(Failed(None, sentence(error)))
        self.times.begin_turn()
        self._position_changed()

    async def open_record(self, record: Record) -> None:
        """Show a recorded game; an error when the rules do not allow it."""
        try:
            play = await self._prepared([], lambda: Playthrough.of_record(record, self.setting.game), Lane.SLOW)
            self._begin_with(*play)
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
            turn_began=self.times.began,
            seconds=tuple(self.times.spent),
            clock=setting.clock,
            time_left=tuple(self.times.left),
            pace=self.pace,
            absence=setting.absence,
            offer=self.offer,
            rematch=self.rematch,
            grants=tuple(self._grants),
            is_listed=setting.is_listed,
            given=setting.given,
            summary=summarize(setting, self.ending, self.payoff(), self.plies),
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
        leads: bool = True,
    ) -> Room:
        """Restore the room that a snapshot was taken of: same position, same seats, same bot to move.

        An error says why it cannot be restored: the game or a bot is not available any more, the rules have changed, or
        the snapshot contradicts itself.
        """
        setting = snapshot.setting(catalogue)
        room = cls(setting, pool, precompiler, pace, terms, clock)
        room.id = snapshot.id
        await room.go_on_from(snapshot, setting)
        if leads:
            await room.lead()
        else:
            room.follow()
        return room

    async def go_on_from(self, snapshot: RoomSnapshot, setting: Setting) -> None:
        """Become what a snapshot was taken of, with all that another server has saved in the meantime."""
        begun: tuple[Playthrough, GameHistory | None] | None = None
        if not snapshot.is_unopened:
            begin = partial(Playthrough.restore, snapshot.table, snapshot.events, snapshot.ending, setting.game)
            begun = await self._prepared([] if snapshot.ending else setting.bot_specs, begin, patient=True)
        self._bots.stop()
        if snapshot.events[: len(self.events)] != self.events:
            self._bots.dismiss()  # they must not remember what was taken back
        plies = self.plies
        self.setting, self.version, self.pace = setting, snapshot.version, snapshot.pace
        self._position_version = snapshot.version
        self._grants = Grants(snapshot.grants)
        self.offer, self.rematch = snapshot.offer, snapshot.rematch
        self.times.go_on(snapshot.turn_began, list(snapshot.seconds), list(snapshot.time_left))
        self._is_new_turn = False
        if begun is not None:
            self._begin_with(*begun)
            self.changed_from = min(plies, self.plies)
        self._note_presence()

    async def _prepared(
        self,
        bots: Sequence[str],
        begin: Callable[[], Playthrough],
        lane: Lane = Lane.QUICK,
        patient: bool = False,
    ) -> tuple[Playthrough, GameHistory | None]:
        """Get ready what the game needs, and set up the table in a thread."""

        def set_up(stop: threading.Event) -> tuple[Playthrough, GameHistory | None]:
            playthrough = begin()
            return playthrough, None if playthrough.table is None else GameHistory(playthrough.table)

        await self._precompiler.prepare(self.setting.game, bots, patient)
        return await self._pool.run(set_up, lane, self.client)

    def _begin_with(self, playthrough: Playthrough, history: GameHistory | None) -> None:
        self._playthrough, self.history = playthrough, history
        self.changed_from = self.plies

    async def lead(self) -> None:
        """From now on, this server plays the bots here and watches the clocks."""
        self.leads = True
        if self.phase is Phase.PREPARING:
            await self.open()
        else:
            self._go_on()
            self.check_clock()

    def follow(self) -> None:
        """From now on, another server does."""
        self.leads = False
        self._bots.stop()
        self._set_alarm(None)

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
        self.times.begin_turn()
        self._apply(TookBack(moves))

    def redo(self, access: Access) -> None:
        """Make the moves again that were last taken back, up to the next decision."""
        if not self.rights(access).may_redo:
            raise KibitzError("There is nothing that you could do again.")
        self._bots.stop()
        again = True
        while again:
            self._move(self.undone[0].seat, self.undone[0].move)
            again = bool(self.undone) and not self._is_decision(access)

    @property
    def undone(self) -> tuple[Moved, ...]:
        """The moves that were taken back and can be made again."""
        return self._playthrough.undone

    def _is_decision(self, access: Access) -> bool:
        """Whether somebody with such access has a choice now."""
        table = self._ready_table()
        return table.turn in access.seats and len(table.moves) > 1

    def _moves_since_decision(self, access: Access) -> int:
        """How many moves have been made since a person last had a choice, that one included."""
        table, history = self._ready_table(), self.history
        assert history is not None
        played = range(len(self.setting.given), len(table.history))
        own = [index for index in played if table.history[index].turn in access.seats]
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
        self.on_presence()
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
            self.times.begin_turn()

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
        if not self.leads or table is None or self.phase is not Phase.PLAYING or self.thinking or self.pace.waits:
            return
        if not self.is_published:  # a move would follow one that is not saved yet
            return
        bot = self.setting.seats[table.turn].bot
        if bot is not None and (self.people or self.watchers or self.presence.spectators_elsewhere):
            seconds = self.times.for_one_move(self.time_left(table.turn))
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
        self.on_event(event)
        if isinstance(event, Moved):
            self.times.end_turn(event.seat)
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
            self._is_new_turn = False
            self.times.begin_turn()
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
        self._set_alarm(left if self.leads else None)
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
        self.on_presence()
        self._go_on()

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        self._note_presence()
        self.on_presence()
        self.last_used = time.monotonic()

    @property
    def spectators(self) -> int:
        """How many people are connected who do not play."""
        return self.present_here()[1] + self.presence.spectators_elsewhere

    def _note_presence(self) -> None:
        """Note who is connected, and tell the others when that has changed."""
        seats, _ = self.present_here()
        if self.presence.note(set(self.people) - set(seats) - self.presence.seats_elsewhere):
            for watcher in tuple(self.watchers):
                watcher.presence_changed()

    def present_here(self) -> tuple[tuple[int, ...], int]:
        """The seats of the players who are connected to this server, and how many spectators are."""
        access = [self.access(watcher.visitor) for watcher in self.watchers]
        seats = {seat for one in access for seat in one.seats}
        return tuple(sorted(seats)), sum(not one.seats for one in access)

    def heard_from(self, server: str, seats: Sequence[int], spectators: int) -> None:
        """Another server says who is connected to it."""
        self.presence.heard(server, seats, spectators)
        self._note_presence()
        self._go_on()

    def forget_server(self, server: str) -> None:
        """Another server is gone."""
        self.presence.forget(server)
        self._note_presence()

    def notify(self, words: str) -> None:
        """Show everyone who is connected a sentence."""
        for watcher in tuple(self.watchers):
            watcher.notify(words)


def _new_table(setting: Setting, secret: str | None) -> Table:
    return Table(setting.game, setting.seed, seats=setting.recorded_names, given=setting.given, secret=secret)
