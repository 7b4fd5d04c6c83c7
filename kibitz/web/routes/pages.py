"""The page itself, and the files that it consists of."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException

from kibitz.web import assets
from kibitz.web.server import Server
from kibitz.web.tokens import known_visitor


def routes(server: Server) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    @router.get("/table/{key}")
    @router.get("/tables")
    @router.get("/rules/{name}")
    @router.get("/puzzles")
    @router.get("/puzzles/{name}")
    @router.get("/tournaments")
    @router.get("/tournament/{key}")
    @router.get("/ladders")
    @router.get("/analyse")
    async def page(request: Request) -> Response:
        response = HTMLResponse(assets.page())
        known_visitor(request, response)  # so that browsers have a token from the first page on
        return response

    @router.get("/static/{stamp}/{name}")
    async def asset(stamp: str, name: str) -> Response:
        headers = {"Cache-Control": assets.cache_control(stamp)}
        if name == assets.PAINTS:
            return Response(assets.paints(), media_type="text/css", headers=headers)
        file = assets.asset(name)
        if file is None:
            raise HTTPException(404, "There is no such file.")
        return FileResponse(file, headers=headers)

    return router
