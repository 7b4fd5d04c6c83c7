"""Whether a position of Ur that somebody typed is one that compiled rules can play on from."""

from __future__ import annotations

from typing import Any

from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State


def position_error(game: Any, s: State) -> str | None:
    """Why there cannot be such a position; None if there can."""
    path = (1 << game.home) - 2  # every step from 1 on
    at, hand = [int(steps) for steps in s.at], [int(pieces) for pieces in s.hand]
    for player in range(2):
        if at[player] < 0 or at[player] & ~path:
            return f"Player {player} has a piece beside the path."
        if hand[player] < 0 or hand[player] + at[player].bit_count() > game.pieces:
            return f"Player {player} has more than {game.pieces} pieces, or fewer than none."
    if game.met(at[0]) & at[1]:
        return "Two pieces stand on the same square."
    if s.mover not in (0, 1):
        return "The mover is player 0 or 1."
    finished = [player for player in range(2) if at[player] == 0 and hand[player] == 0]
    if len(finished) > 1:
        return "Only one player can have brought all pieces home."
    if finished:
        return None if (s.turn, s.roll) == (OVER, 0) else "The game is over: turn is -2 and roll is 0."
    if s.turn == CHANCE:
        return None if s.roll == 0 else "Before the throw, roll is 0."
    if s.turn != s.mover:
        return "The turn is the mover's, or -1 before the throw."
    lowest = 0 if game.coins == 4 else 1
    return None if lowest <= s.roll <= 4 else f"A roll is from {lowest} to 4."
