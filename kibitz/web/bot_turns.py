"""How the bots of a room make their moves: one at a time, each in a thread of the pool.

A bot that thinks for long has a process of its own, and the thread only waits for it (thinking_process.py). A thread is
handed a bot and its View and returns a move, nothing else. The View has a copy of the seat's random stream,
and only a move that is made moves the stream on: a thought that is broken off leaves no trace.
"""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

from kibitz.compiler import running_time
from kibitz.players.bot import Player
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.limit import Limit
from kibitz.players.process_bot import ProcessBot
from kibitz.players.roster import Entrant, resolve
from kibitz.players.seating import Terms, make_player
from kibitz.players.turns import ask
from kibitz.table import View
from kibitz.web.background import BackgroundWork
from kibitz.web.bot_memory import array_bytes
from kibitz.web.catalogue import ChosenBot
from kibitz.web.lanes import Lane
from kibitz.web.thinking_pool import Job, ThinkingPool
from kibitz.web.thinking_process import ThinkingProcess, Thought

MOVE_SECONDS = 20.0  # for any bot; those that ship with kibitz think for a few seconds at most


Seated: TypeAlias = Player | ThinkingProcess  # who plays a seat: quick bots in this process, slow ones in their own


class BotGame(Protocol):
    """A game in which bots play."""

    client: str  # on whose behalf they play

    def turn_seconds(self) -> float:
        """The least time that a turn takes."""

    def bot_moved(self, seat: int, move: int) -> None:
        """A bot has chosen its move."""

    def bot_failed(self, seat: int, error: Exception) -> None:
        """A bot cannot go on."""


class BotTurns:
    """The bots of a room. Each is made when it is first asked for a move."""

    def __init__(
        self,
        pool: ThinkingPool,
        terms: Terms,
        game: BotGame,
    ) -> None:
        self._pool = pool
        self._terms = replace(terms, move_time=MOVE_SECONDS)
        self._game = game
        self._entrants: dict[ChosenBot, Entrant] = {}
        self._players: dict[int, Seated] = {}
        self._thoughts: dict[int, float] = {}  # the seconds that each seat's last choice took, in games with secrets
        self._turn: asyncio.Task[None] | None = None
        self._job: Job[Thought] | None = None  # the last thread's work, which may go on for a while after its turn
        self._leaving = BackgroundWork()

    @property
    def thinking(self) -> bool:
        """Whether a bot's turn is in progress."""
        return self._turn is not None

    @property
    def memory(self) -> int:
        """The bytes of memory that the bots use, in this process or in their own."""
        players = self._players.values()
        return sum(
            player.memory if isinstance(player, ThinkingProcess) else array_bytes(player)
            for player in players
            if not isinstance(player, CompiledPlayer | ProcessBot)  # which keep nothing, or somewhere else
        )

    def start(self, bot: ChosenBot, view: View, seconds: float | None = None) -> None:
        """Have a bot take its turn. After so many seconds, a search is stopped and plays the best it has found."""
        self._turn = asyncio.create_task(self._take_turn(bot, view, seconds))

    def stop(self) -> None:
        """Break off the turn in progress, if there is one."""
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        if self._job is not None:
            self._pool.stop(self._job)

    def dismiss(self) -> None:
        """Send the bots away; those that play on are new. Processes end once no thread uses them."""
        self._pool.memory.forget(self)
        players, self._players = self._players, {}
        isolated = [player for player in players.values() if isinstance(player, ProcessBot | ThinkingProcess)]
        if isolated:
            self._leaving.start(_end_processes(isolated, self._job))

    async def _take_turn(self, bot: ChosenBot, view: View, seconds: float | None) -> None:
        began, seat = time.monotonic(), view.player
        try:
            if self._job is not None:
                await self._job.ended()  # it was broken off, and may use the same bot
            rng = copy.copy(view.rng)
            thought = await self._think(bot, replace(view, rng=rng), seconds)
            delay = self._least_seconds(view, time.monotonic() - began)
            await _rest((delay if seconds is None else min(delay, seconds)) - (time.monotonic() - began))
            self._turn = None
            view.rng.setstate(rng.getstate())
            self._game.bot_moved(seat, thought.move)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._turn = None
            self._game.bot_failed(seat, error)

    async def _think(self, bot: ChosenBot, view: View, seconds: float | None) -> Thought:
        """Have a thread choose a move; after so many seconds, the best that the bot has found by then."""
        if bot not in self._entrants:
            self._entrants[bot] = await asyncio.to_thread(resolve, bot.spec, view.game)
        entrant, client = self._entrants[bot], self._game.client
        lane = self._pool.times.lane(entrant)
        work = partial(_choose, self._players, self._terms, self._pool.niceness, entrant, bot.title, view, lane)
        self._job = job = self._pool.start(work, lane, client)
        if seconds is not None:
            await asyncio.wait([job.result], timeout=seconds)
            self._pool.hurry(job)
        thought = await asyncio.shield(job.result)
        self._pool.times.note(entrant, thought.seconds)
        if not isinstance(self._players.get(view.player), CompiledPlayer):
            self._pool.memory.thought(self, client)
        return thought

    def _least_seconds(self, view: View, thought: float) -> float:
        """How long a turn has to take. Where moves are hidden, a forced one takes as long as the bot's last choice:
        otherwise its pace would tell the others what it holds."""
        delay = self._game.turn_seconds()
        if view.game.has_hidden_information:
            if len(view.moves) > 1:
                self._thoughts[view.player] = thought
            else:
                delay = max(delay, self._thoughts.get(view.player, 0.0))
        return delay


async def _rest(seconds: float) -> None:
    await asyncio.sleep(max(0.0, seconds))


async def _end_processes(players: Sequence[ProcessBot | ThinkingProcess], job: Job[Thought] | None) -> None:
    if job is not None:
        await job.ended()
    for player in players:
        await asyncio.to_thread(player.close)  # it takes a while to free much memory


def _choose(
    players: dict[int, Seated],
    terms: Terms,
    niceness: int,
    entrant: Entrant,
    title: str,
    view: View,
    lane: Lane,
    stop: threading.Event,
) -> Thought:
    """A bot's move; called in a thread, because making a bot may take a while, too."""
    began = running_time()  # does not count code that is loaded
    player = players.get(view.player)
    if player is None or (lane is Lane.ELSEWHERE and not isinstance(player, ThinkingProcess | ProcessBot)):
        player = players[view.player] = _seated(entrant, terms, niceness, lane)
    if isinstance(player, ThinkingProcess):
        if thought := player.ask(view, title, stop):
            return thought
        player = make_player(entrant, terms)  # there was no time to start the process; this one just plays anything
    move = ask(view, player, title, Limit(stop=stop))
    return Thought(move, running_time() - began)


def _seated(entrant: Entrant, terms: Terms, niceness: int, lane: Lane) -> Seated:
    if lane is Lane.ELSEWHERE and entrant.is_shipped:
        return ThinkingProcess(entrant, niceness, int(terms.memory * 1e9))
    return make_player(entrant, terms)
