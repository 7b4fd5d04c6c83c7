"""How requests and sockets show who they come from: a token, in a cookie that scripts cannot read, or in a header.

Pages give every browser a cookie. Programs send `Authorization: Bearer TOKEN` instead, with any token of at least 32
random letters, digits, - and _. A token is never part of an address, which people share and servers log.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.requests import HTTPConnection

from kibitz.web.access import new_token, visitor_with

COOKIE = "kibitz"
COOKIE_SECONDS = 400 * 86_400  # browsers keep no cookie longer


def visitor_of(connection: HTTPConnection) -> str | None:
    """Who a request or a socket comes from; None if it shows no token."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return visitor_with(token.strip())
    return visitor_with(connection.cookies.get(COOKIE, "")) if _may_use_cookie(connection) else None


def known_visitor(request: Request, response: Response) -> str:
    """Who a request comes from. Whoever shows no token is given one."""
    visitor = visitor_of(request)
    if visitor is None:
        token = new_token()
        response.set_cookie(
            COOKIE,
            token,
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        visitor = visitor_with(token)
    assert visitor is not None
    return visitor


def is_own_page(connection: HTTPConnection) -> bool:
    """Whether a socket was opened by a page of this server, or by a program that is not a browser."""
    origin = connection.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == connection.headers.get("host")


def _may_use_cookie(connection: HTTPConnection) -> bool:
    """Browsers say where a socket comes from; a cookie without that could be abused by the pages of others."""
    return connection.scope["type"] == "http" or connection.headers.get("origin") is not None
