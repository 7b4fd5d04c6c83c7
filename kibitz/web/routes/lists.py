"""Lists of tables: those that everyone may join, watch or replay, and a visitor's own."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from kibitz.web.answers import Answer
from kibitz.web.clocks import TimeControl
from kibitz.web.openapi import errors
from kibitz.web.playthrough import Phase
from kibitz.web.requests import address
from kibitz.web.server import Server
from kibitz.web.store import UNFINISHED, TableQuery
from kibitz.web.summaries import Listing, ListPlace
from kibitz.web.tokens import visitor_of

PAGE_LENGTH = 24
MOST_COUNTED = 100
STAGES = {
    "open": (Phase.GATHERING,),
    "running": (Phase.PLAYING,),
    "unfinished": UNFINISHED,
    "finished": (Phase.OVER,),
}

GameName = Annotated[str, Field(max_length=200)]
PlaceText = Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,9})?_[A-Za-z0-9_-]{1,64}$")]


class ListedSeat(Answer):
    """Who plays a seat."""

    name: str
    bot: bool
    open: bool
    you: bool
    won: bool


class ListedTable(Answer):
    """A table in a list: what everyone may know of it."""

    id: str
    game: str = Field(description="the spec of the game")
    title: str
    phase: Phase
    since: float = Field(description="when this phase began, in seconds since 1970")
    seats: list[ListedSeat]
    plies: int
    result: str = Field(description="a sentence; empty before the end")
    clock: TimeControl | None
    may_delete: bool


class TableCounts(Answer):
    """How many tables each list has, counted up to a hundred."""

    open: int
    running: int
    finished: int
    mine: int = Field(description="your unfinished ones")


class TablePage(Answer):
    """A part of a list of tables, the latest first."""

    tables: list[ListedTable]
    next: str | None = Field(description="the `before` of the next part; null: there is none")
    counts: TableCounts
    now: float = Field(description="the server's time, in seconds since 1970")


def routes(server: Server) -> APIRouter:
    router = APIRouter()

    @router.get("/api/tables", responses=errors(422, 429, 503))
    async def tables(
        request: Request,
        stage: Annotated[Literal["open", "running", "finished"], Query()],
        game: Annotated[GameName | None, Query()] = None,
        before: Annotated[PlaceText | None, Query()] = None,
    ) -> TablePage:
        """Tables that everyone may join, watch or replay."""
        server.questions.take(address(request))
        return await page(TableQuery(STAGES[stage], game, visitor_of(request)), before)

    @router.get("/api/tables/mine", responses=errors(422, 429, 503))
    async def own_tables(
        request: Request,
        stage: Annotated[Literal["unfinished", "finished"], Query()],
        game: Annotated[GameName | None, Query()] = None,
        before: Annotated[PlaceText | None, Query()] = None,
    ) -> TablePage:
        """Your own tables."""
        server.questions.take(address(request))
        return await page(TableQuery(STAGES[stage], game, visitor_of(request), own=True), before)

    async def page(query: TableQuery, before: str | None) -> TablePage:
        found = await server.store.find(query, None if before is None else _place(before), PAGE_LENGTH + 1)
        shown = found[:PAGE_LENGTH]
        return TablePage(
            tables=[_listed(listing) for listing in shown],
            next=_text(shown[-1].place) if len(found) > len(shown) else None,
            counts=await counts(query.game, query.visitor),
            now=time.time(),
        )

    async def counts(game: str | None, visitor: str | None) -> TableCounts:
        queries = [TableQuery(STAGES[stage], game) for stage in ("open", "running", "finished")]
        queries.append(TableQuery(UNFINISHED, game, visitor, own=True))
        gathering, running, finished, mine = await server.store.counts(queries, MOST_COUNTED)
        return TableCounts(open=gathering, running=running, finished=finished, mine=mine)

    return router


def _listed(listing: Listing) -> ListedTable:
    summary, own = listing.summary, listing.access.seats
    seats = [
        ListedSeat(name=seat.name, bot=seat.is_bot, open=seat.is_open, you=player in own, won=seat.has_won)
        for player, seat in enumerate(summary.seats)
    ]
    return ListedTable(
        id=listing.id,
        game=summary.game,
        title=summary.title,
        phase=listing.phase,
        since=listing.since,
        seats=seats,
        plies=summary.plies,
        result=summary.result,
        clock=summary.clock,
        may_delete=listing.may_delete,
    )


def _text(place: ListPlace) -> str:
    return f"{place.since!r}_{place.id}"


def _place(text: str) -> ListPlace:
    since, _, key = text.partition("_")
    return ListPlace(float(since), key)
