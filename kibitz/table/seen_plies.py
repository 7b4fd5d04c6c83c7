"""The plies of a game in its notation and in words, as one viewer saw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kibitz.display.board import Board
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.state import State


class SeenPly(NamedTuple):
    """A ply as a viewer saw it."""

    ply: int  # its index in the table's history
    turn: int
    move: int
    name: str
    say: str


class SeenPlies:
    """The plies that a viewer saw. It keeps the position that it has reached, so every ply is named once."""

    def __init__(self, game: Game, board: Board, engine: Engine, opening: State, viewer: int) -> None:
        self._game, self._board, self._engine, self._viewer = game, board, engine, viewer
        self._state = opening.copy()
        self._followed = 0  # plies of the table's history
        self._hides_moves = type(game).defines("seen")
        self._seen: list[SeenPly] = []

    def follow(self, history: Sequence[tuple[int, int]]) -> Sequence[SeenPly]:
        """Go on to the end of the table's history; all plies seen so far."""
        for turn, move in history[self._followed :]:
            seen = self._engine.seen(self._state, move, self._viewer) if self._hides_moves else move
            if seen >= 0:
                hides = self._game.has_hidden_information
                known = self._engine.redacted(self._state, self._viewer) if hides else self._state
                name, say = (called(self._game, known, seen) for called in (self._board.name, self._board.say))
                self._seen.append(SeenPly(self._followed, turn, seen, name, say))
            self._engine.play(self._state, move)
            self._followed += 1
        return self._seen
