"""The records of finished games: saving them to a file, and opening them again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from kibitz.errors import KibitzError
from kibitz.web.answers import Answer, LogAnswer, RecordAnswer, TableAnswer
from kibitz.web.limits import Busy
from kibitz.web.messages import LogRequest, RecordBatch, RecordRequest
from kibitz.web.openapi import errors, takes
from kibitz.web.requests import address, read_json
from kibitz.web.server import Server
from kibitz.web.tokens import known_visitor
from kibitz.web.validation import in_words

LARGEST_RECORD = 2_000_000  # bytes, also of several at once
RECORD_LINES = {"description": "Records.", "content": {"application/jsonl": {"schema": {"type": "string"}}}}
OWN_GAMES = "kibitz-games.jsonl"  # the name of the file with all games of a visitor


class OpenedRecord(Answer):
    """What became of one of several records."""

    id: str | None  # of the table at which it is shown
    error: str | None  # why there is none


class OpenedRecords(Answer):
    """What became of several records, in their order."""

    tables: list[OpenedRecord]


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.get("/api/tables/{key}/record", response_model=RecordAnswer, responses=errors(404, 422, 503))
    async def record(key: str) -> Response:
        """The record of a finished game."""
        room = await server.table(key)
        await room.published()
        name = f"{room.setting.spec.partition(':')[0]}-{room.id}.json"
        return Response(room.record().to_json(), media_type="application/json", headers=_as_file(name))

    @router.get("/api/records", response_class=StreamingResponse, responses={**errors(429, 503), 200: RECORD_LINES})
    async def own_records(request: Request, response: Response) -> Response:
        """The records of all your finished games, one per line."""
        server.questions.take(address(request))
        visitor = known_visitor(request, response)

        async def lines() -> AsyncIterator[str]:
            async for found in server.own_records(visitor):
                yield f"{found.to_json()}\n"

        return StreamingResponse(lines(), media_type="application/jsonl", headers=_as_file(OWN_GAMES))

    @router.post(
        "/api/records",
        response_model=TableAnswer,
        responses=errors(422, 429, 503),
        openapi_extra=takes(RecordRequest, LogRequest),
    )
    async def open_record(request: Request, response: Response) -> dict[str, str]:
        """Open a record, or a game of a log that the server offers, at a table where it can be looked at."""
        client = address(request)
        server.new_tables.take(client)
        wanted = await read_json(request, LARGEST_RECORD)
        return await server.open_record(wanted, known_visitor(request, response), client)

    @router.post(
        "/api/records/batch",
        response_model=OpenedRecords,
        responses=errors(422, 429, 503),
        openapi_extra=takes(RecordBatch),
    )
    async def open_records(request: Request, response: Response) -> OpenedRecords:
        """Open several records; each is checked by itself."""
        client = address(request)
        server.new_tables.take(client)
        batch = RecordBatch.model_validate(await read_json(request, LARGEST_RECORD))
        visitor = known_visitor(request, response)
        return OpenedRecords(tables=[await open_one(wanted, visitor, client) for wanted in batch.records])

    async def open_one(wanted: Any, visitor: str, client: str) -> OpenedRecord:
        try:
            return OpenedRecord(id=(await server.open_record(wanted, visitor, client))["id"], error=None)
        except Busy:
            raise
        except ValidationError as error:
            return OpenedRecord(id=None, error=f"Malformed record: {in_words(error)}")
        except KibitzError as error:
            return OpenedRecord(id=None, error=server.catalogue.in_public(str(error)))

    @router.get("/api/logs", response_model=list[LogAnswer], responses=errors())
    async def logs() -> list[dict[str, Any]]:
        """The logs that the server offers."""
        return await asyncio.to_thread(server.catalogue.logs)

    return router


def _as_file(name: str) -> dict[str, str]:
    """The header with which browsers save an answer."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
