"""Rooms: a Table, who sits there, who looks on, and what may be done by whom.

A room belongs to the event loop. Threads are handed a bot and its View and return a move, nothing else. Those who look
on are told that something has changed, and then ask for what they may see.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kibitz.arena.isolation import IsolatedBot, make_player
from kibitz.arena.match import answer
from kibitz.bots import Player
from kibitz.errors import IllegalMove, KibitzError
from kibitz.game import NOBODY, OVER, Game
from kibitz.records.record import Record
from kibitz.spec import parse_spec
from kibitz.table import Table, View
from kibitz.web.catalogue import Chosen
from kibitz.web.story import Story
from kibitz.web.thinking import Pool, Thought
from kibitz.web.warm import Preparation

MOVE_SECONDS = 20.0  # for any bot; those that ship think for a few seconds at most
PACE = 0.6  # seconds from one move of a bot to the next where people look on …
PACE_AT_TABLE = 0.25  # … and where they play themselves
SLOWEST, FASTEST = 0.1, 20.0
LARGEST_SEED = 2**53  # up to here JavaScript's numbers are whole


@dataclass(frozen=True)
class Seat:
    """Who plays: a person, or a bot."""

    name: str
    colour: int
    bot: Chosen | None = None
    chosen: bool = False  # whether the colour was asked for; else a game may have one of its own


@dataclass(frozen=True)
class Setting:
    """All that makes a game: a rematch begins with the same."""

    game: Game
    spec: str  # as browsers name the game
    title: str
    seats: tuple[Seat, ...]
    seed: int | str


@dataclass(frozen=True)
class Access:
    """What a token gives its holder: seats to play, and whether to pause bots that play among themselves."""

    seats: tuple[int, ...] = ()
    host: bool = False


SPECTATOR = Access()


class Onlooker(Protocol):
    """Somebody who wants to know when something changes."""

    def room_changed(self) -> None: ...


class Room:
    """One game on the server."""

    def __init__(self, setting: Setting, pool: Pool, preparation: Preparation, pace: float = 1.0) -> None:
        """`pace` stretches the time that bots take at least; 0: none."""
        self.id = secrets.token_urlsafe(9)
        self.setting = setting
        self.people = tuple(player for player, seat in enumerate(setting.seats) if seat.bot is None)
        self.tokens: dict[str, Access] = {}
        self.table: Table | None = None  # until the rules are compiled
        self.story: Story | None = None
        self.version = 0
        self.fresh = 0  # how many plies had been played before the last change
        self.waiting: str | None = None
        self.resigned: int | None = None
        self.fault = ""  # why the game cannot go on
        self.closed = False  # a record: nothing is played here any more
        self.paused = False
        self.speed = 1.0
        self.onlookers: set[Onlooker] = set()
        self.last_used = time.monotonic()
        self._pool = pool
        self._preparation = preparation
        self._pace = pace
        self._players: dict[int, Player] = {}
        self._turn_began = time.monotonic()
        self._spent: dict[int, float] = {}  # by each seat, on its last move
        self._task: asyncio.Task[None] | None = None  # the bot that is to move
        self._thought: Thought[int] | None = None  # what a thread does for it
        self._stepping = False
        self._leaving: set[asyncio.Task[None]] = set()

    # -------------------------------------------------------------- who may do what

    def admit(self, access: Access) -> str:
        """A token for somebody."""
        token = secrets.token_urlsafe(18)
        self.tokens[token] = access
        return token

    def access(self, token: str | None) -> Access:
        """What a token gives; without one, one may look on."""
        return self.tokens.get(token or "", SPECTATOR)

    def is_alone(self, access: Access) -> bool:
        """Whether nobody else plays but bots."""
        return bool(access.seats) and set(self.people) <= set(access.seats)

    def may_analyse(self, access: Access) -> bool:
        """Finished games are open to all; before, whoever plays alone against bots hurts nobody."""
        return self.table is not None and (self.over or (self.is_alone(access) and len(self.people) == 1))

    def may_steer(self, access: Access) -> bool:
        """Whether to pause, go on, and choose the speed: of bots among themselves."""
        return access.host and not self.people and not self.over

    def may_undo(self, access: Access) -> bool:
        if self.table is None or self.closed or self.resigned is not None or not self.is_alone(access):
            return False
        return any(ply.turn in access.seats for ply in self.table.history)

    def may_resign(self, access: Access) -> bool:
        return self.table is not None and not self.over and bool(access.seats)

    def may_hint(self, access: Access) -> bool:
        return self.may_analyse(access) and not self.over and self.turn in access.seats

    def may_rematch(self, access: Access) -> bool:
        return not self.closed and (access.host or self.is_alone(access))

    # -------------------------------------------------------------- how it stands

    @property
    def over(self) -> bool:
        """Whether nothing more will be played."""
        ended = self.closed or self.resigned is not None or bool(self.fault)
        return ended or (self.table is not None and self.table.over)

    @property
    def turn(self) -> int:
        """Who is to act, or OVER."""
        return OVER if self.over or self.table is None else self.table.turn

    @property
    def thinking(self) -> bool:
        """Whether a bot is at work."""
        return self._task is not None

    def seconds(self, player: int) -> float:
        """How long a player has thought about this move; about the last one, when it is not its turn."""
        return time.monotonic() - self._turn_began if player == self.turn else self._spent.get(player, 0.0)

    def payoff(self) -> list[float] | None:
        """Each player's share of the win, once that is known: who resigned leaves it to the others."""
        if self.resigned is not None:
            others = len(self.setting.seats) - 1
            return [0.0 if p == self.resigned else 1 / max(others, 1) for p in range(others + 1)]
        return self.table.payoff() if self.table is not None and self.table.over else None

    def score(self) -> list[float] | None:
        """What the game counts, at the end of those that count something."""
        if self.table is None or not self.table.over or not type(self.table.game).defines("score"):
            return None
        return self.table.score()

    def record(self) -> Record:
        """The game to keep, once it is over."""
        if not self.over:
            raise KibitzError("The record of a game is there when it is over.")
        return replace(self._table().record(), game=self.setting.spec)

    def viewer(self, access: Access) -> int:
        """Through whose eyes the table is shown: of several own seats, the one that is to move."""
        if len(access.seats) == 1:
            return access.seats[0]
        if self.turn in access.seats:
            return self.turn
        hidden = self.setting.game.has_hidden_information and not self.over
        return NOBODY if hidden or not access.seats else access.seats[0]

    # -------------------------------------------------------------- opening

    async def open(self) -> None:
        """Begin the game, once its rules and bots are compiled."""
        specs = [seat.bot.spec for seat in self.setting.seats if seat.bot]
        await self._furnish(specs, lambda: Table(self.setting.game, self.setting.seed, seats=self._names()))

    async def open_record(self, record: Record) -> None:
        """Show a recorded game; an error when the rules do not allow it."""
        self.closed = True
        await self._furnish([], lambda: Table.replay(record, self.setting.game))
        if self.fault:
            raise KibitzError(self.fault)

    async def _furnish(self, bots: Sequence[str], make_table: Callable[[], Table]) -> None:
        if not self._preparation.is_ready(self.setting.game, bots):
            self.waiting = "Preparing the rules and the bots; the first time this takes some seconds …"

        def furnish() -> tuple[Table, Story]:
            self._preparation.prepare(self.setting.game, bots)
            table = make_table()
            return table, Story(table)

        try:
            self.table, self.story = await self._pool.run(furnish)
        except Exception as error:
            self.fault = sentence(error)
        self.waiting = None
        self.changed()

    def _names(self) -> tuple[str, ...]:
        """Who sits where, as records tell it: specs, but not where the files of this machine are."""
        bots = [seat.bot for seat in self.setting.seats]
        return tuple("human" if bot is None else bot.title if parse_spec(bot.spec).file else bot.spec for bot in bots)

    # -------------------------------------------------------------- what people do

    def play(self, access: Access, move: int, version: int) -> None:
        """A person's move."""
        table = self._table()
        if not access.seats:
            raise IllegalMove("You are watching; only those who sit at the table can move.")
        if self.over:
            raise IllegalMove("The game is over.")
        if table.turn not in access.seats:
            raise IllegalMove("It is not your turn.")
        if version != self.version:
            raise IllegalMove("The table has changed since you looked; choose again.")
        self._make(move, table.turn)

    def undo(self, access: Access) -> None:
        """Go back to the last choice that the person had."""
        if not self.may_undo(access):
            raise KibitzError("There is nothing that you could take back.")
        table = self._table()
        self._stop_thinking()
        table.undo()
        while not self._is_choice(access) and any(ply.turn in access.seats for ply in table.history):
            table.undo()
        self.fault = ""
        self._dismiss()  # the bots must not know what was taken back
        self._turn_began = time.monotonic()
        self.changed()

    def _is_choice(self, access: Access) -> bool:
        table = self._table()
        return table.turn in access.seats and len(table.moves()) > 1

    def resign(self, access: Access) -> None:
        """Give up: the others share the win."""
        if not self.may_resign(access):
            raise KibitzError("There is no game that you could resign.")
        self._stop_thinking()
        self.resigned = self.turn if self.turn in access.seats else access.seats[0]
        self.changed()

    def pause(self, access: Access, on: bool) -> None:
        """Have bots that play among themselves wait, or go on."""
        self._check_steering(access)
        self.paused, self._stepping = on, False
        if on:
            self._stop_thinking()
        self.changed()

    def step(self, access: Access) -> None:
        """Have one bot make one move, and then wait."""
        self._check_steering(access)
        self.paused = self._stepping = True
        self.changed()

    def set_speed(self, access: Access, speed: float) -> None:
        self._check_steering(access)
        self.speed = min(max(speed, SLOWEST), FASTEST)
        self.changed()

    def _check_steering(self, access: Access) -> None:
        if not self.may_steer(access):
            raise KibitzError("Only a game of bots can be paused and stepped through, by whoever set it up.")

    def again(self) -> Setting:
        """What a rematch begins with: the same, and other luck."""
        return replace(self.setting, seed=new_seed())

    def _table(self) -> Table:
        if self.table is None:
            raise KibitzError(self.fault or "The table is not ready yet.")
        return self.table

    # -------------------------------------------------------------- what bots do

    def join(self, onlooker: Onlooker) -> None:
        """Somebody looks on: bots that play among themselves begin."""
        self.onlookers.add(onlooker)
        self._go_on()

    def leave(self, onlooker: Onlooker) -> None:
        self.onlookers.discard(onlooker)
        self.last_used = time.monotonic()

    def changed(self, since: int | None = None) -> None:
        """Tell those who look on, and have the next bot think. The plies from `since` on have just been played."""
        if self.story is not None:
            self.story.follow()
            self.fresh = len(self.story) if since is None else since
        self.version += 1
        self.last_used = time.monotonic()
        for onlooker in tuple(self.onlookers):
            onlooker.room_changed()
        self._go_on()

    def _go_on(self) -> None:
        if self.table is None or self.over or self._task or self.table.turn in self.people:
            return
        if (self.paused and not self._stepping) or not (self.people or self.onlookers):
            return
        self._task = asyncio.create_task(self._bot_moves(self.table.turn))

    async def _bot_moves(self, player: int) -> None:
        """Let a bot think and make its move. Whatever goes wrong is told at the table."""
        chosen = self.setting.seats[player].bot
        assert chosen is not None
        began = time.monotonic()
        try:
            if self._thought is not None:
                await self._thought.ended()  # before an undo or a pause, perhaps by the same bot
            view, players = self._table().view(player, MOVE_SECONDS), self._players
            self._thought = self._pool.start(lambda: _answer(players, chosen, view))
            move = await asyncio.shield(self._thought.result)
            pace = PACE_AT_TABLE if self.people else PACE / self.speed
            await asyncio.sleep(max(0.0, self._pace * pace - (time.monotonic() - began)))
            self._task = None
            self._stepping = False
            self._make(move, player)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._task = None
            self.fault = sentence(error)
            self.changed()

    def _make(self, move: int, player: int) -> None:
        table = self._table()
        before = len(table.history)
        table.play(move, player)
        now = time.monotonic()
        self._spent[player], self._turn_began = now - self._turn_began, now
        if self.over:
            self._dismiss()
        self.changed(since=before)

    def _stop_thinking(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._thought is not None:
            self._thought.stop()

    def _dismiss(self) -> None:
        """Send the bots away, those that think in a process of their own once they are done."""
        players, self._players = self._players, {}
        isolated = [player for player in players.values() if isinstance(player, IsolatedBot)]
        if isolated:
            leaving = asyncio.create_task(_send_away(isolated, self._thought))
            self._leaving.add(leaving)  # or nothing would hold on to it
            leaving.add_done_callback(self._leaving.discard)

    def close(self) -> None:
        """End all that goes on here."""
        self._stop_thinking()
        self._dismiss()


async def _send_away(players: Sequence[IsolatedBot], thought: Thought[int] | None) -> None:
    """End the processes of bots, once no thread asks them any more."""
    if thought is not None:
        await thought.ended()
    for player in players:
        player.close()


def _answer(players: dict[int, Player], chosen: Chosen, view: View) -> int:
    """A bot's move; in a thread, since to make a bot may take a while too."""
    bot = players.get(view.player)
    if bot is None:
        bot = players[view.player] = make_player(chosen.spec, view.game, MOVE_SECONDS)
    return answer(view, bot, chosen.title)


def sentence(error: BaseException) -> str:
    """An error in words for people."""
    return str(error) if isinstance(error, KibitzError) else f"{type(error).__name__}: {error}"


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(LARGEST_SEED)
