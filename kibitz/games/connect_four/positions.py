"""Whether a position of Connect Four that somebody typed is one that compiled rules can play on from."""

from __future__ import annotations

from typing import Any

from kibitz.rules.contract import OVER
from kibitz.state import State


def position_error(game: Any, s: State) -> str | None:
    """Why there cannot be such a position; None if there can."""
    red, yellow = int(s.discs[0]), int(s.discs[1])
    filled = red | yellow
    if min(red, yellow) < 0 or filled & ~game.cells:
        return "There are discs beside the board."
    if red & yellow:
        return "Two discs are in the same cell."
    if _floats(game, filled):
        return "A disc hangs in the air."
    counts = red.bit_count(), yellow.bit_count()
    if counts[0] - counts[1] not in (0, 1):
        return f"Red has {counts[0]} discs and Yellow {counts[1]}; Red begins, and they take turns."
    if s.plies != sum(counts):
        return f"There are {sum(counts)} discs, but {s.plies} plies."
    lines = [player for player, discs in enumerate((red, yellow)) if game.has_line(discs)]
    last = 0 if counts[0] > counts[1] else 1  # who dropped the last disc
    if lines not in ([], [last]):
        return "Four in a row ends the game, so that only who moved last can have them."
    winner, turn = (last, OVER) if lines else (-1, OVER if filled == game.cells else 1 - last)
    if (s.winner, s.turn) != (winner, turn):
        return f"With these discs, turn is {turn} and winner is {winner}."
    return None


def _floats(game: Any, filled: int) -> bool:
    """Whether a cell is empty below a filled one."""
    return any(
        filled >> game.bit(column, row + 1) & 1 and not filled >> game.bit(column, row) & 1
        for column in range(game.columns)
        for row in range(game.rows - 1)
    )
