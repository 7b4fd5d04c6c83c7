"""Tables: setting them up, taking a seat, deleting them."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from kibitz.web.answers import Done, PreparationAnswer, SeatAnswer, TableAnswer
from kibitz.web.messages import JoinRequest, TableRequest
from kibitz.web.openapi import errors, takes
from kibitz.web.precompile import RULES
from kibitz.web.requests import LARGEST_LINE, address, read
from kibitz.web.server import Server
from kibitz.web.tokens import known_visitor, visitor_of


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.post(
        "/api/tables",
        response_model=TableAnswer,
        responses=errors(422, 429, 503),
        openapi_extra=takes(TableRequest),
    )
    async def new_table(request: Request, response: Response) -> dict[str, str]:
        """Set up a table."""
        server.new_tables.take(address(request))
        wanted = await read(TableRequest, request, LARGEST_LINE)
        return await server.new_table(wanted, known_visitor(request, response), address(request))

    @router.delete("/api/tables/{key}", response_model=Done, responses=errors(404, 422, 429, 503))
    async def delete_table(key: str, request: Request) -> dict[str, str]:
        """Delete a table that is yours; the operator may delete any."""
        server.questions.take(address(request))
        await server.delete_table(key, visitor_of(request), server.is_operator(request))
        return {}

    @router.get("/api/tables/{key}/preparation", response_model=PreparationAnswer, responses=errors(404, 503))
    async def preparation(key: str) -> PreparationAnswer:
        """How far a table is whose rules or bots have to be compiled first; ask about once a second."""
        setting = (await server.table(key)).setting
        done, of, part, functions = server.precompiler.preparation(setting.game, setting.bot_specs)
        names = {seat.bot.spec: seat.bot.title for seat in setting.seats if seat.bot is not None}
        words = "" if done == of else "the rules" if part == RULES else f"the bot “{names[part]}”"
        return PreparationAnswer(done=done, of=of, words=words, functions=functions)

    @router.post(
        "/api/tables/{key}/seats",
        response_model=SeatAnswer,
        responses=errors(404, 422, 503),
        openapi_extra=takes(JoinRequest),
    )
    async def take_seat(key: str, request: Request, response: Response) -> dict[str, int]:
        """Take an open seat."""
        wanted = await read(JoinRequest, request)
        return await server.take_seat(key, wanted, known_visitor(request, response))

    return router
