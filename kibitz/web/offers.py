"""Offers between people: to end the game as a draw, to end it without a result, or to play another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class OfferKind(StrEnum):
    """What all people have to agree to."""

    DRAW = "draw"
    END = "end"  # without a result


@dataclass(frozen=True)
class Offer:
    """What somebody has offered, and who has agreed to it."""

    kind: OfferKind
    agreed: tuple[int, ...]  # the seats of whoever made it come first
    ply: int  # at which it was made

    def joined_by(self, seats: tuple[int, ...]) -> Offer:
        """The offer when other people agree, too."""
        return replace(self, agreed=(*self.agreed, *(seat for seat in seats if seat not in self.agreed)))

    def is_settled(self, people: tuple[int, ...]) -> bool:
        """Whether everyone has agreed."""
        return set(people) <= set(self.agreed)
