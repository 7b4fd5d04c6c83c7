"""Trying things out: the position after any line of play, and what bots think of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from kibitz.web.answers import ArrangementAnswer, PositionAnswer
from kibitz.web.arrangements import ArrangementRequest
from kibitz.web.openapi import errors, takes
from kibitz.web.requests import LARGEST_LINE, address, read
from kibitz.web.server import Server
from kibitz.web.tokens import visitor_of
from kibitz.web.variations import OpinionRequest, PositionRequest

OPINION_LINES = {"description": "Opinions.", "content": {"application/jsonl": {"schema": {"type": "string"}}}}


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.post(
        "/api/positions",
        response_model=PositionAnswer,
        responses=errors(404, 422, 429, 503),
        openapi_extra=takes(PositionRequest),
    )
    async def position(request: Request) -> Response:
        """The position after a line of play, and what can be played there."""
        client = address(request)
        server.questions.take(client)
        wanted = await read(PositionRequest, request, LARGEST_LINE)
        found = await server.laboratory.position(wanted, visitor_of(request), client)
        return Response(orjson.dumps(found), media_type="application/json")

    @router.post(
        "/api/arrangements",
        response_model=ArrangementAnswer,
        responses=errors(404, 422, 429, 503),
        openapi_extra=takes(ArrangementRequest),
    )
    async def arrangement(request: Request) -> Response:
        """A position that is being set up by hand: where things can be put, and whether it can be played."""
        client = address(request)
        server.questions.take(client)
        wanted = await read(ArrangementRequest, request, LARGEST_LINE)
        found = await server.laboratory.arrangement(wanted, visitor_of(request), client)
        return Response(orjson.dumps(found), media_type="application/json")

    @router.post(
        "/api/opinions",
        response_class=StreamingResponse,
        responses={**errors(404, 422, 429, 503), 200: OPINION_LINES},
        openapi_extra=takes(OpinionRequest),
    )
    async def opinion(request: Request) -> Response:
        """All moves of a position, ranked by a search: one line after each round, the last one when it is done."""
        client = address(request)
        server.questions.take(client)
        wanted = await read(OpinionRequest, request, LARGEST_LINE)
        rounds = await server.laboratory.opinions(wanted, visitor_of(request), client)

        async def lines() -> AsyncIterator[bytes]:
            async for found in rounds:
                yield orjson.dumps(found) + b"\n"

        return StreamingResponse(lines(), media_type="application/jsonl")

    return router
