"""Who may do what in a room: one question each, as the room stands now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.web.access import Access
from kibitz.web.endings import can_be_drawn
from kibitz.web.offers import OfferKind
from kibitz.web.playthrough import Phase

if TYPE_CHECKING:
    from kibitz.web.room import Room


class Rights:
    """What somebody with some access may do in a room now."""

    def __init__(self, room: Room, access: Access) -> None:
        self._room = room
        self._seats = access.seats
        self._is_host = access.host

    @property
    def is_alone(self) -> bool:
        """Whether they play against nobody but bots."""
        return bool(self._seats) and set(self._room.people) <= set(self._seats)

    @property
    def is_playing(self) -> bool:
        """Whether they play a game that is in progress."""
        return self._room.phase is Phase.PLAYING and bool(self._seats)

    # -------------------------------------------------------------- the game

    @property
    def may_undo(self) -> bool:
        room = self._room
        if room.table is None or not self.is_alone or room.setting.clock is not None:
            return False
        if room.ending is not None and (room.ending.is_final or self._ending_reveals):
            return False
        return any(ply.turn in self._seats for ply in room.table.history[len(room.setting.given) :])

    @property
    def may_redo(self) -> bool:
        return bool(self._room.undone) and not self._room.over and self.is_alone

    @property
    def _ending_reveals(self) -> bool:
        """Whether people know more after the end than they may know before it: hands, or the dice to come."""
        game = self._room.setting.game
        return game.has_hidden_information or game.has_chance

    @property
    def may_resign(self) -> bool:
        return self.is_playing

    @property
    def may_analyse(self) -> bool:
        """Finished games are open to everyone, and so are games of bots that hide nothing; before the end of any other,
        only people who play alone against bots may analyse."""
        room = self._room
        is_open = room.over or (not room.people and not room.setting.game.has_hidden_information)
        return room.table is not None and (is_open or (self.is_alone and len(room.people) == 1))

    @property
    def may_hint(self) -> bool:
        return self.may_analyse and not self._room.over and self._room.turn in self._seats

    @property
    def may_set_pace(self) -> bool:
        """Whether they may pause a game of bots, step through it, and choose its speed."""
        return self._is_host and not self._room.people and not self._room.over

    @property
    def may_rematch(self) -> bool:
        room = self._room
        if room.is_record or room.phase is Phase.GATHERING:
            return False
        return self.is_alone or (room.over and bool(self._seats)) or (self._is_host and not room.people)

    # -------------------------------------------------------------- among people

    @property
    def may_take_seat(self) -> bool:
        return self._room.phase is Phase.GATHERING and not self._seats

    def may_seat_bot(self, seat: int) -> bool:
        """Hosts may give open seats to bots; players, the seats of those who have left."""
        is_free = seat in self._room.setting.open_seats and not self._room.over
        return (self._is_host and is_free) or self.may_claim(seat)

    def may_claim(self, seat: int) -> bool:
        """Whether they need not wait any longer for a player who has left."""
        if not self.is_playing or seat in self._seats or seat not in self._room.people:
            return False
        return self._room.audience.absent_for(seat) >= self._room.setting.absence

    def may_offer(self, kind: OfferKind) -> bool:
        """People can agree on a draw if no bot plays, which could not be asked; and on an early end in any case."""
        room = self._room
        if not self.is_playing or self.is_alone:
            return False
        if room.offer is not None and (room.offer.agreed[0] not in self._seats or room.offer.ply == room.plies):
            return False
        return kind is OfferKind.END or (not room.setting.bot_specs and can_be_drawn(room.setting.game))

    @property
    def may_answer(self) -> bool:
        """Whether they are asked to agree to an offer."""
        room = self._room
        return room.offer is not None and bool(set(self._seats) & set(room.people) - set(room.offer.agreed))
