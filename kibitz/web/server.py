"""The web server: the page, an API in JSON over HTTP, and a socket for each browser at a table."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from kibitz.display.board import board_of
from kibitz.display.palette import COLOURS, DAY, NIGHT, usual_colours
from kibitz.display.wording import title_of
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.table import Record
from kibitz.web import assets
from kibitz.web.access import Access
from kibitz.web.catalogue import Catalogue
from kibitz.web.connection import Connection, SharedMessages
from kibitz.web.known_hosts import KnownHosts
from kibitz.web.limits import Allowances, Busy, Limits, TooOften
from kibitz.web.lobby import Lobby
from kibitz.web.messages import (
    YOU,
    Incoming,
    JoinRequest,
    LogRequest,
    RecordRequest,
    SeatRequest,
    TableRequest,
    clean_name,
)
from kibitz.web.precompile import Precompiler
from kibitz.web.room import Room
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Seat, Setting, new_seed
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import MemoryStore, Store
from kibitz.web.thinking_pool import ThinkingPool
from kibitz.web.tokens import is_own_page, known_visitor, visitor_of
from kibitz.web.validation import in_words

TIME_SECONDS = 1.0  # from one time that is saved to the next
PATIENCE = 0.2  # seconds to wait for a new table; that is enough unless something has to be compiled
LARGEST_REQUEST, LARGEST_RECORD = 16_384, 2_000_000  # bytes
NO_SUCH_TABLE = "This table does not exist, or no longer exists."
GONE = 4404  # the code with which the socket is closed then …
FAILED = 4500  # … and if the table cannot be opened …
TOO_MANY = 4429  # … and if somebody has too many sockets open
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

M = TypeVar("M", bound=Incoming)

log = logging.getLogger("kibitz.web")


class Server:
    """Everything that one server has: its catalogue, its open rooms, its threads, and what it has compiled."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store | None = None,
        pace: float = 1.0,
        warm: bool = True,
        limits: Limits | None = None,
        hosts: Collection[str] = (),
    ) -> None:
        """`pace` multiplies the minimum time of a bot's turn; with `warm`, everything is compiled at startup.

        `hosts` are further names by which browsers may call this server, beside localhost and any address.
        """
        self.catalogue = catalogue
        self.hosts = frozenset(hosts)
        self.limits = limits or Limits()
        self.new_tables = Allowances(self.limits.tables)
        self.questions = Allowances(self.limits.questions)
        self.messages = SharedMessages()
        self.sockets: Counter[str] = Counter()  # that each address has open
        self.clock = ServerClock()
        self.store = MemoryStore() if store is None else store
        self.lobby = Lobby(self.store, self.restore)
        self.pool = ThinkingPool()
        self.precompiler = Precompiler(catalogue)
        self._pace = pace
        self._warm = warm
        self._openings: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Run as long as the application does."""
        self.clock.go_on_from(await self.store.load_time())
        keeping_time = asyncio.create_task(self._keep_time())
        if self._warm:
            self.precompiler.start()
        yield
        self.precompiler.stop()
        for task in (keeping_time, *self._openings):
            task.cancel()
        await self.lobby.close()
        with contextlib.suppress(Exception):
            await self.store.keep_time(self.clock.now())
        await self.store.close()
        self.pool.close()

    async def _keep_time(self) -> None:
        """While people play, save the time now and then: after a crash, the clock goes on from there."""
        while True:
            await asyncio.sleep(TIME_SECONDS)
            if self.lobby.is_somebody_there:
                with contextlib.suppress(Exception):  # the next attempt may succeed
                    await self.store.keep_time(self.clock.now())

    async def new_table(self, request: TableRequest, visitor: str) -> dict[str, str]:
        """Set up a table; its id."""
        room = self._room(await asyncio.to_thread(self._setting, request))
        own = tuple(player for player, seat in enumerate(request.seats) if seat.you)
        room.admit(visitor, Access(own, host=True))
        return await self._begin(room)

    async def rematch(self, room: Room, access: Access) -> dict[str, str]:
        """Set up the same table once more, with another seed, for everyone who sits at it; only once, whoever asks."""
        if not room.rights(access).may_rematch:
            raise KibitzError("Only the players can start a rematch, when the game is over.")
        async with room.opening_rematch:
            if room.rematch is None:
                again = self._room(room.setting.again())
                again.admit_all(room)
                room.set_rematch((await self._begin(again))["id"])
                await room.published()
            assert room.rematch is not None
            return {"id": room.rematch}

    async def take_seat(self, key: str, request: JoinRequest, visitor: str) -> dict[str, int]:
        """Give somebody an open seat; its number."""
        room = await self.table(key)
        await room.published()
        seat = room.take_seat(visitor, clean_name(request.name, YOU), request.seat)
        await room.published()
        return {"seat": seat}

    async def seat_bot(self, room: Room, access: Access, seat: int, bot: str) -> None:
        """Let a bot play a free seat."""
        game = room.setting.game
        chosen = await asyncio.to_thread(self.catalogue.bot, bot, game)
        await self.pool.run(lambda stop: self.precompiler.prepare(game, [chosen.spec]))
        room.seat_bot(access, seat, chosen)

    async def table(self, key: str) -> Room:
        """A room by its id; 404 if there is none."""
        room = await self.lobby.get(key)
        if room is None:
            raise HTTPException(404, NO_SUCH_TABLE)
        return room

    async def open_record(self, body: bytes, visitor: str) -> dict[str, str]:
        """Set up a table at which a finished game is shown: a record that was sent, or a game from a log."""
        record = await self._find_record(_read_json(body))
        game = self.catalogue.game(self.catalogue.spec(record.game))
        names = [clean_name(name, "?") for name in record.seats]
        names += [f"Player {player + 1}" for player in range(len(names), game.players)]
        colours = usual_colours(game, board_of(game))
        seats = tuple(Seat(name, colour, None, False, False) for name, colour in zip(names, colours, strict=False))
        room = self._room(Setting(game, self.catalogue.spec(game), title_of(game)[0], seats, record.seed))
        await room.open_record(record)
        room.admit(visitor, Access(host=True))
        await self.lobby.add(room)
        return {"id": room.id}

    async def _find_record(self, request: Any) -> Record:
        if isinstance(request, dict) and "log" in request:
            wanted = LogRequest.model_validate(request)
            return await self.pool.run(lambda stop: self.catalogue.logged(wanted.log, wanted.game))
        return RecordRequest.model_validate(request).record()

    def _setting(self, request: TableRequest) -> Setting:
        game = self.catalogue.game(request.game, len(request.seats) or None)
        is_chosen = request.colours is not None
        colours = usual_colours(game, board_of(game)) if request.colours is None else request.colours
        if len(request.seats) != game.players or len(colours) != game.players:
            raise KibitzError(f"This game has {game.players} seats; say who takes each of them.")
        if len(set(colours)) < min(len(colours), len(COLOURS)):
            raise KibitzError("Every seat needs a colour of its own.")
        seats = tuple(
            self._seat(player, wanted, colour, is_chosen, game)
            for player, (wanted, colour) in enumerate(zip(request.seats, colours, strict=True))
        )
        if request.seed is not None and any(seat.is_open for seat in seats):
            raise KibitzError("Who knows the seed knows the dice to come: with open seats, it cannot be chosen.")
        if request.clock is not None and all(seat.bot is not None for seat in seats):
            raise KibitzError("A clock needs a person at the table.")
        seed, title = new_seed() if request.seed is None else request.seed, title_of(game)[0]
        return Setting(game, self.catalogue.spec(game), title, seats, seed, request.absence, request.clock)

    def _seat(self, player: int, wanted: SeatRequest, colour: int, is_chosen: bool, game: Game) -> Seat:
        if [wanted.you, wanted.open, wanted.bot is not None].count(True) != 1:
            raise KibitzError(f"Seat {player + 1} must be either yours, or open, or a bot's.")
        bot = None if wanted.bot is None else self.catalogue.bot(wanted.bot, game)
        name = clean_name(wanted.name, YOU if bot is None else bot.title)
        return Seat(YOU if wanted.open else name, colour, bot, is_chosen, wanted.open)

    def _room(self, setting: Setting) -> Room:
        return Room(setting, self.pool, self.precompiler, self._pace, self.catalogue.terms, self.clock)

    async def restore(self, snapshot: RoomSnapshot) -> Room:
        """Restore a room from its snapshot."""
        return await Room.restore(
            snapshot, self.catalogue, self.pool, self.precompiler, self._pace, self.catalogue.terms, self.clock
        )

    async def _begin(self, room: Room) -> dict[str, str]:
        await self.lobby.add(room)
        opening = asyncio.create_task(room.open())
        self._openings.add(opening)  # the event loop itself keeps only a weak reference
        opening.add_done_callback(self._openings.discard)
        await asyncio.wait([opening], timeout=PATIENCE)
        return {"id": room.id}


def make_app(server: Server) -> FastAPI:
    """The web application of a server: the page, an API in JSON, and a socket for each browser at a table."""
    app = FastAPI(title="kibitz", lifespan=server.lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    _add_errors(app)
    _add_pages(app)
    _add_api(app, server)
    _add_socket(app, server)
    app.add_middleware(KnownHosts, server.hosts)
    app.mount("/static", StaticFiles(directory=assets.STATIC), name="static")
    return app


def _add_errors(app: FastAPI) -> None:
    """Secure every response, and answer every error with a sentence."""

    @app.middleware("http")
    async def secure(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await answer(request)
        response.headers.update(SECURITY)
        if not request.url.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-cache")  # revalidated each time, which is quick
        return response

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> Response:
        status = 429 if isinstance(error, TooOften) else 503
        return JSONResponse({"error": str(error)}, status, {"Retry-After": str(error.retry_after)})

    @app.exception_handler(KibitzError)
    async def refused(request: Request, error: KibitzError) -> Response:
        return JSONResponse({"error": str(error)}, 422)

    @app.exception_handler(ValidationError)
    async def malformed(request: Request, error: ValidationError) -> Response:
        return JSONResponse({"error": f"Malformed request: {in_words(error)}"}, 422)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        log.error("%s %s failed.", request.method, request.url.path, exc_info=error)
        return JSONResponse({"error": _apology(error)}, 500, SECURITY)

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": str(error.detail)}, error.status_code)
        return HTMLResponse(assets.page(), error.status_code)  # it tells people that there is no such page


def _add_pages(app: FastAPI) -> None:
    @app.get("/")
    @app.get("/table/{key}")
    @app.get("/rules/{name}")
    async def page(request: Request) -> Response:
        response = HTMLResponse(assets.page())
        known_visitor(request, response)  # so that browsers have a token from the first page on
        return response

    @app.get("/static/{stamp}/{name}")
    async def asset(stamp: str, name: str) -> Response:
        headers = {"Cache-Control": assets.cache_control(stamp)}
        if name == assets.PAINTS:
            return Response(assets.paints(), media_type="text/css", headers=headers)
        file = assets.asset(name)
        if file is None:
            raise HTTPException(404, "There is no such file.")
        return FileResponse(file, headers=headers)


def _add_api(app: FastAPI, server: Server) -> None:
    @app.get("/api/games")
    async def games() -> Response:
        cards = await asyncio.to_thread(lambda: [_card(server, name) for name in server.catalogue.names])
        return JSONResponse({"games": cards, "palette": DAY, "palette_night": NIGHT})

    @app.get("/api/games/{name}/bots")
    async def bots(request: Request, name: str, game: str = "") -> dict[str, Any]:
        server.questions.take(_address(request))
        rules = await asyncio.to_thread(server.catalogue.game, game or name)
        return {"bots": await asyncio.to_thread(server.catalogue.bots, rules)}

    @app.get("/api/games/{name}/rules")
    async def rules(request: Request, name: str, game: str = "") -> Response:
        server.questions.take(_address(request))
        chosen = await asyncio.to_thread(server.catalogue.game, game or name)
        return JSONResponse(await asyncio.to_thread(_lessons, chosen))

    @app.post("/api/tables")
    async def new_table(request: Request, response: Response) -> dict[str, str]:
        server.new_tables.take(_address(request))
        wanted = _read(TableRequest, await _body(request, LARGEST_REQUEST))
        return await server.new_table(wanted, known_visitor(request, response))

    @app.post("/api/tables/{key}/seats")
    async def take_seat(key: str, request: Request, response: Response) -> dict[str, int]:
        wanted = _read(JoinRequest, await _body(request, LARGEST_REQUEST))
        return await server.take_seat(key, wanted, known_visitor(request, response))

    @app.get("/api/tables/{key}/record")
    async def record(key: str) -> Response:
        room = await server.table(key)
        await room.published()
        name = f"{room.setting.spec.partition(':')[0]}-{room.id}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(room.record().to_json(), media_type="application/json", headers=headers)

    @app.post("/api/records")
    async def open_record(request: Request, response: Response) -> dict[str, str]:
        server.new_tables.take(_address(request))
        return await server.open_record(await _body(request, LARGEST_RECORD), known_visitor(request, response))

    @app.get("/api/logs")
    async def logs() -> list[dict[str, Any]]:
        return await asyncio.to_thread(server.catalogue.logs)


def _add_socket(app: FastAPI, server: Server) -> None:
    @app.websocket("/ws/{key}")
    async def at_table(socket: WebSocket, key: str) -> None:
        if not is_own_page(socket):
            await socket.close()
            return
        await socket.accept()
        address = _address(socket)
        if server.sockets[address] >= server.limits.sockets:
            await _hang_up(socket, "You have too many tables open at the same time; please close some.", TOO_MANY)
            return
        server.sockets[address] += 1
        try:
            await sit_down(socket, key)
        finally:
            server.sockets[address] -= 1
            server.sockets += Counter()  # forgets those that have none left

    async def sit_down(socket: WebSocket, key: str) -> None:
        try:
            room = await server.lobby.get(key)
        except Exception as error:  # the store failed, or the table cannot be restored
            log.exception("Table %s cannot be opened.", key)
            await _hang_up(socket, str(error) if isinstance(error, KibitzError) else _apology(error), FAILED)
            return
        if room is None:
            await _hang_up(socket, NO_SUCH_TABLE, GONE)
            return
        rate = server.limits.messages
        await Connection(socket, room, visitor_of(socket), server.pool, server, server.messages, rate).serve()


def _address(connection: HTTPConnection) -> str:
    """Where a request comes from."""
    return connection.client.host if connection.client else ""


def _apology(error: Exception) -> str:
    """What people are told about an internal error: only its type, because its text may be confidential."""
    return f"Something went wrong on the server ({type(error).__name__})."


async def _hang_up(socket: WebSocket, words: str, code: int) -> None:
    await socket.send_json({"type": "error", "error": words})
    await socket.close(code)


def _card(server: Server, name: str) -> dict[str, Any]:
    game, facts = server.catalogue.game(name), server.catalogue.facts(name)
    ready = server.precompiler.is_ready(game, [facts["levels"][-1]["spec"]])
    return {**facts, "scene": server.precompiler.picture(game), "ready": ready}


def _lessons(game: Game) -> dict[str, Any]:
    lessons = [
        {"title": lesson.title, "words": lesson.words, "scene": lesson.scene.document() if lesson.scene else None}
        for lesson in board_of(game).lessons(game)
    ]
    title, words = title_of(game)
    return {"title": title, "words": words, "lessons": lessons, "palette": DAY, "palette_night": NIGHT}


async def _body(request: Request, most: int) -> bytes:
    """The body of a request from a page of this server: forms on other pages cannot send this content type."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise KibitzError("The content type must be application/json.")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise KibitzError(f"The request is too large: it has more than {most} bytes.")
    return body


def _read(model: type[M], body: bytes) -> M:
    """What a request asks for; KibitzError or ValidationError if it is malformed."""
    _read_json(body)
    return model.model_validate_json(body)


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise KibitzError("Malformed request: it is not JSON.") from None
