"""How the bots of a room make their moves: one at a time, each in a thread of the pool.

A thread is handed a bot and its View and returns a move, nothing else. The View has a copy of the seat's random stream,
and only a move that is made moves the stream on: a thought that is broken off leaves no trace.
"""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from kibitz.players.bot import Player
from kibitz.players.limit import Limit
from kibitz.players.process_bot import ProcessBot
from kibitz.players.roster import resolve
from kibitz.players.seating import Terms, make_player
from kibitz.players.turns import ask
from kibitz.table import View
from kibitz.web.catalogue import ChosenBot
from kibitz.web.thinking_pool import Job, ThinkingPool

MOVE_SECONDS = 20.0  # for any bot; those that ship with kibitz think for a few seconds at most


class BotTurns:
    """The bots of a room. Each is made when it is first asked for a move."""

    def __init__(
        self,
        pool: ThinkingPool,
        terms: Terms,
        delay: Callable[[], float],
        moved: Callable[[int, int], None],
        failed: Callable[[int, Exception], None],
    ) -> None:
        """A turn takes at least `delay()` seconds, then `moved(seat, move)` is called, or `failed(seat, error)`."""
        self._pool = pool
        self._terms = replace(terms, move_time=MOVE_SECONDS)
        self._delay = delay
        self._moved = moved
        self._failed = failed
        self._players: dict[int, Player] = {}
        self._thoughts: dict[int, float] = {}  # the seconds that each seat's last choice took, in games with secrets
        self._turn: asyncio.Task[None] | None = None
        self._job: Job[int] | None = None  # the last thread's work, which may go on for a while after its turn
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def thinking(self) -> bool:
        """Whether a bot's turn is in progress."""
        return self._turn is not None

    def start(self, bot: ChosenBot, view: View, seconds: float | None = None) -> None:
        """Have a bot take its turn. After so many seconds, a search is stopped and plays the best it has found."""
        self._turn = asyncio.create_task(self._take_turn(bot, view, seconds))

    def stop(self) -> None:
        """Break off the turn in progress, if there is one."""
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        if self._job is not None:
            self._job.stop()

    def dismiss(self) -> None:
        """Send the bots away; those that play on are new. Processes end once no thread uses them."""
        players, self._players = self._players, {}
        isolated = [player for player in players.values() if isinstance(player, ProcessBot)]
        if isolated:
            leaving = asyncio.create_task(_end_processes(isolated, self._job))
            self._leaving.add(leaving)  # the event loop itself keeps only a weak reference
            leaving.add_done_callback(self._leaving.discard)

    async def _take_turn(self, bot: ChosenBot, view: View, seconds: float | None) -> None:
        began, seat = time.monotonic(), view.player
        try:
            if self._job is not None:
                await self._job.ended()  # it was broken off, and may use the same bot
            rng = copy.copy(view.rng)
            self._job = self._pool.start(partial(_choose, self._players, self._terms, bot, replace(view, rng=rng)))
            if seconds is not None:
                await asyncio.wait([self._job.result], timeout=seconds)
                self._job.stop()
            move = await asyncio.shield(self._job.result)
            delay = self._least_seconds(view, time.monotonic() - began)
            await _rest((delay if seconds is None else min(delay, seconds)) - (time.monotonic() - began))
            self._turn = None
            view.rng.setstate(rng.getstate())
            self._moved(seat, move)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._turn = None
            self._failed(seat, error)

    def _least_seconds(self, view: View, thought: float) -> float:
        """How long a turn has to take. Where moves are hidden, a forced one takes as long as the bot's last choice:
        otherwise its pace would tell the others what it holds."""
        delay = self._delay()
        if view.game.has_hidden_information:
            if len(view.moves) > 1:
                self._thoughts[view.player] = thought
            else:
                delay = max(delay, self._thoughts.get(view.player, 0.0))
        return delay


async def _rest(seconds: float) -> None:
    await asyncio.sleep(max(0.0, seconds))


async def _end_processes(players: Sequence[ProcessBot], job: Job[int] | None) -> None:
    if job is not None:
        await job.ended()
    for player in players:
        player.close()


def _choose(players: dict[int, Player], terms: Terms, bot: ChosenBot, view: View, stop: threading.Event) -> int:
    """A bot's move; called in a thread, because making a bot may take a while, too."""
    player = players.get(view.player)
    if player is None:
        player = players[view.player] = make_player(resolve(bot.spec, view.game), terms)
    return ask(view, player, bot.title, Limit(stop=stop))
