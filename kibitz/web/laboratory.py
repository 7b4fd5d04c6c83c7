"""Where people try lines of play out: it finds out where a line begins, who may know it, and has the work done."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from threading import Event
from typing import Any

from kibitz.analysis.judge import search_named
from kibitz.errors import KibitzError
from kibitz.rules.contract import CHANCE, OVER
from kibitz.table import View
from kibitz.web.analysis import board_for
from kibitz.web.arrangements import ArrangementRequest, arrangement
from kibitz.web.catalogue import Catalogue
from kibitz.web.lanes import Lane
from kibitz.web.limits import TooOften
from kibitz.web.messages import LineRequest
from kibitz.web.opinions import NOTHING, opinions
from kibitz.web.precompile import Precompiler
from kibitz.web.results import player_name
from kibitz.web.room import Room
from kibitz.web.thinking_pool import ThinkingPool
from kibitz.web.variants import Variants
from kibitz.web.variations import (
    Beginning,
    OpinionRequest,
    PositionRequest,
    Start,
    played_line,
    position_message,
)

RETRY_SECONDS = 5.0
QUICK_PLIES = 300

FindRoom = Callable[[str], Awaitable[Room]]


class Laboratory:
    """Answers what the position after a line of play is, and what bots think of it."""

    def __init__(
        self,
        catalogue: Catalogue,
        variants: Variants,
        precompiler: Precompiler,
        pool: ThinkingPool,
        find_room: FindRoom,
        most_opinions: int,
    ) -> None:
        """`most_opinions` are those that one client has open."""
        self._catalogue = catalogue
        self._variants = variants
        self._precompiler = precompiler
        self._pool = pool
        self._find_room = find_room
        self._most_opinions = most_opinions
        self._open: Counter[str] = Counter()  # opinions, by client

    async def position(self, line: PositionRequest, visitor: str | None, client: str) -> dict[str, Any]:
        """Everything that there is to see after a line of play."""
        begin = await self._beginning(line, visitor, client)

        def look(stop: Event) -> dict[str, Any]:
            return position_message(begin, played_line(begin, line), line.since)

        return await self._pool.run(look, _lane(begin, line), client)

    async def arrangement(self, request: ArrangementRequest, visitor: str | None, client: str) -> dict[str, Any]:
        """A position that somebody sets up by hand."""
        begin = await self._beginning(request, visitor, client)
        return await self._pool.run(lambda stop: arrangement(begin, request), _lane(begin, request), client)

    async def start(self, line: LineRequest, visitor: str | None, client: str) -> Start:
        """Where a game begins that goes on after a line."""
        begin = await self._beginning(line, visitor, client)
        table = (await self._pool.run(lambda stop: played_line(begin, line), _lane(begin, line), client)).table
        if table.over:
            raise KibitzError("The game is over in this position.")
        return Start(begin.game, table.position, table.history)

    async def opinions(self, line: OpinionRequest, visitor: str | None, client: str) -> AsyncIterator[dict[str, Any]]:
        """What a bot thinks of the position after a line of play, better from round to round."""
        begin = await self._beginning(line, visitor, client)
        spec = ""
        if line.bot:
            spec = self._catalogue.bot(line.bot, begin.game).spec
            if line.bot.strip() in self._catalogue.added_bots:
                raise KibitzError("A bot that was added to the server cannot judge moves; choose a search.")
            search_named(spec, begin.game)
            await self._precompiler.prepare(begin.game, [spec])
        if self._open[client] >= self._most_opinions:
            raise TooOften("You have too many analyses open at the same time; please close some.", RETRY_SECONDS)
        view = await self._pool.run(partial(_view_after, begin, line), _lane(begin, line), client)
        return self._rounds(view, spec, client)

    async def _rounds(self, view: View | None, spec: str, client: str) -> AsyncIterator[dict[str, Any]]:
        if view is None:
            yield {**NOTHING, "player": OVER, "done": True}
            return
        self._open[client] += 1
        try:
            async with aclosing(opinions(self._pool, client, view, spec)) as rounds:
                async for found in rounds:
                    yield {**found, "player": view.player}
        finally:
            self._open[client] -= 1
            self._open += Counter()  # forgets those that have none left

    async def _beginning(self, line: LineRequest, visitor: str | None, client: str) -> Beginning:
        if line.table is not None:
            return await self._at_table(line, line.table, visitor)
        if line.ply is not None:
            raise KibitzError("A ply is of a table; name the table.")
        game = await self._variants.game(line.game, None, client)
        await self._precompiler.prepare(game, [])
        return Beginning(game, self._catalogue.spec(game))

    async def _at_table(self, line: LineRequest, key: str, visitor: str | None) -> Beginning:
        """A table's game as somebody may know it: all of it, so that it must be over or hide nothing."""
        if line.position:
            raise KibitzError("A line begins with a table or with a position, not with both.")
        room = await self._find_room(key)
        access, setting, history = room.access(visitor), room.setting, room.history
        hides = setting.game.has_hidden_information and not room.over
        if history is None or hides or not room.rights(access).may_analyse:
            raise KibitzError("This game can be analysed when it is over.")
        plies = len(history) if line.ply is None else min(line.ply, len(history))
        names = tuple(player_name(setting, access, player) for player in range(setting.game.players))
        given = tuple(history.played(ply) for ply in range(plies))
        board, viewer = board_for(room, access), max(0, room.viewer(access))
        return Beginning(setting.game, setting.spec, given, names, viewer, board, history.table.position)


def _lane(begin: Beginning, line: LineRequest) -> Lane:
    """A short line is replayed in milliseconds; people step through it."""
    plies = len(begin.plies) + len(line.moves) + line.names.count(" ")
    return Lane.QUICK if plies <= QUICK_PLIES else Lane.SLOW


def _view_after(begin: Beginning, line: LineRequest, stop: Event) -> View | None:
    """The view of the player to move after a line; None if no player is."""
    history = played_line(begin, line)
    turn = history.table.turn
    return None if turn in (CHANCE, OVER) else history.view(len(history), turn, begin.board)
