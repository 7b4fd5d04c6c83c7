"""The games that the server offers: their cards, bots and rules."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from kibitz.display.board import board_of
from kibitz.display.palette import COLOUR_NAMES, DAY, NIGHT
from kibitz.display.wording import title_of
from kibitz.rules.contract import Game
from kibitz.web.answers import BotsAnswer, GamesAnswer, RulesAnswer
from kibitz.web.openapi import errors
from kibitz.web.requests import address
from kibitz.web.server import Server


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.get("/api/games", response_model=GamesAnswer, responses=errors())
    async def games() -> Response:
        """The games, their variants, seats and levels."""
        cards = await asyncio.to_thread(lambda: [_card(server, name) for name in server.catalogue.names])
        return JSONResponse({"games": cards, "palette": DAY, "palette_night": NIGHT, "palette_names": COLOUR_NAMES})

    @router.get("/api/games/{name}/bots", response_model=BotsAnswer, responses=errors(404, 422, 429))
    async def bots(request: Request, name: str, game: str = "") -> Response:
        """The bots for a game or variant, and their options."""
        server.questions.take(address(request))
        rules = await server.variants.game(game or name, None, address(request))
        return JSONResponse({"bots": await asyncio.to_thread(server.catalogue.bots, rules)})

    @router.get("/api/games/{name}/rules", response_model=RulesAnswer, responses=errors(404, 422, 429))
    async def rules(request: Request, name: str, game: str = "") -> Response:
        """The rules, in words and pictures."""
        server.questions.take(address(request))
        chosen = await server.variants.game(game or name, None, address(request))
        return JSONResponse(await asyncio.to_thread(_lessons, chosen))

    return router


def _card(server: Server, name: str) -> dict[str, Any]:
    game, facts = server.catalogue.game(name), server.catalogue.facts(name)
    casual, best = facts["levels"][1]["spec"], facts["levels"][-1]["spec"]
    done, of, _, _ = server.precompiler.preparation(game, [casual, best])
    return {**facts, "scene": server.precompiler.picture(game), "ready": done == of, "prepared": [done, of]}


def _lessons(game: Game) -> dict[str, Any]:
    lessons = [
        {
            "title": lesson.title,
            "words": lesson.words,
            "scene": lesson.scene.document() if lesson.scene else None,
            "task": lesson.task.words if lesson.task else None,
        }
        for lesson in board_of(game).lessons(game)
    ]
    title, words = title_of(game)
    return {"title": title, "words": words, "lessons": lessons, "palette": DAY, "palette_night": NIGHT}
