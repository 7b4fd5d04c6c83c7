"""One browser at one table: its messages are read and carried out, and every change is sent to it.

A table is always sent whole, so a browser that reads slowly skips intermediate states, and nothing piles up for it.
Nothing is sent, and nothing more is carried out, before the last change is saved.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Any, Protocol

import orjson
from fastapi import WebSocket, WebSocketDisconnect

from kibitz.errors import KibitzError
from kibitz.web import analysis, reviews
from kibitz.web.access import Access
from kibitz.web.limits import Allowance, Rate
from kibitz.web.messages import (
    Analyse,
    AnswerOffer,
    EndWithout,
    Hint,
    MakeOffer,
    Message,
    Pause,
    Play,
    Redo,
    Rematch,
    Resign,
    Review,
    SeatBot,
    Show,
    Speed,
    Step,
    Undo,
    read_message,
    table_message,
)
from kibitz.web.metrics import Metrics
from kibitz.web.offers import OfferKind
from kibitz.web.recent import Recent
from kibitz.web.requests import address
from kibitz.web.room import Room
from kibitz.web.sentences import sentence
from kibitz.web.thinking_pool import ThinkingPool

COME_AGAIN = 1012  # the code with which a socket is closed whose browser is to connect again
FRESH_SECONDS = 0.1  # for which a message is sent to others, too
MOST_SHARED = 100  # messages
MOST_WAITING = 50  # replies that wait to be sent; if there are more, the oldest are dropped


class TableHost(Protocol):
    """What a server does at a table that the room cannot do by itself."""

    async def rematch(self, room: Room, access: Access) -> dict[str, str]:
        """Set up the same table once more; where it is."""

    async def seat_bot(self, room: Room, access: Access, seat: int, bot: str) -> None:
        """Let a bot play a free seat."""


class Connection:
    """A browser's socket, with what its user may do and which position they are looking at."""

    def __init__(
        self,
        socket: WebSocket,
        room: Room,
        visitor: str | None,
        pool: ThinkingPool,
        host: TableHost,
        messages: SharedMessages,
        rate: Rate,
        metrics: Metrics,
    ) -> None:
        self.visitor = visitor
        self._socket = socket
        self._client = address(socket)
        self._room = room
        self._pool = pool
        self._host = host
        self._messages = messages
        self._allowance = Allowance(rate)
        self._metrics = metrics
        self._moved_at: float | None = None  # when they sent a move that is not published yet
        self._ply: int | None = None  # the position they are looking at; None: the current one
        self._replies: deque[dict[str, Any]] = deque(maxlen=MOST_WAITING)
        self._stale = True  # whether the table has to be sent again …
        self._since: int | None = None  # … with the steps of the plies since this one
        self._wake = asyncio.Event()  # there is something to send
        self._is_closing = False
        self._tasks: dict[str, asyncio.Task[None]] = {}  # hints and analyses in progress

    async def serve(self) -> None:
        """Talk to the browser until it disconnects."""
        if self._access.seats or not self._room.client:
            self._room.client = self._client  # from now on, bots think on behalf of whoever plays here
        self._room.join(self)
        self._wake.set()
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        finally:
            self._room.leave(self)
            for task in (writer, *self._tasks.values()):
                task.cancel()

    @property
    def _access(self) -> Access:
        """What this visitor may do now."""
        return self._room.access(self.visitor)

    def presence_changed(self) -> None:
        """Send the table again: somebody has come or gone."""
        self._stale = True
        self._wake.set()

    def room_changed(self) -> None:
        """Send the table again, with the steps of the last move."""
        if self._moved_at is not None:
            self._metrics.move_seconds.observe(time.monotonic() - self._moved_at)
            self._moved_at = None
        unsent, new = self._since, self._room.changed_from
        self._stale, self._since = True, new if unsent is None else min(unsent, new)
        self._wake.set()

    def room_closed(self) -> None:
        """Hang up; the browser will come again."""
        self._is_closing = True
        self._wake.set()

    def notify(self, words: str) -> None:
        """Have the page show a sentence."""
        self._send({"type": "error", "error": words})

    def _send(self, message: dict[str, Any]) -> None:
        self._replies.append(message)
        self._wake.set()

    # -------------------------------------------------------------- out

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has disconnected
            while True:
                await self._wake.wait()
                self._wake.clear()
                if self._stale and self._room.is_published:
                    since, self._stale, self._since = self._since, False, None
                    await self._socket.send_text(self._table(since))
                while self._replies:
                    await self._socket.send_text(_text(self._replies.popleft()))
                if self._is_closing:
                    await self._socket.close(COME_AGAIN)

    def _table(self, since: int | None) -> str:
        """The message with the table; an error message if the game's own Board cannot show it."""
        try:
            return self._messages.table(self._room, self._access, self._ply, since)
        except Exception as error:
            return _text({"type": "error", "error": f"The table cannot be shown. {sentence(error)}"})

    # -------------------------------------------------------------- in

    async def _read(self) -> None:
        while True:
            frame = await self._socket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            if (seconds := self._allowance.wait()) > 0:  # the browser has to wait; what it sends meanwhile, too
                self.notify("You are sending too many messages; they are carried out more slowly.")
                await asyncio.sleep(seconds)
            try:
                text = frame.get("text")
                if text is None:
                    raise KibitzError("Malformed message: it is not text.")
                message = read_message(text)
                await self._room.published()
                await self._carry_out(message)
            except KibitzError as error:
                self.notify(str(error))
            except Exception as error:  # raised by a game's own rules
                self.notify(sentence(error))

    async def _carry_out(self, message: Message) -> None:
        room, access = self._room, self._access
        match message:
            case Play():
                received = time.monotonic()
                room.play(access, message.move, message.version)
                self._moved_at = received
                self._ply = None
            case Undo():
                room.undo(access)
                self._ply = None
            case Redo():
                room.redo(access)
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
                self._show(None if message.ply is None or self._is_current(message.ply) else message.ply)
            case Rematch():
                self._send({"type": "moved", **await self._host.rematch(room, access)})
            case MakeOffer():
                room.make_offer(access, OfferKind(message.offer))
            case AnswerOffer():
                room.answer_offer(access, message.agree)
            case SeatBot():
                await self._host.seat_bot(room, access, message.seat, message.bot)
            case EndWithout():
                room.end_without(access, message.seat)
            case Hint():
                self._start("hint", self._give_hint)
            case Analyse(on=True):
                self._start(
                    "analyse",
                    partial(analysis.analyse, self._pool, self._client, room, access, message.ply, self._send),
                )
            case Review(on=True):
                self._start("review", partial(reviews.review, self._pool, self._client, room, access, self._send))
            case Analyse() | Review():
                self._stop(message.type)

    def _show(self, ply: int | None) -> None:
        """Look at another position; if it is the next one, with the steps that lead there."""
        plies = self._room.plies
        before, now = (plies if at is None else at for at in (self._ply, ply))
        self._ply, self._stale = ply, True
        self._since = before if now == before + 1 else None
        self._wake.set()

    def _is_current(self, ply: int) -> bool:
        return self._room.history is None or ply >= len(self._room.history)

    async def _give_hint(self) -> None:
        found = await analysis.hint(self._pool, self._client, self._room, self._access)
        if found["version"] == self._room.version:
            self._send(found)

    def _start(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start a hint or an analysis. It replaces the one in progress."""
        self._stop(what)
        self._tasks[what] = asyncio.create_task(self._run(work))

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            self.notify(sentence(error))

    def _stop(self, what: str) -> None:
        if what in self._tasks:
            self._tasks.pop(what).cancel()


class SharedMessages:
    """The messages that were just built: what many spectators are sent after a move is built once for all of them."""

    def __init__(self, fresh_seconds: float = FRESH_SECONDS) -> None:
        self._fresh_seconds = fresh_seconds
        self._texts: Recent[Hashable, tuple[str, float]] = Recent(MOST_SHARED)

    def table(self, room: Room, access: Access, ply: int | None, since: int | None) -> str:
        """The message with a table, as somebody may see it."""
        key, now = (
            (room.id, room.version, access, ply, since, room.audience.presence.version, room.thinking),
            time.monotonic(),
        )
        text, built = self._texts.get(key, ("", -math.inf))
        if now - built > self._fresh_seconds:  # what it says of times is out of date
            text = _text(table_message(room, access, ply, since))
            self._texts[key] = text, now
        return text


def _text(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()
