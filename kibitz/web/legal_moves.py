"""A legal move as the page is told of it."""

from __future__ import annotations

from typing import Any

from kibitz.display.board import Board
from kibitz.rules.contract import Game
from kibitz.state import State


def describe_move(game: Game, board: Board, state: State, move: int) -> dict[str, Any]:
    """A legal move of the player to act: number, name, words, the clicks that make it, and what they put down."""
    return {
        "move": move,
        "name": board.name(game, state, move),
        "say": board.say(game, state, move),
        "clicks": list(board.clicks(game, state, move)),
        "landing": [piece.document() for piece in board.landing(game, state, move)],
    }
