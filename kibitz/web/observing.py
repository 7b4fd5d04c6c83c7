"""Every request is measured and logged: what was asked for, by whom, and how it was answered. Never with the query."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from kibitz.web.log_lines import log, note
from kibitz.web.metrics import Metrics

KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class ObservedRequests:
    """A middleware that watches all requests, and sockets from their beginning to their end."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 500

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and status == 500:
                status = 403
            await send(message)

        try:
            await self._app(scope, receive, send_observed)
        except (OSError, WebSocketDisconnect):  # they have gone
            raise
        except Exception:
            if scope["type"] == "websocket":  # of requests, the application reports it
                log.exception("A socket failed.")
            raise
        finally:
            self._observe(scope, status, time.monotonic() - began)

    def _observe(self, scope: Scope, status: int, seconds: float) -> None:
        is_socket = scope["type"] == "websocket"
        method = "SOCKET" if is_socket else scope["method"] if scope["method"] in KNOWN_METHODS else "OTHER"
        route = getattr(scope.get("route"), "path", "other")  # not the path: that would be too many different ones
        if not is_socket:  # these take as long as people play
            self._metrics.request_seconds.labels(method, route, str(status)).observe(seconds)
        note(
            "request",
            logging.WARNING if status == 500 else logging.INFO,
            method=method,
            path=scope["path"],
            status=status,
            ms=round(1000 * seconds, 1),
            address=scope["client"][0] if scope.get("client") else "",
        )
