"""What lists of tables say of a table: only what everyone may know of it, also while it is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from kibitz.web.access import SPECTATOR, Access
from kibitz.web.clocks import TimeControl
from kibitz.web.endings import Ending
from kibitz.web.playthrough import Phase
from kibitz.web.results import player_name, result
from kibitz.web.setting import Setting
from kibitz.web.validation import STRICT


@dataclass(frozen=True)
class SeatSummary:
    """Who plays a seat."""

    name: str
    is_bot: bool
    is_open: bool
    has_won: bool


@dataclass(frozen=True)
class TableSummary:
    """A table in a few words."""

    __pydantic_config__ = STRICT

    game: str  # the spec, as browsers name the game
    title: str
    seats: tuple[SeatSummary, ...]
    plies: Annotated[int, Field(ge=0)]
    result: str  # in a sentence; empty before the end
    clock: TimeControl | None

    def to_json(self) -> str:
        return _ADAPTER.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> TableSummary:
        return _ADAPTER.validate_json(text)


_ADAPTER = TypeAdapter(TableSummary)


class ListPlace(NamedTuple):
    """Where a table stands in a list: the latest come first."""

    since: float
    id: str


@dataclass(frozen=True)
class Listing:
    """A table in a list."""

    id: str
    phase: Phase
    since: float  # when this phase began, in seconds since 1970
    summary: TableSummary
    access: Access  # of the visitor who asks

    @property
    def place(self) -> ListPlace:
        return ListPlace(self.since, self.id)

    @property
    def may_delete(self) -> bool:
        """Whether whoever asks may delete the table."""
        return may_delete(self.summary, self.phase, self.access)


def summarize(setting: Setting, ending: Ending | None, payoff: Sequence[float] | None, plies: int) -> TableSummary:
    """What everyone may know of a table."""
    best = max(payoff) if payoff and len(set(payoff)) > 1 else None  # None: there is no winner
    seats = tuple(
        SeatSummary(
            player_name(setting, SPECTATOR, player),
            seat.bot is not None,
            seat.is_open,
            payoff is not None and payoff[player] == best,
        )
        for player, seat in enumerate(setting.seats)
    )
    words = result(setting, SPECTATOR, ending, payoff)
    return TableSummary(setting.spec, setting.title, seats, plies, words, setting.clock)


def may_delete(summary: TableSummary, phase: Phase, access: Access) -> bool:
    """Whether somebody may delete a table: who set it up, or its only person; not while others play there."""
    people = {player for player, seat in enumerate(summary.seats) if not seat.is_bot}
    others = {player for player in people if not summary.seats[player].is_open} - set(access.seats)
    is_alone = bool(access.seats) and people <= set(access.seats)
    return (access.host or is_alone) and not (others and phase is Phase.PLAYING)
