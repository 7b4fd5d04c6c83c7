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
OPERATOR_COOKIE = "kibitz_operator"


def visitor_of(connection: HTTPConnection) -> str | None:
    """Who a request or a socket comes from; None if it shows no token."""
    return _shown(connection, COOKIE)


def operator_of(connection: HTTPConnection) -> str | None:
    """What a request or a socket shows that may be the operator's secret: its hash, as of any token."""
    return _shown(connection, OPERATOR_COOKIE)


def _shown(connection: HTTPConnection, cookie: str) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return visitor_with(token.strip())
    return visitor_with(connection.cookies.get(cookie, "")) if _may_use_cookie(connection) else None


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
            samesite="lax",  # shown by who follows a link from elsewhere, too; "strict" would give them a new token
            secure=request.url.scheme == "https",
        )
        visitor = visitor_with(token)
    assert visitor is not None
    return visitor


def remember_operator(request: Request, response: Response, secret: str) -> None:
    """Have a browser show the operator's secret until it is closed. Links from elsewhere never come with it."""
    secure = request.url.scheme == "https"
    response.set_cookie(OPERATOR_COOKIE, secret, httponly=True, samesite="strict", secure=secure)


def forget_operator(response: Response) -> None:
    response.delete_cookie(OPERATOR_COOKIE, httponly=True, samesite="strict")


def is_own_page(connection: HTTPConnection) -> bool:
    """Whether a socket was opened by a page of this server, or by a program that is not a browser."""
    if connection.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = connection.headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == connection.headers.get("host")
    except ValueError:  # no address at all
        return False


def _may_use_cookie(connection: HTTPConnection) -> bool:
    """Browsers say where a socket comes from; a cookie without that could be abused by the pages of others."""
    return connection.scope["type"] == "http" or connection.headers.get("origin") is not None
