"""The Royal Game of Ur on screen: Light's side at the top, Dark's at the bottom, the shared squares between them.

In the terminal, a square shows which step it is on its player's path; a shared square, on that of the player to move.
A flower marks a rosette.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.games.ur.lessons import lessons
from kibitz.games.ur.scene import draw, home_name, landed, piece_in_hand, piece_name, square_name
from kibitz.games.ur.squares import path, squares
from kibitz.games.ur.tasks import TASKS
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

ROSETTE, PIECES, HEADS, TAILS = "✿", "○●", "▲", "△"
WOOD, SHELL, FLOWER = "on #3b2a1e", "#8f7a66 on #3b2a1e", "on #5c2a3f"
FRAME = (
    "┌────┬────┬────┬────┐         ┌────┬────┐",
    "├────┼────┼────┼────┼────┬────┼────┼────┤",
    "├────┼────┼────┼────┼────┴────┼────┼────┤",
    "└────┴────┴────┴────┘         └────┴────┘",
)

VARIANTS = {
    "pieces": "per player",
    "rosettes": "last rosette on the path: 13 classic, 14 Finkel, 16 Masters",
    "coins": "thrown for each roll",
    "safe": "pieces on rosettes cannot be captured",
    "captures": "a capture gives another roll",
}

PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    seats = ("Light", "Dark")
    colours = ("#f5e6c8", "#6fb7d6")
    how_to_move = "Type the step a piece leaves and the one it lands on: 0-3 enters a piece, 8-11 moves one on."
    variants = VARIANTS

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"roll {move}"
        return "pass" if move == game.home else f"{move}-{move + s.roll}"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        lines = [self._side(game, s, 0), f" [{SHELL}]{FRAME[0]}[/]"]
        for row in range(3):
            lines += [f" {self._row(game, s, row)}", f" [{SHELL}]{FRAME[row + 1]}[/]"]
        lines.append(self._side(game, s, 1))
        return "\n".join(lines)

    def _side(self, game: Any, s: State, player: int) -> str:
        """A player's pieces in hand and at home, and the roll."""
        home = game.pieces - s.hand[player] - s.at[player].bit_count()
        line = f" [bold {self.colour(player)}]{self.seat(player):<5}[/]"
        for place, count in (("hand", s.hand[player]), ("home", home)):
            line += f"  [dim]{place}[/] [{self.colour(player)}]{PIECES[player] * count or '–'}[/]"
        return line + (f"  [dim]rolled[/] [bold]{s.roll}[/] {self._coins(game, s.roll)}" if s.turn == player else "")

    def _coins(self, game: Any, roll: int) -> str:
        heads = roll if roll <= game.coins else 0
        return HEADS * heads + TAILS * (game.coins - heads)

    def _row(self, game: Any, s: State, row: int) -> str:
        """One of the three rows of squares."""
        cells = {sq.column: self._square(game, s, sq.steps) for sq in squares(game.rosettes) if sq.row == row}
        side = f"[{SHELL}]│[/]"
        left, right = side.join(cells[c] for c in range(4)), side.join(cells[c] for c in (6, 7))
        middle = side.join(cells[c] for c in (4, 5)) if row == 1 else " " * 9
        return side + left + side + (middle if row == 1 else f"[{SHELL}]{middle}[/]") + side + right + side

    def _square(self, game: Any, s: State, steps: tuple[int, int]) -> str:
        """A square, which is step steps[p] for player p; 0: not on that player's path."""
        mover = s.mover if steps[s.mover] else 1 - s.mover
        rosette = game.rosette_steps >> steps[mover] & 1
        ground = FLOWER if rosette else WOOD
        flower = f"[#e58fb0]{ROSETTE}[/]" if rosette else " "
        for player in range(2):
            if steps[player] and s.at[player] >> steps[player] & 1:
                return f"[{ground}] [bold {self.colour(player)}]{PIECES[player]}[/] {flower}[/]"
        return f"[{ground}][#8f7a66]{steps[mover]:>2}[/] {flower}[/]"

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        columns: dict[str, int | float | str] = {}
        for player in range(2):
            steps = [step for step in range(1, game.home) if s.at[player] >> step & 1]
            columns[f"hand_{player}"] = s.hand[player]
            columns[f"steps_{player}"] = " ".join(map(str, steps))
            columns[f"home_{player}"] = game.pieces - s.hand[player] - len(steps)
        return {**columns, "roll": s.roll, "mover": s.mover, "turn": s.turn}

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """The piece, then the square on which it lands; nothing for a pass."""
        if move == game.home:
            return ()
        target = move + s.roll
        piece = piece_name(s.turn, move) if move else piece_in_hand(s.turn, s.hand[s.turn] - 1)
        landing = home_name(s.turn) if target == game.home else square_name(path(game.rosettes, s.turn)[target])
        return piece, landing

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        """The coins before a throw, when the last piece has arrived."""
        if s.turn == CHANCE:
            yield draw(game, s)

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """The piece where it lands."""
        return () if move == game.home else (landed(game, s, move),)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        home = game.pieces - s.hand[player] - s.at[player].bit_count()
        return {"home": f"{home} of {game.pieces}", "in hand": s.hand[player]}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        if before.turn == CHANCE:
            return [] if game.landings(after) else [f"{self.seat(after.turn)} cannot move."]
        if move == game.home:
            return []
        me, you = self.seat(before.turn), self.seat(1 - before.turn)
        sentences = []
        if move + before.roll == game.home:
            sentences.append(f"{me} brings a piece home.")
        if after.hand[1 - before.turn] > before.hand[1 - before.turn]:
            sentences.append(f"{me} captures one of {you}'s pieces.")
        if after.turn == OVER:
            sentences.append(f"All of {me}'s pieces are home.")
        elif after.mover == before.turn:
            on_rosette = game.rosette_steps >> (move + before.roll) & 1
            sentences.append(f"{'A rosette: ' if on_rosette else ''}{me} rolls again.")
        return sentences

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)
