"""Tournaments: starting, watching, stopping and resuming them, their logs and reports; and the ladders."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.background import BackgroundTask

from kibitz.web.ladders import Ladders, ladders
from kibitz.web.openapi import errors, takes
from kibitz.web.requests import address, read
from kibitz.web.server import Server
from kibitz.web.tokens import known_visitor, visitor_of
from kibitz.web.tournament_messages import (
    TournamentGames,
    TournamentKey,
    TournamentList,
    TournamentRequest,
    TournamentView,
)

# A report brings its own style sheet along and needs nothing else; "sandbox": even if it did, it could do no harm.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox"
)


def routes(server: Server) -> APIRouter:
    router = APIRouter()
    tournaments = server.tournaments

    @router.get("/api/tournaments", responses=errors(429))
    async def all_tournaments(request: Request) -> TournamentList:
        """All tournaments, the newest first, and what a new one may have."""
        server.questions.take(address(request))
        limits = tournaments.limits
        return TournamentList(
            tournaments=await tournaments.all(visitor_of(request)),
            most_games=limits.games,
            most_bots=limits.bots,
            most_seconds=limits.seconds,
        )

    @router.post("/api/tournaments", responses=errors(422, 429, 503), openapi_extra=takes(TournamentRequest))
    async def new_tournament(request: Request, response: Response) -> TournamentKey:
        """Start a tournament."""
        server.new_tournaments.take(address(request))
        wanted = await read(TournamentRequest, request)
        await server.variants.game(wanted.game, wanted.players, address(request))  # refused if it takes too much
        return TournamentKey(id=await tournaments.start(wanted, known_visitor(request, response)))

    @router.get("/api/tournaments/{key}", responses=errors(404, 422))
    async def tournament(key: str, request: Request) -> TournamentView:
        """How a tournament stands."""
        return await tournaments.view(key, visitor_of(request))

    @router.delete("/api/tournaments/{key}", responses=errors(403, 404, 422))
    async def delete(key: str, request: Request, response: Response) -> TournamentKey:
        """Delete a tournament of yours that is not running; the operator may delete any."""
        await tournaments.delete(key, known_visitor(request, response), server.is_operator(request))
        return TournamentKey(id=key)

    @router.post("/api/tournaments/{key}/stop", responses=errors(403, 404, 422))
    async def stop(key: str, request: Request, response: Response) -> TournamentKey:
        """Stop a tournament of yours; the operator may stop any."""
        await tournaments.stop(key, known_visitor(request, response), server.is_operator(request))
        return TournamentKey(id=key)

    @router.post("/api/tournaments/{key}/resume", responses=errors(403, 404, 422, 429, 503))
    async def resume(key: str, request: Request, response: Response) -> TournamentKey:
        """Go on with a tournament of yours."""
        server.new_tournaments.take(address(request))
        await tournaments.resume(key, known_visitor(request, response))
        return TournamentKey(id=key)

    @router.get("/api/tournaments/{key}/games", responses=errors(404, 422, 429))
    async def games(key: str, request: Request, first: Annotated[int, Query(ge=0, le=2**31)] = 0) -> TournamentGames:
        """Some of its games: who sat where, and what each got."""
        server.questions.take(address(request))
        return TournamentGames(games=await tournaments.games(key, first))

    @router.get(
        "/api/tournaments/{key}/log",
        response_class=Response,
        responses={**errors(404, 422, 429), 200: {"content": {"application/gzip": {"schema": {"type": "string"}}}}},
    )
    async def log(key: str, request: Request) -> Response:
        """Its log, as a .tar.gz file."""
        server.questions.take(address(request))
        file = await tournaments.log_file(key)
        headers = {"Content-Disposition": f'attachment; filename="tournament-{key}.tar.gz"'}
        return StreamingResponse(file, 200, headers, "application/gzip", BackgroundTask(file.close))

    @router.get("/api/tournaments/{key}/report", response_class=HTMLResponse, responses=errors(404, 422, 429))
    async def report(key: str, request: Request, response: Response) -> Response:
        """Its report, as a page of its own."""
        server.new_tournaments.take(address(request))
        return HTMLResponse(await tournaments.report(key), headers={"Content-Security-Policy": REPORT_POLICY})

    @router.get("/api/ladders", responses=errors())
    async def all_ladders() -> Ladders:
        """How the bots that ship with kibitz compare."""
        return await asyncio.to_thread(ladders)

    return router
