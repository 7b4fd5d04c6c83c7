"""The other servers that share this one's tables.

They tell each other what has changed, and agree on which of them leads a table: the leader plays the bots and watches
the clocks, every other one only shows the table and accepts moves of people. peers_in_postgresql.py does it with
PostgreSQL; a server with a store of its own is alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field

from kibitz.web.events import SeatNumber
from kibitz.web.server_clock import ServerClock

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True)
class Saved:
    """A table was saved, or deleted."""

    table: str
    type: Literal["saved"] = "saved"


@dataclass(frozen=True)
class Present:
    """Who is connected to a table at the server that says so."""

    table: str
    seats: tuple[SeatNumber, ...]  # of players
    spectators: Annotated[int, Field(ge=0)]
    type: Literal["present"] = "present"


@dataclass(frozen=True)
class WhoIsPresent:
    """A server that has just opened a table wants to know who is connected to it elsewhere."""

    table: str
    type: Literal["who is present"] = "who is present"


@dataclass(frozen=True)
class Alive:
    """A server is running; the others set their clocks by it."""

    seconds: Annotated[float, Field(ge=0)]
    type: Literal["alive"] = "alive"


@dataclass(frozen=True)
class Leaving:
    """A server is being shut down."""

    type: Literal["leaving"] = "leaving"


News = Annotated[Saved | Present | WhoIsPresent | Alive | Leaving, Field(discriminator="type")]


class PeerListener(Protocol):
    """Who wants to know about other servers."""

    def heard(self, server: str, news: Saved | Present | WhoIsPresent) -> None:
        """Another server has told everyone something."""

    def peer_left(self, server: str) -> None:
        """Another server has been shut down, or has been silent for so long that it must be dead."""

    def peers_lost(self) -> None:
        """The others cannot be heard any more, and nothing is led by this server."""

    def peers_found(self) -> None:
        """The others can be heard again. Anything may have changed in between."""


class Peers(Protocol):
    """The servers with the same tables."""

    @property
    def are_possible(self) -> bool:
        """Whether there can be any."""

    async def meet(self, listener: PeerListener, clock: ServerClock) -> None:
        """Begin to listen."""

    async def announce(self, connection: AsyncConnection, tables: Collection[str]) -> None:
        """Make the news that tables are saved, or deleted, part of a transaction."""

    def tell(self, news: Present | WhoIsPresent) -> None:
        """Tell everyone something, soon. That a table is saved, they learn from the store."""

    async def claim(self, tables: Collection[str]) -> set[str]:
        """Become the leader of those tables that have none; which they are."""

    async def release(self, table: str) -> None:
        """Lead a table no longer; others may."""

    async def part(self) -> None:
        """Lead nothing any more, and listen no longer."""


class Alone:
    """No other servers: this one leads every table."""

    are_possible = False

    async def meet(self, listener: PeerListener, clock: ServerClock) -> None:
        pass

    async def announce(self, connection: AsyncConnection, tables: Collection[str]) -> None:
        pass

    def tell(self, news: Present | WhoIsPresent) -> None:
        pass

    async def claim(self, tables: Collection[str]) -> set[str]:
        return set(tables)

    async def release(self, table: str) -> None:
        pass

    async def part(self) -> None:
        pass
