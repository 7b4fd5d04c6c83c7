"""The features of Connect Four's positions that networks see (kibitz/learn/features.py): discs and threats.

A threat is an empty cell that would complete four in a row. Which rows they are in decides most games that are played
well, and a small network would have to find all 69 lines to see them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.learn.features import Features, list_bits

BITS = 62  # of a bitboard
OWN, THEIRS, OWN_THREATS, THEIR_THREATS, FIRST_PLAYER = (1 + BITS * number for number in range(5))


@dataclass(init=False, eq=False)
class DiscsAndThreats(Features):
    """The discs and the threats of both sides, cell by cell, from the side of the player to move."""

    def size(self, game: Any) -> int:
        return FIRST_PLAYER + 1

    def most(self, game: Any) -> int:
        return 2 + 3 * game.columns * game.rows

    def viewer(self, game: Any, s: Any) -> int:
        return 1 if s.turn == 1 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        mover = 1 if s.turn == 1 else 0
        own, theirs = s.discs[mover], s.discs[1 - mover]
        empty = game.cells & ~(own | theirs)
        places[0] = FIRST_PLAYER if mover == 0 else 0
        count = list_bits(own, OWN, places, 1)
        count = list_bits(theirs, THEIRS, places, count)
        count = list_bits(game.completing(own) & empty, OWN_THREATS, places, count)
        count = list_bits(game.completing(theirs) & empty, THEIR_THREATS, places, count)
        for i in range(count):
            amounts[i] = 1.0
        return count


FEATURES = {"zero": DiscsAndThreats()}
