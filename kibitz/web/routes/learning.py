"""Learning a game: tasks that are tried out on the board, and puzzles, a new one each day."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from kibitz.analysis.puzzles import Puzzle, shipped_puzzles
from kibitz.display.board import board_of
from kibitz.display.palette import DAY, NIGHT
from kibitz.display.tasks import Task
from kibitz.display.wording import title_of
from kibitz.rules.contract import Game
from kibitz.rules.spec import parse_spec
from kibitz.web.answers import Answer, Picture
from kibitz.web.exercises import of_the_day, set_puzzle, set_task, try_puzzle, try_task
from kibitz.web.messages import Incoming, Whole
from kibitz.web.openapi import errors, takes
from kibitz.web.requests import address, read
from kibitz.web.server import Server

Number = Annotated[int, Path(ge=1, le=1000)]


class Attempt(Incoming):
    """A move that somebody tries."""

    move: Whole


class ExerciseMove(Answer):
    """A legal move, the clicks that make it, and the pieces that it puts down."""

    move: int
    name: str
    say: str
    clicks: list[str]
    landing: list[dict[str, Any]]


class ExerciseSeat(Answer):
    """A player, and what is shown beside their name."""

    title: str
    counters: dict[str, str]


class ExercisePly(Answer):
    """What happened before the position."""

    ply: int
    seat: int
    name: str
    say: str
    words: list[str]


class ExerciseAnswer(Answer):
    """A position to find a move in, as the player to move may see it."""

    title: str
    words: str = Field(description="What to do.")
    seat: str
    player: int
    seats: list[ExerciseSeat]
    scene: Picture
    text: str = Field(description="The position, where the game has no scene.")
    moves: list[ExerciseMove]
    log: list[ExercisePly]
    palette: list[str]
    palette_night: list[str]


class PuzzleAnswer(ExerciseAnswer):
    """A puzzle. Its solution is the answer to an attempt."""

    number: int
    of: int


class AttemptAnswer(Answer):
    """Whether a move was right, in words, and the position after it."""

    right: bool
    words: str
    scene: Picture
    text: str
    steps: list[Picture]


class WeighedMove(Answer):
    """A move of a puzzle: its value is the mover's share of the win, or normalized utility."""

    name: str
    say: str
    clicks: list[str]
    value: float
    words: str
    exact: bool
    line: list[str]
    say_line: list[str]


class PuzzleAttemptAnswer(AttemptAnswer):
    """Whether a move solves a puzzle, and why."""

    chosen: WeighedMove
    best: WeighedMove
    played: str = Field(description="The move that was played in the game from which the puzzle is.")
    say_played: str


class PuzzleCard(Answer):
    """The puzzles of a game."""

    name: str
    title: str
    puzzles: int
    today: int = Field(description="The number of today's puzzle.")
    scene: Picture


class PuzzlesAnswer(Answer):
    """The puzzles of all games."""

    day: str = Field(description="Today, in UTC: YYYY-MM-DD.")
    games: list[PuzzleCard]
    palette: list[str]
    palette_night: list[str]


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.get(
        "/api/games/{name}/lessons/{number}", response_model=ExerciseAnswer, responses=errors(404, 422, 429, 503)
    )
    async def task(request: Request, name: str, number: Number, game: str = "") -> Response:
        """The task of a lesson of the rules: what to do, and the position."""
        rules, found = await task_of(request, name, number, game)
        exercise = await asyncio.to_thread(lambda: set_task(found, rules).document())
        return JSONResponse(_asked(rules, found.words, exercise))

    @router.post(
        "/api/games/{name}/lessons/{number}",
        response_model=AttemptAnswer,
        responses=errors(404, 422, 429, 503),
        openapi_extra=takes(Attempt),
    )
    async def attempt_task(request: Request, name: str, number: Number, game: str = "") -> Response:
        """Try a move at the task of a lesson."""
        attempt = await read(Attempt, request)
        rules, found = await task_of(request, name, number, game)
        return JSONResponse(await asyncio.to_thread(try_task, found, rules, attempt.move))

    async def task_of(request: Request, name: str, number: int, spec: str) -> tuple[Game, Task]:
        server.questions.take(address(request))
        rules = await server.variants.game(spec or name, None, address(request))
        lessons = await asyncio.to_thread(lambda: board_of(rules).lessons(rules))
        if number > len(lessons) or (found := lessons[number - 1].task) is None:
            raise HTTPException(404, "There is no such task.")
        await server.precompiler.prepare(found.game or rules)
        return rules, found

    @router.get("/api/puzzles", response_model=PuzzlesAnswer, responses=errors())
    async def puzzles() -> Response:
        """The games that have puzzles, how many, and which one is today's."""
        cards = await asyncio.to_thread(lambda: [card for name in server.catalogue.names for card in cards_of(name)])
        day = server.today().isoformat()
        return JSONResponse({"day": day, "games": cards, "palette": DAY, "palette_night": NIGHT})

    def cards_of(name: str) -> list[dict[str, Any]]:
        """The card of a game, if it has puzzles."""
        game = server.catalogue.game(name)
        count = len(shipped_puzzles(game))
        if not count:
            return []
        today = of_the_day(name, count, server.today()) + 1
        scene = server.precompiler.picture(game)
        return [{"name": name, "title": title_of(game)[0], "puzzles": count, "today": today, "scene": scene}]

    @router.get("/api/games/{name}/puzzles/{number}", response_model=PuzzleAnswer, responses=errors(404, 422, 429, 503))
    async def puzzle(request: Request, name: str, number: Number) -> Response:
        """A puzzle: the position, without the solution."""
        rules, found, count = await puzzle_of(request, name, number)
        exercise = await asyncio.to_thread(lambda: set_puzzle(found, rules).document())
        asked = _asked(rules, "Find the best move.", exercise)
        return JSONResponse({**asked, "number": number, "of": count})

    @router.post(
        "/api/games/{name}/puzzles/{number}",
        response_model=PuzzleAttemptAnswer,
        responses=errors(404, 422, 429, 503),
        openapi_extra=takes(Attempt),
    )
    async def attempt_puzzle(request: Request, name: str, number: Number) -> Response:
        """Try a move at a puzzle: whether it is right, what the best move is, and what each of them is worth."""
        attempt = await read(Attempt, request)
        rules, found, _ = await puzzle_of(request, name, number)
        return JSONResponse(await asyncio.to_thread(try_puzzle, found, rules, attempt.move))

    async def puzzle_of(request: Request, name: str, number: int) -> tuple[Game, Puzzle, int]:
        server.questions.take(address(request))
        if name not in server.catalogue.names:
            raise HTTPException(404, "There is no such game.")
        found = await asyncio.to_thread(shipped_puzzles, server.catalogue.game(name))
        if number > len(found):
            raise HTTPException(404, "There is no such puzzle.")
        chosen = found[number - 1]
        rules = await asyncio.to_thread(server.catalogue.game, _variant(name, chosen))
        await server.precompiler.prepare(rules)
        return rules, chosen, len(found)

    return router


def _variant(name: str, puzzle: Puzzle) -> str:
    """The variant that a puzzle is of, as browsers name it."""
    options = ",".join(f"{key}={value}" for key, value in parse_spec(puzzle.game).options.items())
    return f"{name}:{options}" if options else name


def _asked(game: Game, words: str, exercise: dict[str, Any]) -> dict[str, Any]:
    return {"title": title_of(game)[0], "words": words, **exercise, "palette": DAY, "palette_night": NIGHT}
