"""How the server listens: who may connect, and how long they may take to say what they want and to read the answer.

uvicorn waits without end for the rest of a request, and for a client that does not read. Here, every connection is
looked at now and then, and ended when it has kept the server waiting for too long. Sockets of tables are long-lived;
they are ended only if nobody reads what is sent to them.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import json
import os
import socket
import time
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, Protocol

import h11
import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from kibitz.errors import KibitzError

BACKLOG = 1024  # connections that the system keeps until they are accepted
LARGEST_HEAD = 16_384  # bytes of a request's first line and headers
MOST_HEADERS, LONGEST_LINE = 100, 8_000  # when a socket is opened; the library refuses a few more
LARGEST_FRAME = 65_536  # bytes; a longer message ends the connection
MOST_UNREAD = 4_000_000  # bytes that wait for a socket to be read
MOST_FRAGMENTS = 1_000  # of one message
GOODBYE_SECONDS = 2
SPARE_FILES = 100  # kept free for the database, bots and static files
NO_FILE_SECONDS = 0.01  # to wait for somebody to close a file
BUSY_SECONDS = 10  # after which it makes sense to connect again
# The fastest level takes half the time of the usual one; messages become a sixth (Connect Four) to two fifths longer.
COMPRESSION = ServerPerMessageDeflateFactory(
    server_max_window_bits=12, client_max_window_bits=12, compress_settings={"memLevel": 5, "level": 1}
)


@dataclass(frozen=True)
class Patience:
    """For how many seconds the server waits."""

    head: float = 10.0  # for a request's first line and headers
    body: float = 30.0  # for the rest of it
    reader: float = 60.0  # until what was sent has been read

    @property
    def interval(self) -> float:
        """From one look at a connection to the next."""
        return min(1.0, min(self.head, self.body, self.reader) / 4)


class Awaited(Enum):
    """What a connection keeps the server waiting for."""

    HEAD = "head"
    BODY = "body"
    READER = "reader"


class Caller(Protocol):
    """A connection, as the doorkeeper sees it."""

    client: tuple[str, int] | None

    @property
    def is_dispensable(self) -> bool:
        """Whether it has not asked for anything yet."""

    def give_way(self) -> None:
        """End it, because others need its place."""


class Doorkeeper:
    """Counts the connections from every address and in all. When all places are taken, whoever has been silent longest
    gives way, so that connections that ask for nothing never keep out those that do."""

    def __init__(self, most: int = 2_000, most_per_address: int = 200) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._here: dict[Caller, str] = {}  # with their addresses; who came first comes first
        self._by_address: Counter[str] = Counter()
        self.refused = 0

    def __len__(self) -> int:
        return len(self._here)

    def let_in(self, caller: Caller) -> bool:
        """Give a connection a place, if there is one for it."""
        address = caller.client[0] if caller.client else ""
        if self._by_address[address] >= self._most_per_address and not is_loopback(address):
            self.refused += 1
            return False
        if len(self._here) >= self._most:
            silent = next((other for other in self._here if other.is_dispensable), None)
            if silent is None:
                self.refused += 1
                return False
            self.leave(silent)
            silent.give_way()
        self._here[caller] = address
        self._by_address[address] += 1
        return True

    def hand_over(self, old: Caller, new: Caller) -> None:
        """A connection has become another kind of connection."""
        if old in self._here:
            self._here[new] = self._here.pop(old)

    def leave(self, caller: Caller) -> None:
        """A connection has ended."""
        if (address := self._here.pop(caller, None)) is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


def is_loopback(address: str) -> bool:
    """Whether an address is of this machine itself: of a person, or of a reverse proxy who speaks for many."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class Listening(uvicorn.Config):
    """How uvicorn serves an application: with a doorkeeper and limited patience."""

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper | None = None, patience: Patience | None = None) -> None:
        super().__init__(
            BoundedHeads(app),
            http=TimedRequests,
            ws=TimedSocket,
            backlog=BACKLOG,
            h11_max_incomplete_event_size=LARGEST_HEAD,
            ws_max_size=LARGEST_FRAME,
            ws_per_message_deflate=False,  # TimedSocket sees to that
            log_config=None,
            log_level="critical",  # the application reports requests and errors itself
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GOODBYE_SECONDS,
        )
        self.doorkeeper = Doorkeeper(most=_affordable_connections()) if doorkeeper is None else doorkeeper
        self.patience = patience or Patience()


