"""A room: one game on the server, with the people and bots who play it and everyone who watches.

A room belongs to the event loop. Whatever changes it is saved first (lobby.py); only then it is published: watchers are
notified and ask for what they may see, and the next bot thinks. How the game stands is kept in room_state.py, who is
connected in audience.py; bots move in bot_turns.py, rights.py says who may do what, and room_opener.py opens rooms.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace

from kibitz.errors import IllegalMove, KibitzError
from kibitz.players.seating import Terms
from kibitz.rules.contract import OVER
from kibitz.web.access import Access
from kibitz.web.audience import Audience, Watcher
from kibitz.web.bot_turns import MOVE_SECONDS, BotTurns
from kibitz.web.catalogue import ChosenBot
from kibitz.web.events import Abandoned, Agreed, Event, Failed, Moved, Resigned, TimedOut, TookBack
from kibitz.web.history import GameHistory
from kibitz.web.offers import Offer, OfferKind
from kibitz.web.pace import Pace
from kibitz.web.playthrough import Phase, Playthrough
from kibitz.web.rights import Rights
from kibitz.web.room_state import RoomState
from kibitz.web.sentences import sentence
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Seat, Setting
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.thinking_pool import ThinkingPool

WATCHED_SECONDS = 0.6  # the minimum time of a bot's turn, in a game of bots at speed 1 …
PLAYED_SECONDS = 0.25  # … and in a game with people


class Room(RoomState):
    """One game on the server."""

    def __init__(
        self,
        setting: Setting,
        pool: ThinkingPool,
        pace: float = 1.0,
        terms: Terms | None = None,
        clock: ServerClock | None = None,
    ) -> None:
        """`pace` multiplies the minimum time of a bot's turn; 0: bots move as soon as they can."""
        clock = clock or ServerClock()
        super().__init__(setting, clock)
        me = weakref.proxy(self)  # a room is large: once it is closed, nothing of its own may keep it
        self.audience = Audience(me, clock)
        self.client = ""  # the address on whose behalf the bots think
        self.last_used = time.monotonic()
        self.leads = True  # whether this server plays the bots and watches the clocks; see peers.py
        self.opening_rematch = asyncio.Lock()
        self.changed_from = 0  # how many plies had been played before what was last published
        self.on_change = self.publish  # called when there is something new; who saves it first takes this over
        self.on_presence: Callable[[Room], None] = lambda room: None  # called when somebody comes or goes
        self.on_event: Callable[[Room, Event], None] = lambda room, event: None  # called when something happens
        self._pace_factor = pace
        self._bots = BotTurns(pool, terms or Terms(), me)
        self._alarm: asyncio.TimerHandle | None = None  # for when the clock of the player to move will have run down
        self._is_new_turn = False  # whether the player to move has not been told yet
        self._position_version = 0  # at which the position last changed
        self._published = asyncio.Event()
        self._published.set()

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

    def rights(self, access: Access) -> Rights:
        """What somebody with such access may do now."""
        return Rights(self, access)

    def admit(self, visitor: str, access: Access) -> None:
        """Give somebody access."""
        self._grants.give(visitor, access)
        self._changed()

    def admit_all(self, room: Room) -> None:
        """Give everybody the access that they have in another room."""
        for grant in room._grants:
            self._grants.give(grant.visitor, Access(grant.seats, grant.host))
        self._changed()

    # -------------------------------------------------------------- beginning, and going on from what was saved

    def begin(self, playthrough: Playthrough, history: GameHistory | None) -> None:
        """The rules and the bots are compiled: the game begins."""
        self._put_on_table(playthrough, history)
        self.times.begin_turn()
        self._position_changed()

    def cannot_begin(self, error: Exception) -> None:
        """End the game before its first move."""
        self._apply(Failed(None, sentence(error)))

    def go_on_from(
        self, snapshot: RoomSnapshot, setting: Setting, played: tuple[Playthrough, GameHistory | None] | None
    ) -> None:
        """Become what a snapshot was taken of, with all that another server has saved in the meantime.

        `played` is the game as far as it was played; None if it has not begun.
        """
        self._bots.stop()
        if snapshot.events[: len(self.events)] != self.events:
            self._bots.dismiss()  # they must not remember what was taken back
        plies = self.plies
        self._take_over(snapshot, setting)
        self._position_version = snapshot.version
        self._is_new_turn = False
        if played is not None:
            self._put_on_table(*played)
            self.changed_from = min(plies, self.plies)
        self.audience.note_presence()

    def _put_on_table(self, playthrough: Playthrough, history: GameHistory | None) -> None:
        self._playthrough, self.history = playthrough, history
        self.changed_from = self.plies

    def lead(self) -> None:
        """From now on, this server plays the bots here and watches the clocks."""
        self.leads = True
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
        for watcher in tuple(self.audience.watchers):
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
        assert self.history is not None
        moves = self.history.moves_since_choice(access.seats)
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

    def _is_decision(self, access: Access) -> bool:
        """Whether somebody with such access has a choice now."""
        table = self._ready_table()
        return table.turn in access.seats and len(table.moves) > 1

    def resign(self, access: Access) -> None:
        """Give up; the others share the win, or the rest of the utilities."""
        if not self.rights(access).may_resign:
            raise KibitzError("There is no game that you can resign.")
        self._apply(Resigned(self.turn if self.turn in access.seats else access.seats[0]))

    def take_seat(self, visitor: str, name: str, seat: int | None = None) -> int:
        """Give somebody an open seat, the first one if they do not mind which; its number."""
        if self.access(visitor).seats:
            raise KibitzError("You already have a seat at this table.")
        self._ready_table()
        if self.phase is not Phase.GATHERING:
            raise KibitzError("All seats at this table are taken; you can watch.")
        chosen = self.setting.open_seats[0] if seat is None else seat
        if chosen not in self.setting.open_seats:
            raise KibitzError("This seat is taken; please choose another one.")
        self._seat(chosen, replace(self.setting.seats[chosen], name=name, is_open=False))
        self._grants.give(visitor, replace(self.access(visitor), seats=(chosen,)))
        self.audience.note_presence()  # they are connected already, if they came by the page
        self.on_presence(self)
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
        self.audience.note_presence()
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

    # -------------------------------------------------------------- what bots do

    def _go_on(self) -> None:
        """Have a bot start thinking if it is its turn. Bots among themselves play only while somebody watches."""
        table = self.table
        if not self.leads or table is None or self.phase is not Phase.PLAYING or self.thinking or self.pace.waits:
            return
        if not self.is_published:  # a move would follow one that is not saved yet
            return
        bot = self.setting.seats[table.turn].bot
        if bot is not None and (self.people or self.audience.is_watching):
            seconds = self.times.for_one_move(self.time_left(table.turn))
            move_seconds = MOVE_SECONDS if seconds is None else min(seconds, MOVE_SECONDS)
            self._bots.start(bot, table.view(table.turn, move_seconds, named=True), seconds)

    def turn_seconds(self) -> float:
        """The least time that a bot's turn takes."""
        return self._pace_factor * (PLAYED_SECONDS if self.people else WATCHED_SECONDS / self.pace.speed)

    def bot_moved(self, seat: int, move: int) -> None:
        """Make a bot's move."""
        if self.check_clock():
            return
        self.pace = self.pace.stepped()
        self._move(seat, move)

    def bot_failed(self, seat: int, error: Exception) -> None:
        """End the game because a bot cannot go on."""
        self._apply(Failed(seat, sentence(error)))

    # -------------------------------------------------------------- what follows from it

    def _move(self, seat: int, move: int) -> None:
        before = len(self._ready_table().history)
        self._apply(Moved(seat, move), since=before)

    def _apply(self, event: Event, since: int | None = None) -> None:
        """Everything that happens in a game happens here. The plies from `since` on are new."""
        self._playthrough.apply(event)
        self.on_event(self, event)
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
        for watcher in tuple(self.audience.watchers):
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
        self.audience.join(watcher)
        self.on_presence(self)
        self._go_on()

    def leave(self, watcher: Watcher) -> None:
        self.audience.leave(watcher)
        self.on_presence(self)
        self.last_used = time.monotonic()

    def heard_from(self, server: str, seats: Sequence[int], spectators: int) -> None:
        """Another server says who is connected to it."""
        self.audience.heard_from(server, seats, spectators)
        self._go_on()
