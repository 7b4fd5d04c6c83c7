"""Positions for the pictures in lessons, played move by move in plain Python so that nothing has to be compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.errors import IllegalMove
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import Cells, State


def opening(game: Any) -> State:
    """The opening position of a game."""
    s = State(np.zeros(1, game.dtype)[0])
    game.start(s)
    return s


def position(game: Any, moves: Sequence[int], s: State | None = None) -> State:
    """A copy of a position (by default the opening) after some moves and chance outcomes."""
    s = opening(game) if s is None else s.copy()
    for move in moves:
        if s.turn != CHANCE and move not in _legal(game, s):
            raise IllegalMove(f"{move} is not a legal move in {s.to_text()}.")
        game.play(s, move)
    return s


def _legal(game: Any, s: State) -> list[int]:
    if s.turn == OVER:
        return []
    moves = np.zeros(game.max_moves + 1, "i8")  # rules may write one extra move before they find it illegal
    return moves[: game.moves(s, Cells(moves))].tolist()
