"""Hexplode in the terminal: every tile shows its counters, the room that is left, and an ! where only one more fits."""

from __future__ import annotations

from typing import Any

import kibitz
from kibitz.game import CHANCE
from kibitz.games.hexplode.tiles import CAPACITY, names, places
from kibitz.state import State

COUNTERS = "●○"  # of each player, so that a board without colours can be read, too
ROOM, LAST_ROOM, DAMAGE = "·", "!", "▒"
LAST_MOVE = "▸"
EDGE, NUMBER, CRITICAL, DAMAGED = "#5c6370", "#8a919c", "bold #ffd75f", "#b58863"
INSIDE = 7  # characters within a tile: the mark of the last move, and six counters


class Canvas:
    """Characters with styles at any place of a page, as rich's markup."""

    def __init__(self, rows: int, columns: int) -> None:
        self._cells = [[(" ", "")] * columns for _ in range(rows)]

    def write(self, row: int, column: int, text: str, style: str) -> None:
        for offset, character in enumerate(text):
            self._cells[row][column + offset] = (character, style)

    def markup(self) -> str:
        return "\n".join(self._line(cells).rstrip() for cells in self._cells)

    @staticmethod
    def _line(cells: list[tuple[str, str]]) -> str:
        line, style = "", ""
        for character, wanted in [*cells, ("", "")]:
            if wanted != style:
                line += ("[/]" if style else "") + (f"[{wanted}]" if wanted else "")
                style = wanted
            line += character
        return line


class Board(kibitz.board.Board):
    seats = ("Red", "Blue")
    colours = ("#ff6b6b", "#5fb3ff")
    how_to_move = "Type the name of a tile: tile_ and the numbers on it, as in tile_1_1."

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"damage {move}"
        return names(game.side)[move]

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        side = game.side
        canvas = Canvas(4 * side - 1, (2 * side - 1) * (INSIDE + 1) + 1)
        for tile, (column, place) in enumerate(places(side)):
            row, left = abs(column - (side - 1)) + 2 * place, column * (INSIDE + 1)
            if place == 0:
                canvas.write(row, left + 1, "_" * INSIDE, EDGE)
            canvas.write(row + 1, left, f"╱{' ' * INSIDE}╲", EDGE)
            canvas.write(row + 2, left, f"╲{'_' * INSIDE}╱", EDGE)
            number = f"{column}_{place}"
            canvas.write(row + 2, left + INSIDE - len(number), number, "bold" if tile == last else NUMBER)
            if tile == last:
                canvas.write(row + 1, left + 1, LAST_MOVE, "bold")
            at = left + 2
            for signs, style in self._content(game, s, tile):
                canvas.write(row + 1, at, signs, style)
                at += len(signs)
        return canvas.markup()

    def _content(self, game: Any, s: State, tile: int) -> list[tuple[str, str]]:
        """What is on a tile, six characters with their styles: counters and the room for more, or damage."""
        if game.damage > 0 and s.damaged[tile]:
            return [(f"{DAMAGE * s.damaged[tile]:^6}", DAMAGED)]
        owner, stack = 0 if s.stacks[tile] > 0 else 1, abs(s.stacks[tile])
        capacity = int(CAPACITY[game.side, tile])
        room = capacity - stack
        return [
            (" " * ((6 - capacity) // 2), ""),
            (COUNTERS[owner] * stack, f"bold {self.colour(owner)}"),
            (LAST_ROOM, CRITICAL) if room == 1 else (ROOM * room, EDGE),
        ]
