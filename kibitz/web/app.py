"""The server: pages, JSON over HTTP, and a socket for each browser at a table."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from kibitz.board import board_of
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.web import assets
from kibitz.web.catalogue import Catalogue, title_of
from kibitz.web.connection import Connection
from kibitz.web.messages import YOU, LogRequest, RecordRequest, TableRequest, clean_name, in_words
from kibitz.web.palette import COLOURS, DAY, NIGHT, usual_colours
from kibitz.web.rooms import Access, Room, Seat, Setting, new_seed
from kibitz.web.store import Store
from kibitz.web.thinking import Pool
from kibitz.web.warm import Preparation

PATIENCE = 0.2  # seconds that an answer waits for a table to be ready, which it is when all is compiled
LARGEST_REQUEST, LARGEST_RECORD = 16_384, 2_000_000  # bytes
NO_SUCH_TABLE = "There is no such table here any more."
GONE = 4404  # the code that a socket is closed with then
SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

log = logging.getLogger("kibitz.web")


class House:
    """What one server has: its catalogue, rooms, threads and what it has compiled."""

    def __init__(self, catalogue: Catalogue, store: Store | None = None, pace: float = 1.0, warm: bool = True) -> None:
        self.catalogue = catalogue
        self.store = store or Store()
        self.pool = Pool()
        self.preparation = Preparation(catalogue)
        self._pace = pace
        self._warm = warm
        self._openings: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self, _: FastAPI) -> AsyncIterator[None]:
        """Run while the server does."""
        if self._warm:
            self.preparation.start()
        yield
        self.preparation.stop()
        self.store.close()
        self.pool.close()

    async def new_table(self, request: TableRequest) -> dict[str, str]:
        """Set up a table as somebody wants it."""
        setting = self._setting(request)
        return await self._begin(setting)

    async def rematch(self, room: Room, access: Access) -> dict[str, Any]:
        """The same once more, with other luck."""
        if not room.may_rematch(access):
            raise KibitzError("A rematch is for those who set up the game.")
        return {"type": "moved", **await self._begin(room.again())}

    async def open_record(self, body: bytes) -> dict[str, str]:
        """A finished table to replay: a record that somebody brings, or the game of a log that is on offer."""
        request = _read_json(body)
        if isinstance(request, dict) and "log" in request:
            wanted = LogRequest.model_validate(request)
            record = await self.pool.run(lambda: self.catalogue.logged(wanted.log, wanted.game))
        else:
            record = RecordRequest.model_validate(request).record()
        game = self.catalogue.game(self.catalogue.spec(record.game))
        names = [clean_name(name, "?") for name in record.seats]
        names += [f"Player {player + 1}" for player in range(len(names), game.players)]
        seats = tuple(
            Seat(name, colour) for name, colour in zip(names, usual_colours(game, board_of(game)), strict=False)
        )
        room = self._room(Setting(game, self.catalogue.spec(game), title_of(game)[0], seats, record.seed))
        await room.open_record(record)
        self.store.add(room)
        return {"id": room.id, "token": room.admit(Access(host=True))}

    def _setting(self, request: TableRequest) -> Setting:
        game = self.catalogue.game(request.game, len(request.seats) or None)
        board, colours = board_of(game), request.colours
        colours = usual_colours(game, board) if colours is None else colours
        if len(request.seats) != game.players or len(colours) != game.players:
            raise KibitzError(f"This game has {game.players} seats; say who takes each of them.")
        if len(set(colours)) < min(len(colours), len(COLOURS)):
            raise KibitzError("Every seat needs a colour of its own.")
        seats, is_chosen = [], request.colours is not None
        for player, (wanted, colour) in enumerate(zip(request.seats, colours, strict=True)):
            if wanted.you == (wanted.bot is not None):
                raise KibitzError(f"Seat {player + 1} must be yours or a bot's.")
            if wanted.bot is None:
                seats.append(Seat(clean_name(wanted.name, YOU), colour, chosen=is_chosen))
            else:
                bot = self.catalogue.bot(wanted.bot, game)
                seats.append(Seat(clean_name(wanted.name, bot.title), colour, bot, is_chosen))
        seed = new_seed() if request.seed is None else request.seed
        return Setting(game, self.catalogue.spec(game), title_of(game)[0], tuple(seats), seed)

    def _room(self, setting: Setting) -> Room:
        return Room(setting, self.pool, self.preparation, self._pace)

    async def _begin(self, setting: Setting) -> dict[str, str]:
        room = self._room(setting)
        self.store.add(room)
        opening = asyncio.create_task(room.open())
        self._openings.add(opening)  # or nothing would hold on to it
        opening.add_done_callback(self._openings.discard)
        await asyncio.wait([opening], timeout=PATIENCE)
        return {"id": room.id, "token": room.admit(Access(room.people, host=True))}


def make_app(house: House) -> FastAPI:
    """The web application of a house."""
    app = FastAPI(title="kibitz", lifespan=house.open, docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def secure(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await answer(request)
        response.headers.update(SECURITY)
        if not request.url.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-cache")  # revalidated, which is quick
        return response

    @app.exception_handler(KibitzError)
    async def refuse(request: Request, error: KibitzError) -> Response:
        return JSONResponse({"error": str(error)}, 422)

    @app.exception_handler(ValidationError)
    async def not_understood(request: Request, error: ValidationError) -> Response:
        return JSONResponse({"error": f"This cannot be understood: {in_words(error)}"}, 422)

    @app.exception_handler(Exception)
    async def went_wrong(request: Request, error: Exception) -> Response:
        log.error("%s %s could not be answered.", request.method, request.url.path, exc_info=error)
        return JSONResponse({"error": f"Something went wrong here: {type(error).__name__}."}, 500, SECURITY)

    @app.exception_handler(HTTPException)
    async def lost(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": str(error.detail)}, error.status_code)
        return HTMLResponse(assets.page(), error.status_code)  # which says that there is nothing

    @app.get("/")
    @app.get("/table/{key}")
    @app.get("/rules/{name}")
    async def page(request: Request) -> Response:
        return HTMLResponse(assets.page())

    @app.get("/static/{stamp}/{name}")
    async def asset(stamp: str, name: str) -> Response:
        found = assets.asset(stamp, name)
        if found is None:
            raise HTTPException(404, "There is no such file.")
        file, kept = found
        return FileResponse(file, headers={"Cache-Control": kept})

    @app.get("/api/games")
    async def games() -> Response:
        cards = await asyncio.to_thread(lambda: [_card(house, name) for name in house.catalogue.names])
        return JSONResponse({"games": cards, "palette": DAY, "palette_night": NIGHT})

    @app.get("/api/games/{name}/bots")
    async def bots(name: str, game: str = "") -> dict[str, Any]:
        rules = house.catalogue.game(game or name)
        return {"bots": await asyncio.to_thread(house.catalogue.bots, rules)}

    @app.get("/api/games/{name}/rules")
    async def rules(name: str, game: str = "") -> Response:
        chosen = house.catalogue.game(game or name)
        return JSONResponse(await asyncio.to_thread(_lessons, chosen))

    @app.post("/api/tables")
    async def new_table(request: Request) -> dict[str, str]:
        return await house.new_table(TableRequest.model_validate(_read_json(await _body(request, LARGEST_REQUEST))))

    @app.get("/api/tables/{key}/record")
    async def record(key: str) -> Response:
        room = house.store.get(key)
        if room is None:
            raise HTTPException(404, NO_SUCH_TABLE)
        name = f"{room.setting.spec.partition(':')[0]}-{room.id}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(room.record().to_json(), media_type="application/json", headers=headers)

    @app.post("/api/records")
    async def open_record(request: Request) -> dict[str, str]:
        return await house.open_record(await _body(request, LARGEST_RECORD))

    @app.get("/api/logs")
    async def logs() -> list[dict[str, Any]]:
        return await asyncio.to_thread(house.catalogue.logs)

    @app.websocket("/ws/{key}")
    async def at_table(socket: WebSocket, key: str, token: str = "") -> None:
        if not _is_own_page(socket):
            await socket.close()
            return
        await socket.accept()
        room = house.store.get(key)
        if room is None:
            await socket.send_json({"type": "error", "error": NO_SUCH_TABLE})
            await socket.close(GONE)
            return
        await Connection(socket, room, room.access(token), house.pool, house.rematch).serve()

    app.mount("/static", StaticFiles(directory=assets.STATIC), name="static")
    return app


def _card(house: House, name: str) -> dict[str, Any]:
    game, facts = house.catalogue.game(name), house.catalogue.facts(name)
    ready = house.preparation.is_ready(game, [facts["levels"][-1]["spec"]])
    return {**facts, "scene": house.preparation.picture(game), "ready": ready}


def _lessons(game: Game) -> dict[str, Any]:
    lessons = [
        {"title": lesson.title, "words": lesson.words, "scene": lesson.scene.document() if lesson.scene else None}
        for lesson in board_of(game).lessons(game)
    ]
    title, words = title_of(game)
    return {"title": title, "words": words, "lessons": lessons, "palette": DAY, "palette_night": NIGHT}


async def _body(request: Request, most: int) -> bytes:
    """What was posted by a page of this server; other pages' forms cannot send this type."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise KibitzError("This is to be sent as application/json.")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise KibitzError(f"This is too large: more than {most} bytes.")
    return body


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise KibitzError("This is not JSON.") from None


def _is_own_page(socket: WebSocket) -> bool:
    """Whether a socket was opened by a page of this server, or by no page at all."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")
