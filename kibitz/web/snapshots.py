"""A room as a value: all that is needed to go on with it later, in another process, or on another machine.

As JSON it can be kept anywhere. What is read back is checked strictly; it holds no tokens, only their hashes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from kibitz.errors import KibitzError
from kibitz.table.snapshot import TableSnapshot
from kibitz.table.view import Ply
from kibitz.web.access import Grant
from kibitz.web.catalogue import Catalogue
from kibitz.web.clocks import TimeControl
from kibitz.web.endings import Ending
from kibitz.web.events import Event
from kibitz.web.offers import Offer
from kibitz.web.pace import Pace
from kibitz.web.playthrough import Phase
from kibitz.web.setting import Seat, Setting
from kibitz.web.summaries import TableSummary
from kibitz.web.validation import STRICT, in_words

FORMAT = 6  # of the JSON; a change that older or newer code would misread needs another one


@dataclass(frozen=True)
class RoomSnapshot:
    """Everything that makes a room what it is, in plain values."""

    __pydantic_config__ = STRICT  # for all that is within, too

    id: Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
    version: Annotated[int, Field(ge=0)]  # grows with every change
    game: str  # the spec, as browsers name the game
    title: str
    seats: tuple[Seat, ...]
    seed: int | str
    events: tuple[Event, ...]  # all of them, also what was taken back
    table: TableSnapshot | None  # None: the rules were not compiled yet
    ending: Ending | None
    turn_began: float  # by the server's clock, as all times here
    seconds: tuple[Annotated[float, Field(ge=0)], ...]  # that each seat spent on its last move
    clock: TimeControl | None
    time_left: tuple[Annotated[float, Field(ge=0)], ...]  # of each seat when the turn began; empty without clocks
    pace: Pace
    absence: Annotated[float, Field(gt=0)]
    offer: Offer | None
    rematch: str | None  # the id of the table at which the people play on
    grants: tuple[Grant, ...]
    is_listed: bool
    summary: TableSummary  # for lists; not needed to restore the room
    # What came later has a default: tables that were saved before can still be read.
    given: tuple[Ply, ...] = ()  # that had been played elsewhere
    position: str = ""  # where the game began, as text; empty: at the opening

    @property
    def phase(self) -> Phase:
        """Where the game stood."""
        if self.ending is not None:
            return Phase.OVER
        if self.table is None:
            return Phase.PREPARING
        return Phase.GATHERING if any(seat.is_open for seat in self.seats) else Phase.PLAYING

    @property
    def is_unopened(self) -> bool:
        """Whether nothing was prepared yet, so that the game has to be opened."""
        return self.table is None and self.ending is None and not self.events

    @property
    def game_name(self) -> str:
        """The name of the game, without options."""
        return self.game.partition(":")[0]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Who set the game up."""
        return tuple(grant.visitor for grant in self.grants if grant.host)

    def setting(self, catalogue: Catalogue) -> Setting:
        """What the game began with; an error when the game or one of the bots is not available any more."""
        game = catalogue.game(self.game, len(self.seats))
        for seat in self.seats:
            if seat.bot is not None:
                catalogue.check_chosen(seat.bot, game)
        if not all(0 <= seat < game.players for grant in self.grants for seat in grant.seats):
            raise KibitzError("This snapshot of a table is damaged: somebody has a seat that does not exist.")
        if self.table is not None and (self.table.game, self.table.seed) != (self.game, self.seed):
            raise KibitzError("This snapshot of a table is damaged: it is of two different games.")
        if len(self.seconds) != game.players or len(self.time_left) != (game.players if self.clock else 0):
            raise KibitzError("This snapshot of a table is damaged: it has the times of another number of players.")
        if self.table is not None and self.table.position != self.position:
            raise KibitzError("This snapshot of a table is damaged: its game began elsewhere.")
        return Setting(
            game=game,
            spec=self.game,
            title=self.title,
            seats=self.seats,
            seed=self.seed,
            absence=self.absence,
            clock=self.clock,
            is_listed=self.is_listed,
            given=self.given,
            position=self.position,
        )

    def to_json(self) -> str:
        return f'{{"format":{FORMAT},{_ADAPTER.dump_json(self).decode()[1:]}'

    @classmethod
    def from_json(cls, text: str) -> RoomSnapshot:
        """The snapshot that `to_json` wrote; KibitzError when the text is anything else."""
        document = _read_object(text)
        found = document.pop("format", None)
        if found != FORMAT or isinstance(found, bool):
            raise KibitzError(f"This snapshot of a table has the format {found!r:.20}; only {FORMAT} can be read.")
        try:
            return _ADAPTER.validate_json(json.dumps(document))
        except ValidationError as error:
            raise KibitzError(f"This snapshot of a table is damaged: {in_words(error)}") from None


_ADAPTER = TypeAdapter(RoomSnapshot)


def _read_object(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise KibitzError("This is not a snapshot of a table: it is not a JSON object.")
    return document
