"""One game from its opening to its ending: the table, and all that happened there.

Everything that changes a game is an event, and every event goes through `Playthrough.apply`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kibitz.errors import IllegalMove, KibitzError
from kibitz.rules.contract import Game
from kibitz.table import Record, Table
from kibitz.table.replay import opening
from kibitz.table.snapshot import TableSnapshot
from kibitz.web.endings import Ending, EndingKind, can_be_drawn
from kibitz.web.events import Abandoned, Agreed, Closed, Event, Failed, Moved, Resigned, TimedOut, TookBack


class Phase(Enum):
    """Where a game stands."""

    PREPARING = "preparing"  # the rules and the bots are being compiled
    GATHERING = "gathering"  # people are wanted for open seats
    PLAYING = "playing"
    OVER = "over"


class Playthrough:
    """A table with its events and, once there is one, its ending."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = table  # None until the rules are compiled
        self.ending: Ending | None = None
        self._events: list[Event] = []
        self._moves: list[Moved] = []  # those that stand
        self._undone: list[Moved] = []  # those that were taken back, the first of them first

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened, also what was taken back later."""
        return tuple(self._events)

    @property
    def undone(self) -> tuple[Moved, ...]:
        """The moves that were taken back and can be made again, as long as nobody moves otherwise."""
        return tuple(self._undone)

    @property
    def phase(self) -> Phase:
        if self.ending is not None:
            return Phase.OVER
        return Phase.PREPARING if self.table is None else Phase.PLAYING

    def apply(self, event: Event) -> None:
        """Carry out an event and remember it. An event that is refused changes nothing."""
        self._check(event)
        match event:
            case Moved():
                self._move(event)
                self._undone = self._undone[1:] if self._undone[:1] == [event] else []
                self._moves.append(event)
            case TookBack():
                for _ in range(event.moves):
                    self._ready_table().undo()
                    self._undone.insert(0, self._moves.pop())
        self._events.append(event)
        self.ending = self._ending_after(event)

    def _check(self, event: Event) -> None:
        if self.ending is not None and not _may_follow(event, self.ending):
            raise IllegalMove("The game is over.")
        if self.table is None and isinstance(event, Failed):
            return  # it was not even possible to begin
        table = self._ready_table()
        if isinstance(event, TookBack) and event.moves > len(self._moves):
            raise IllegalMove("There are not that many moves to take back.")
        if isinstance(event, Agreed) and event.draw and not can_be_drawn(table.game):
            raise IllegalMove("There are no draws in this game.")
        if isinstance(event, Resigned | TimedOut | Abandoned) and not 0 <= event.seat < table.game.players:
            raise IllegalMove(f"There is no player {event.seat}.")

    def _move(self, event: Moved) -> None:
        table = self._ready_table()
        plies = len(table.history)
        try:
            table.play(event.move, event.seat)
        except Exception:
            if len(table.history) > plies:  # the move was legal, but then the rules failed to draw chance
                table.undo()
            raise

    def _ending_after(self, event: Event) -> Ending | None:
        match event:
            case Resigned():
                return Ending(EndingKind.RESIGNED, event.seat, "resigned")
            case TimedOut():
                return Ending(EndingKind.TIMED_OUT, event.seat, "ran out of time")
            case Abandoned():
                return Ending(EndingKind.ABANDONED, event.seat, "left the game")
            case Agreed():
                return Ending(EndingKind.DRAWN if event.draw else EndingKind.CALLED_OFF, None, "")
            case Failed():
                return Ending(EndingKind.FAULT, event.seat, event.words)
            case Closed():
                return Ending(EndingKind.CLOSED, None, "")
        return Ending(EndingKind.PLAYED_OUT, None, "") if self._ready_table().over else None

    def _ready_table(self) -> Table:
        if self.table is None:
            raise KibitzError("The table is not ready yet.")
        return self.table

    @classmethod
    def of_record(cls, record: Record, game: Game) -> Playthrough:
        """A game that was played elsewhere; an error when the rules do not allow it."""
        if len(record.turns) != len(record.moves):
            raise KibitzError("This record is damaged: it must name a player for every move.")
        play = cls(opening(record, game))
        for turn, move in zip(record.turns, record.moves, strict=True):
            play.apply(Moved(turn, move))
        play.apply(Closed())
        return play

    @classmethod
    def restore(
        cls, snapshot: TableSnapshot | None, events: Sequence[Event], ending: Ending | None, game: Game
    ) -> Playthrough:
        """A game as it stood; an error when the table, the events and the ending do not belong together."""
        table = None if snapshot is None else Table.restore(snapshot, game)
        play = cls(None if table is None else _opening(table))
        for number, event in enumerate(events, 1):
            try:
                play.apply(event)
            except KibitzError as error:
                raise KibitzError(f"This table cannot be restored: event {number} is refused. {error}") from None
        if play.ending != ending:
            raise KibitzError("This table cannot be restored: its ending does not follow from its events.")
        if table is not None and play.table is not None:
            if (table.history, table.state) != (play.table.history, play.table.state):
                raise KibitzError("This table cannot be restored: its moves do not follow from its events.")
            play.table = table  # where the players' streams stand as they did
        return play


def _may_follow(event: Event, ending: Ending) -> bool:
    """Whether something can still happen after an ending: moves are taken back, or a finished game is closed."""
    if isinstance(event, Closed):
        return ending.kind is EndingKind.PLAYED_OUT
    return isinstance(event, TookBack) and not ending.is_final


def _opening(table: Table) -> Table:
    """A table before anything has happened."""
    saved = table.snapshot()
    return Table(
        table.game,
        saved.seed,
        number=saved.number,
        luck=saved.luck,
        deal=saved.deal,
        seats=saved.seats,
        position=saved.position or None,
        given=table.given,
        secret=saved.secret,
    )
