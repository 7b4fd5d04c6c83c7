"""Connect Four in the terminal: columns are counted from 1."""

from __future__ import annotations

from typing import Any

import kibitz
from kibitz.state import State


class Board(kibitz.board.Board):
    seats = ("Red", "Yellow")
    colours = ("red", "yellow")
    how_to_move = "Type the number of a column."

    def name(self, game: Any, s: State, move: int) -> str:
        return str(move + 1)

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        lines = []
        for row in reversed(range(game.rows)):
            cells = "".join(self._cell(game, s, column, row, last) for column in range(game.columns))
            lines.append(f"[blue]│[/]{cells} [blue]│[/]")
        lines.append("[blue]└" + "──" * game.columns + "─┘[/]")
        lines.append("  " + " ".join(str((column + 1) % 10) for column in range(game.columns)))
        return "\n".join(lines)

    def _cell(self, game: Any, s: State, column: int, row: int, last: int | None) -> str:
        bit = 1 << game.bit(column, row)
        for player in range(2):
            if s.discs[player] & bit:
                on_top = not (s.discs[0] | s.discs[1]) & bit << 1
                fresh = " underline" if column == last and on_top else ""
                return f" [{self.colour(player)}{fresh}]{'●○'[player]}[/]"
        return " [bright_black]·[/]"
