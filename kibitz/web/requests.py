"""How requests are read: what comes from a browser is checked before it is used."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import HTTPConnection

from kibitz.errors import KibitzError
from kibitz.web.messages import Incoming

LARGEST_REQUEST = 16_384  # bytes …
LARGEST_LINE = 65_536  # … and with a line of play

M = TypeVar("M", bound=Incoming)


def address(connection: HTTPConnection) -> str:
    """Where a request comes from."""
    return connection.client.host if connection.client else ""


async def read(model: type[M], request: Request, most: int = LARGEST_REQUEST) -> M:
    """What a request of at most so many bytes asks for; KibitzError or ValidationError if it is malformed."""
    return model.model_validate_json(json.dumps(await read_json(request, most)))


async def read_json(request: Request, most: int = LARGEST_REQUEST) -> Any:
    """The document in a request of at most so many bytes."""
    try:
        return json.loads(await _body(request, most))
    except (ValueError, RecursionError):
        raise KibitzError("Malformed request: it is not JSON.") from None


async def _body(request: Request, most: int) -> bytes:
    """The body of a request from a page of this server: forms on other pages cannot send this content type."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise KibitzError("The content type must be application/json.")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise KibitzError(f"The request is too large: it has more than {most} bytes.")
    return body
