"""How a game can end, and what its ending means for the players."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kibitz.rules.contract import Game
from kibitz.table import Table


class EndingKind(StrEnum):
    """How a game ended."""

    PLAYED_OUT = "played out"  # by the rules
    RESIGNED = "resigned"
    TIMED_OUT = "timed out"  # a player's clock has run down
    ABANDONED = "abandoned"  # a player left, and the others went on without
    DRAWN = "drawn"  # by agreement
    CALLED_OFF = "called off"  # by agreement; nobody has won
    FAULT = "fault"  # of a bot, or of the rules
    CLOSED = "closed"  # a record, to look at: nothing more is played


@dataclass(frozen=True)
class Ending:
    """How and why a game ended."""

    kind: EndingKind
    seat: int | None  # the player who ended it, if one did
    words: str  # what that player did ("resigned"), or what went wrong, in a sentence

    @property
    def is_loss(self) -> bool:
        """Whether a player lost by something other than the rules."""
        return self.seat is not None and self.kind is not EndingKind.FAULT

    @property
    def is_final(self) -> bool:
        """Whether not even taking a move back lets the game go on."""
        return self.kind not in (EndingKind.PLAYED_OUT, EndingKind.FAULT)

    def payoff(self, game: Game, table: Table | None) -> list[float] | None:
        """Each player's payoff; None for a game that nobody won, because it was broken off."""
        if self.is_loss and self.seat is not None:
            return game.forfeit_by(self.seat)
        if self.kind is EndingKind.DRAWN:
            return draw(game)
        if self.kind is EndingKind.CALLED_OFF:
            return None
        return table.payoff() if table is not None and table.over else None


def can_be_drawn(game: Game) -> bool:
    """Whether it is clear what everybody gets in a draw."""
    return game.utility_sum is not None


def draw(game: Game) -> list[float]:
    """Everybody's payoff in a draw: all get the same."""
    assert game.utility_sum is not None
    return [game.utility_sum / game.players] * game.players
