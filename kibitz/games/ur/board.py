"""The Royal Game of Ur in the terminal: Light's side above, Dark's below, the shared squares between them.

Squares show the step that they are on the path of who can land there; a square of both is numbered for the player to
act. A flower is a rosette.
"""

from __future__ import annotations

from typing import Any

import kibitz
from kibitz.game import CHANCE
from kibitz.games.ur.rules import MASTERS
from kibitz.state import State

ROSETTE, PIECES, HEADS, TAILS = "✿", "○●", "▲", "△"
GAP = -1  # where the board has no square
# Light's steps by row, from above; Dark's are the same from below.
CLASSIC = ((4, 3, 2, 1, GAP, GAP, 14, 13), (5, 6, 7, 8, 9, 10, 11, 12), (0, 0, 0, 0, GAP, GAP, 0, 0))
MASTERS_PATH = ((4, 3, 2, 1, GAP, GAP, 16, 15), (5, 6, 7, 8, 9, 10, 11, 14), (0, 0, 0, 0, GAP, GAP, 12, 13))
WOOD, SHELL, FLOWER = "on #3b2a1e", "#8f7a66 on #3b2a1e", "on #5c2a3f"
FRAME = (
    "┌────┬────┬────┬────┐         ┌────┬────┐",
    "├────┼────┼────┼────┼────┬────┼────┼────┤",
    "├────┼────┼────┼────┼────┴────┼────┼────┤",
    "└────┴────┴────┴────┘         └────┴────┘",
)


class Board(kibitz.board.Board):
    seats = ("Light", "Dark")
    colours = ("#f5e6c8", "#6fb7d6")
    how_to_move = "Type the step a piece leaves and the one it lands on: 0-3 enters one, 8-11 moves one on."

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
        """A player's pieces beside the board, and the throw."""
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
        layout = MASTERS_PATH if game.rosettes == MASTERS else CLASSIC
        squares = []
        for column in range(8):
            light, dark = layout[row][column], layout[2 - row][column]
            squares.append("    " if light == GAP else self._square(game, s, (light, dark)))
        side = f"[{SHELL}]│[/]"
        left, right = side.join(squares[:4]), side.join(squares[6:])
        middle = side.join(squares[4:6]) if row == 1 else " " * 9
        return side + left + side + (middle if row == 1 else f"[{SHELL}]{middle}[/]") + side + right + side

    def _square(self, game: Any, s: State, steps: tuple[int, int]) -> str:
        """A square, which is step steps[p] for player p; 0 for a player who never comes there."""
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
