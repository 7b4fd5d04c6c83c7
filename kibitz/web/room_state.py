"""How a game on the server stands: all that is saved of a room, and what follows from it."""

from __future__ import annotations

import secrets
from dataclasses import replace

from kibitz.errors import KibitzError
from kibitz.rules.contract import NOBODY, OVER
from kibitz.table import Record, Table
from kibitz.web.access import Access, Grants
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.events import Event, Moved
from kibitz.web.history import GameHistory
from kibitz.web.offers import Offer
from kibitz.web.pace import USUAL_PACE
from kibitz.web.playthrough import Phase, Playthrough
from kibitz.web.server_clock import ServerClock
from kibitz.web.setting import Setting
from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.summaries import summarize
from kibitz.web.turn_times import TurnTimes


class RoomState:
    """Everything that makes a room what it is, whoever watches it and wherever it is played."""

    def __init__(self, setting: Setting, clock: ServerClock) -> None:
        self.id = secrets.token_urlsafe(9)
        self.setting = setting
        self.version = 0  # grows with every change
        self.history: GameHistory | None = None  # None until the rules are compiled
        self.pace = USUAL_PACE
        self.times = TurnTimes(len(setting.seats), setting.clock, clock)
        self.offer: Offer | None = None
        self.rematch: str | None = None  # the id of the table at which the people play on
        self._playthrough = Playthrough()
        self._grants = Grants()

    # -------------------------------------------------------------- the game

    @property
    def table(self) -> Table | None:
        """The table, once the rules are compiled."""
        return self._playthrough.table

    @property
    def phase(self) -> Phase:
        phase = self._playthrough.phase
        return Phase.GATHERING if phase is Phase.PLAYING and self.setting.open_seats else phase

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people play, or are to play."""
        return self.setting.people

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None exactly as long as it is not over."""
        return self._playthrough.ending

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened, also what was taken back."""
        return self._playthrough.events

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def is_record(self) -> bool:
        """Whether this is a game that was played elsewhere, to look at."""
        return self.ending is not None and self.ending.kind is EndingKind.CLOSED

    @property
    def turn(self) -> int:
        """The player to move; OVER after the end, and before the game has begun."""
        return self.table.turn if self.table is not None and self.phase is Phase.PLAYING else OVER

    def payoff(self) -> list[float] | None:
        """Each player's share of the win, or utility, once somebody has won."""
        return None if self.ending is None else self.ending.payoff(self.setting.game, self.table)

    def score(self) -> list[float] | None:
        """The final score, in games that have one."""
        if self.table is None or not self.table.over or not type(self.table.game).defines("score"):
            return None
        return self.table.score()

    def record(self) -> Record:
        """The record of a finished game."""
        if not self.over:
            raise KibitzError("There is no record of a game before it is over.")
        return replace(self._ready_table().record(), game=self.setting.spec)

    @property
    def plies(self) -> int:
        """How many plies have been played."""
        return 0 if self.history is None else len(self.history)

    @property
    def undone(self) -> tuple[Moved, ...]:
        """The moves that were taken back and can be made again."""
        return self._playthrough.undone

    def _ready_table(self) -> Table:
        if self.table is None:
            raise KibitzError(self.ending.words if self.ending else "The table is not ready yet.")
        return self.table

    # -------------------------------------------------------------- who sees what

    def access(self, visitor: str | None) -> Access:
        """What somebody may do here; who was given nothing can only watch."""
        return self._grants.access(visitor)

    def viewer(self, access: Access) -> int:
        """From whose point of view the table is shown. With several seats it is that of the player to move."""
        if len(access.seats) == 1:
            return access.seats[0]
        if self.turn in access.seats:
            return self.turn
        is_secret = self.setting.game.has_hidden_information and not self.over
        return NOBODY if is_secret or not access.seats else access.seats[0]

    # -------------------------------------------------------------- saving and restoring

    def snapshot(self) -> RoomSnapshot:
        """The room as a value, from which the room can be made again."""
        setting, table = self.setting, self.table
        return RoomSnapshot(
            id=self.id,
            version=self.version,
            game=setting.spec,
            title=setting.title,
            seats=setting.seats,
            seed=setting.seed,
            events=self.events,
            table=None if table is None else replace(table.snapshot(), game=setting.spec),
            ending=self.ending,
            turn_began=self.times.began,
            seconds=tuple(self.times.spent),
            clock=setting.clock,
            time_left=tuple(self.times.left),
            pace=self.pace,
            absence=setting.absence,
            offer=self.offer,
            rematch=self.rematch,
            grants=tuple(self._grants),
            is_listed=setting.is_listed,
            given=setting.given,
            position=setting.position,
            summary=summarize(setting, self.ending, self.payoff(), self.plies),
        )

    def _take_over(self, snapshot: RoomSnapshot, setting: Setting) -> None:
        """Become what a snapshot was taken of, but for the game itself."""
        self.setting, self.version, self.pace = setting, snapshot.version, snapshot.pace
        self._grants = Grants(snapshot.grants)
        self.offer, self.rematch = snapshot.offer, snapshot.rematch
        self.times.go_on(snapshot.turn_began, list(snapshot.seconds), list(snapshot.time_left))
