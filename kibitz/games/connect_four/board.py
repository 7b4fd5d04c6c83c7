"""Connect Four on screen: columns are numbered from 1; Red's discs are solid, Yellow's are rings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.games.connect_four.lessons import lessons
from kibitz.games.connect_four.scene import SEATS, column_name, draw, placed_disc, winning_discs
from kibitz.games.connect_four.tasks import TASKS
from kibitz.rules.contract import OVER
from kibitz.state import State

PLATE = "on #1b3a8c"  # the blue grid that holds the discs
FRAME = f"#5673c4 {PLATE}"
WON = "on #3a62d8"  # the grid behind the winning discs
HOLE, DISCS, WINNING_DISCS = "·", "●○", "★☆"
LAST_MOVE = "▾"

VARIANTS = {"columns": "Columns", "rows": "Rows"}
PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    seats = SEATS
    colours = ("#ff5f5f", "#ffd75f")
    how_to_move = "Type the number of a column."
    variants = VARIANTS

    def name(self, game: Any, s: State, move: int) -> str:
        return str(move + 1)

    def say(self, game: Any, s: State, move: int) -> str:
        return f"column {move + 1}"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        discs, won = s.discs.tolist(), winning_discs(game, s)
        rows = [
            "".join(self._cell(discs, game.bit(column, row), won) for column in range(game.columns))
            for row in reversed(range(game.rows))
        ]
        side = f"[{FRAME}]│[/]"
        foot = f" [{FRAME}]└{'───' * game.columns}┘[/]"
        return "\n".join([self._arrow(s, last), *(f" {side}{row}{side}" for row in rows), foot, self._numbers(game, s)])

    def _cell(self, discs: Sequence[int], bit: int, won: int) -> str:
        for player in range(2):
            if discs[player] >> bit & 1:
                if won >> bit & 1:
                    return f"[bold {self.colour(player)} {WON}] {WINNING_DISCS[player]} [/]"
                return f"[bold {self.colour(player)} {PLATE}] {DISCS[player]} [/]"
        return f"[{FRAME}] {HOLE} [/]"

    def _arrow(self, s: State, last: int | None) -> str:
        """The marker above the column just played, in the mover's colour."""
        if last is None or not s.plies:
            return ""
        mover = (s.plies - 1) % 2
        return " " * (3 + 3 * last) + f"[{self.colour(mover)}]{LAST_MOVE}[/]"

    def _numbers(self, game: Any, s: State) -> str:
        """The column numbers; those of full columns are dimmed."""
        filled = s.discs[0] | s.discs[1]
        numbers = []
        for column in range(game.columns):
            full = filled >> game.bit(column, game.rows - 1) & 1
            numbers.append(f"[{'bright_black' if full else 'bold'}]{column + 1:^3}[/]")
        return "  " + "".join(numbers)

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, last, self.seats)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        return (column_name(move),)

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """The disc at the place to which it falls."""
        filled = s.discs[0] | s.discs[1]
        row = sum(filled >> game.bit(move, row) & 1 for row in range(game.rows))
        return (placed_disc(game.rows, s.turn, move, row, False, self.seats[s.turn]),)

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        if after.turn != OVER:
            return []
        return ["The board is full."] if after.winner < 0 else [f"{self.does(after.winner, 'has')} four in a row."]

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)
