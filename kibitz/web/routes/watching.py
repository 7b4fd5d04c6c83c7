"""The socket of each browser at a table."""

from __future__ import annotations

import logging
from collections import Counter

from fastapi import APIRouter, WebSocket

from kibitz.errors import KibitzError
from kibitz.web.connection import Connection
from kibitz.web.requests import address
from kibitz.web.sentences import apology
from kibitz.web.server import NO_SUCH_TABLE, Server
from kibitz.web.tokens import is_own_page, visitor_of

GONE = 4404  # the code with which the socket is closed if there is no such table …
FAILED = 4500  # … and if it cannot be opened …
TOO_MANY = 4429  # … and if somebody has too many sockets open

log = logging.getLogger("kibitz.web")


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.websocket("/ws/{key}")
    async def at_table(socket: WebSocket, key: str) -> None:
        if not is_own_page(socket):
            await socket.close()
            return
        await socket.accept()
        where = address(socket)
        if server.sockets[where] >= server.limits.sockets:
            await _hang_up(socket, "You have too many tables open at the same time; please close some.", TOO_MANY)
            return
        server.sockets[where] += 1
        try:
            await sit_down(socket, key)
        finally:
            server.sockets[where] -= 1
            server.sockets += Counter()  # forgets those that have none left

    async def sit_down(socket: WebSocket, key: str) -> None:
        try:
            room = await server.find_table(key)
        except Exception as error:  # the store failed, or the table cannot be restored
            log.exception("Table %s cannot be opened.", key)
            await _hang_up(socket, str(error) if isinstance(error, KibitzError) else apology(error), FAILED)
            return
        if room is None:
            await _hang_up(socket, NO_SUCH_TABLE, GONE)
            return
        connection = Connection(
            socket,
            room,
            visitor_of(socket),
            server.pool,
            server,
            server.messages,
            server.limits.messages,
            server.metrics,
        )
        await connection.serve()

    return router


async def _hang_up(socket: WebSocket, words: str, code: int) -> None:
    await socket.send_json({"type": "error", "error": words})
    await socket.close(code)