class BoundedHeads:
    """A middleware that refuses requests whose first line and headers are too large, even if they come all at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _head_size(scope) > LARGEST_HEAD:
            words = "The request has too many headers, or too long ones."
            await JSONResponse({"error": words}, 431, {"Connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _head_size(scope: Scope) -> int:
    lines = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    return len(scope["raw_path"]) + len(scope["query_string"]) + lines


def _affordable_connections(wanted: int = 2_000) -> int:
    """As many connections as wanted, or as the system allows this process. What it allows is raised if possible."""
    try:
        import resource
    except ImportError:  # not on this system
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + SPARE_FILES
    if resource.RLIM_INFINITY in (soft, hard) or soft >= needed:
        return wanted
    soft = min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - SPARE_FILES))


class _Timed(asyncio.Protocol):
    """A connection that is looked at now and then. It is mixed into uvicorn's protocols."""

    config: Listening
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    _timer: asyncio.TimerHandle | None = None
    _awaited: tuple[Awaited, object] | None = None
    _since = 0.0

    def _begin(self) -> None:
        self._since = self.loop.time()
        self._awaited = self._waits_for()
        self._timer = self.loop.call_later(self.config.patience.interval, self._look)

    def _end(self) -> None:
        self.config.doorkeeper.leave(self)
        self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        awaited, now = self._waits_for(), self.loop.time()
        if awaited != self._awaited:
            self._awaited, self._since = awaited, now
        elif awaited is not None and now - self._since > getattr(self.config.patience, awaited[0].value):
            self._hang_up(awaited[0])
            return
        self._timer = self.loop.call_later(self.config.patience.interval, self._look)

    def _waits_for(self) -> tuple[Awaited, object] | None:
        """What the server waits for, and for which request; None: the others wait for the server."""
        return (Awaited.READER, None) if self.transport.get_write_buffer_size() else None

    def _hang_up(self, awaited: Awaited) -> None:
        self.transport.abort()

    @property
    def is_dispensable(self) -> bool:
        return False

    def give_way(self) -> None:
        self.transport.abort()


class TimedRequests(_Timed, H11Protocol):
    """The requests of one client."""

    config: Listening

    def __init__(self, config: Listening, server_state: ServerState, app_state: dict[str, Any], **more: Any) -> None:
        super().__init__(config, server_state, app_state, **more)
        self.config = config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.config.doorkeeper.let_in(self):
            self._begin()
        else:
            self._answer(503, "The server has too many connections; please try again in a moment.", BUSY_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def _waits_for(self) -> tuple[Awaited, object] | None:
        if self.transport.get_write_buffer_size():
            return Awaited.READER, self.cycle
        if self.conn.their_state is h11.IDLE:
            return Awaited.HEAD, self.cycle
        return (Awaited.BODY, self.cycle) if self.conn.their_state is h11.SEND_BODY else None

    @property
    def is_dispensable(self) -> bool:
        return self.conn.their_state is h11.IDLE and not self.transport.get_write_buffer_size()

    def _hang_up(self, awaited: Awaited) -> None:
        if awaited is Awaited.READER:
            self.transport.abort()
        else:
            self._answer(408, "The request took too long to arrive.")

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        lines = [event.target, *(name + value for name, value in self.headers)]
        if len(lines) > MOST_HEADERS or max(map(len, lines)) > LONGEST_LINE:
            self._answer(431, "The request has too many headers, or too long ones.")
            return
        self._stop()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        self._answer(400, "Malformed request: it is not HTTP, or its headers are too large.")

    def _answer(self, status: int, words: str, retry_after: int | None = None) -> None:
        """Answer without the application, unless it has begun to answer, and end the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(plain_answer(status, words, retry_after))
        self.transport.close()
        self.loop.call_later(self.config.patience.interval, self.transport.abort)  # if they do not even read that


class TimedSocket(_Timed, WebSocketsSansIOProtocol):
    """A socket: a message may take any time to come, but what is sent must be read."""

    config: Listening

    def __init__(self, config: Listening, server_state: ServerState, app_state: dict[str, Any], **more: Any) -> None:
        super().__init__(config, server_state, app_state, **more)
        self.config = config
        self.conn.available_extensions = [COMPRESSION]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        before = self.transport.get_protocol()
        assert isinstance(before, TimedRequests)
        self.config.doorkeeper.hand_over(before, self)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(plain_answer(400, "Malformed request: no socket can be opened like this."))
            self.transport.close()
        # Replies to pings are not held back, and fragments of no length are not counted, by anyone else.
        if self.transport.get_write_buffer_size() > MOST_UNREAD or len(self.frames) > MOST_FRAGMENTS:
            self.transport.abort()


def plain_answer(status: int, words: str, retry_after: int | None = None) -> bytes:
    """A whole response in HTTP, for those who have not sent a whole request."""
    body = json.dumps({"error": words}).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
        *([] if retry_after is None else [f"Retry-After: {retry_after}"]),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Listener(socket.socket):
    """A socket that accepts connections. When the process has no file left for one more, it is closed instead: asyncio
    would try to accept it again and again, and log each attempt."""

    _spare: int | None = None

    def listen(self, backlog: int = BACKLOG) -> None:
        if self._spare is None:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        super().listen(backlog)

    def accept(self) -> tuple[socket.socket, Any]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            self._turn_one_away()
            raise BlockingIOError from None  # there may be more; the event loop asks again

    def _turn_one_away(self) -> None:
        """Use the file that is kept for this to accept a connection, and close it."""
        self._give_up_spare()
        with contextlib.suppress(OSError):  # somebody else was faster to take the file
            super().accept()[0].close()
        with contextlib.suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY)
        if self._spare is None:
            time.sleep(NO_FILE_SECONDS)

    def _give_up_spare(self) -> None:
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def close(self) -> None:
        self._give_up_spare()
        super().close()


def open_listener(host: str, port: int, is_shared: bool = False) -> Listener:
    """Listen on a port. A browser that connects before the server is up has to wait.

    Servers with the same database can share a port: the system gives each a part of the connections.
    """
    listener = Listener(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # allow a port that was in use a moment ago
    if is_shared and hasattr(socket, "SO_REUSEPORT"):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise KibitzError(
            f"Cannot listen on port {port} of {host} ({error.strerror}); choose another with --port."
        ) from None
    return listener
