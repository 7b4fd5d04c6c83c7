"""The web application of a server: the page, an API in JSON over HTTP, and a socket for each browser at a table.

What it answers is in routes/. Here, every error is answered with a sentence; every answer is secured (secured.py).
"""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Mount

from kibitz.errors import KibitzError
from kibitz.web import assets
from kibitz.web.known_hosts import KnownHosts
from kibitz.web.limits import Busy, TooOften
from kibitz.web.observing import ObservedRequests
from kibitz.web.openapi import describe
from kibitz.web.routes import (
    analysis,
    games,
    learning,
    lists,
    operating,
    pages,
    records,
    tables,
    tournaments,
    watching,
)
from kibitz.web.secured import SECURITY, SecuredAnswers
from kibitz.web.sentences import apology
from kibitz.web.server import Server
from kibitz.web.validation import in_words

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

log = logging.getLogger("kibitz.web")


def make_app(server: Server) -> FastAPI:
    """The web application of a server."""
    app = FastAPI(lifespan=server.lifespan, docs_url=None, redoc_url=None)
    _add_errors(app, server)
    for part in (pages, games, learning, lists, tables, analysis, records, tournaments, watching, operating):
        app.include_router(part.routes(server))
    app.add_middleware(KnownHosts, server.hosts)
    app.add_middleware(ObservedRequests, server.metrics)
    app.add_middleware(SecuredAnswers)
    app.mount("/static", StaticFiles(directory=assets.STATIC), name="static")
    describe(app)
    return app


def _add_errors(app: FastAPI, server: Server) -> None:
    """Answer every error with a sentence."""

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> Response:
        status = 429 if isinstance(error, TooOften) else 503
        return JSONResponse({"error": str(error)}, status, {"Retry-After": str(error.retry_after)})

    @app.exception_handler(KibitzError)
    async def refused(request: Request, error: KibitzError) -> Response:
        return JSONResponse({"error": server.catalogue.in_public(str(error))}, 422)

    @app.exception_handler(ValidationError)
    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: ValidationError | RequestValidationError) -> Response:
        return JSONResponse({"error": f"Malformed request: {in_words(error)}"}, 422)

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody will read it

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        log.error("A request failed.", exc_info=error, extra={"facts": {"path": request.url.path}})
        return JSONResponse({"error": apology(error)}, 500, SECURITY)

    @app.exception_handler(HTTPException)
    async def impossible(request: Request, error: HTTPException) -> Response:
        headers = {"Allow": _allowed(app, request)} if error.status_code == 405 else error.headers
        if request.url.path.startswith("/api/") or error.status_code != 404:
            return JSONResponse({"error": str(error.detail)}, error.status_code, headers)
        return HTMLResponse(assets.page(), 404, headers)  # it tells people that there is no such page


def _allowed(app: FastAPI, request: Request) -> str:
    """The methods that there are at an address."""
    scope = {**request.scope, "root_path": request.scope.get("app_root_path", "")}
    routes = [route for route in app.routes if not isinstance(route, Mount)]
    found = [
        method
        for method in METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return ", ".join(["GET", "HEAD", *found[1:]] if found[:1] == ["GET"] else found or ["GET", "HEAD"])
