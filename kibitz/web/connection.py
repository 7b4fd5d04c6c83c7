"""One browser at one table: reads what it sends, and sends it what has changed.

Tables are always sent whole, so a browser that reads slowly misses intermediate ones, and nothing piles up for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from kibitz.errors import KibitzError
from kibitz.web import analysis
from kibitz.web.messages import (
    Analyse,
    Course,
    Hint,
    Message,
    Pause,
    Play,
    Rematch,
    Resign,
    Show,
    Speed,
    Step,
    Undo,
    read_message,
    table_message,
)
from kibitz.web.rooms import Access, Room, sentence
from kibitz.web.thinking import Pool

MOST_WAITING = 50  # answers that wait to be sent; beyond, the oldest are dropped

log = logging.getLogger("kibitz.web")


class Connection:
    """A socket, what its holder may do, and which moment of the game it looks at."""

    def __init__(
        self,
        socket: WebSocket,
        room: Room,
        access: Access,
        pool: Pool,
        rematch: Callable[[Room, Access], Awaitable[dict[str, Any]]],
    ) -> None:
        self._socket = socket
        self._room = room
        self._access = access
        self._pool = pool
        self._rematch = rematch
        self._ply: int | None = None  # the moment it looks at; None: the game as it goes on
        self._answers: deque[dict[str, Any]] = deque(maxlen=MOST_WAITING)
        self._stale = True  # whether the table it has seen last is an old one
        self._with_steps = False
        self._something = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}  # what is being thought about for it

    async def serve(self) -> None:
        """Talk until the browser hangs up."""
        self._room.join(self)
        self._something.set()
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        finally:
            self._room.leave(self)
            for task in (writer, *self._tasks.values()):
                task.cancel()

    def room_changed(self) -> None:
        """Have the table sent again, with the steps to where it is now."""
        self._stale = self._with_steps = True
        self._something.set()

    def _send(self, message: dict[str, Any]) -> None:
        self._answers.append(message)
        self._something.set()

    # -------------------------------------------------------------- out

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has hung up
            while True:
                await self._something.wait()
                self._something.clear()
                if self._stale:
                    steps, self._stale, self._with_steps = self._with_steps, False, False
                    await self._socket.send_text(self._table(steps))
                while self._answers:
                    await self._socket.send_text(_text(self._answers.popleft()))

    def _table(self, steps: bool) -> str:
        """The table as it is to be sent; an error where the game's own Board cannot show it."""
        try:
            return _text(table_message(self._room, self._access, self._ply, steps))
        except Exception as error:
            log.exception("The table cannot be shown.")
            return _text({"type": "error", "error": f"The table cannot be shown: {sentence(error)}"})

    # -------------------------------------------------------------- in

    async def _read(self) -> None:
        while True:
            frame = await self._socket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            try:
                text = frame.get("text")
                if text is None:
                    raise KibitzError("This message cannot be understood: it is not text.")
                await self._obey(read_message(text))
            except KibitzError as error:
                self._send({"type": "error", "error": str(error)})
            except Exception as error:  # of a game's own rules
                log.exception("A message could not be answered.")
                self._send({"type": "error", "error": f"That did not work: {sentence(error)}"})

    async def _obey(self, message: Message) -> None:
        room, access = self._room, self._access
        match message:
            case Play():
                room.play(access, message.move, message.version)
                self._ply = None
            case Undo():
                room.undo(access)
                self._ply = None
            case Resign():
                room.resign(access)
            case Pause():
                room.pause(access, message.on)
            case Speed():
                room.set_speed(access, message.speed)
            case Step():
                room.step(access)
            case Show():
                self._ply = None if message.ply is None or self._is_now(message.ply) else message.ply
                self._stale = True
                self._something.set()
            case Rematch():
                self._send(await self._rematch(room, access))
            case Hint():
                self._think("hint", self._give_hint)
            case Analyse(on=True):
                self._think("analyse", partial(analysis.analyse, self._pool, room, access, message.ply, self._send))
            case Course(on=True):
                self._think("course", partial(analysis.course, self._pool, room, access, self._send))
            case Analyse() | Course():
                self._stop(message.type)

    def _is_now(self, ply: int) -> bool:
        return self._room.story is None or ply >= len(self._room.story)

    async def _give_hint(self) -> None:
        found = await analysis.hint(self._pool, self._room, self._access)
        if found["version"] == self._room.version:
            self._send(found)

    def _think(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        """Have something thought about, in the place of the same thing before."""
        self._stop(what)
        self._tasks[what] = asyncio.create_task(self._told(work))

    async def _told(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            self._send({"type": "error", "error": sentence(error)})

    def _stop(self, what: str) -> None:
        if what in self._tasks:
            self._tasks.pop(what).cancel()


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)
