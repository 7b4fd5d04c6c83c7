"""Setting up a position of Connect Four: discs fall into columns, and the highest of a column can be taken away."""

from __future__ import annotations

from typing import Any

from kibitz.display.position_editor import PositionEditor
from kibitz.games.connect_four.scene import column_name
from kibitz.rules.contract import OVER
from kibitz.state import State

TAKE_AWAY = 2


class Editor(PositionEditor):
    items = "Red disc", "Yellow disc", "Take away"
    chooses_turn = False  # the discs say whose turn it is

    def places(self, game: Any, s: State, item: int) -> list[tuple[str, ...]]:
        heights = [_height(game, s, column) for column in range(game.columns)]
        fits = [height > 0 if item == TAKE_AWAY else height < game.rows for height in heights]
        return [(column_name(column),) for column in range(game.columns) if fits[column]]

    def put(self, game: Any, s: State, item: int, clicks: tuple[str, ...]) -> None:
        column = next(column for column in range(game.columns) if clicks == (column_name(column),))
        height = _height(game, s, column)
        if item == TAKE_AWAY:
            for player in range(2):
                s.discs[player] &= ~(1 << game.bit(column, height - 1))
        else:
            s.discs[item] |= 1 << game.bit(column, height)
        self._settle(game, s)

    def _settle(self, game: Any, s: State) -> None:
        red, yellow = (int(s.discs[player]) for player in range(2))
        s.plies = red.bit_count() + yellow.bit_count()
        s.winner = next((player for player in range(2) if game.has_line(int(s.discs[player]))), -1)
        is_over = s.winner >= 0 or red | yellow == game.cells
        s.turn = OVER if is_over else int(red.bit_count() > yellow.bit_count())


def _height(game: Any, s: State, column: int) -> int:
    filled = s.discs[0] | s.discs[1]
    return sum(filled >> game.bit(column, row) & 1 for row in range(game.rows))
