"""The Royal Game of Ur on screen: Light's side at the top, Dark's at the bottom, the shared squares between them.

In the terminal, a square shows which step it is on its player's path; a shared square, on that of the player to move.
Letters and numbers at the edges give its coordinates, which people use.
A flower marks a rosette.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.games.ur.lessons import lessons
from kibitz.games.ur.scene import SEATS, draw, home_name, landed, piece_in_hand, piece_name, square_name
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
LETTERS = "".join(f"{letter:>3}  " for letter in "abcdefgh").rstrip()

VARIANTS = {
    "pieces": "Pieces for each player",
    "rosettes": "Path",
    "coins": "Coins to throw",
    "safe": "Nobody can be captured on a rosette",
    "captures": "Whoever captures a piece throws again",
}
CHOICES = {"rosettes": {13: "Classic", 14: "Finkel's", 16: "Masters, a longer way"}}

PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    seats = SEATS
    colours = ("#f5e6c8", "#6fb7d6")
    how_to_move = "Type enter on b3, move d2 to g2 or bring g3 home; or type steps: 0-3 enters, 8-11 moves on."
    variants = VARIANTS
    choices = CHOICES

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"roll {move}"
        return "pass" if move == game.home else f"{move}-{move + s.roll}"

    def say(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"{self.does(s.mover, 'rolls')} {move}"
        if move == game.home:
            return "pass"
        way, target = path(game.rosettes, s.turn), move + s.roll
        if target == game.home:
            return f"bring {way[move].coordinates} home"
        landing = way[target].coordinates
        return f"move {way[move].coordinates} to {landing}" if move else f"enter on {landing}"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        lines = [self._side(game, s, 0), f"  [{SHELL}]{FRAME[0]}[/]"]
        for row in range(3):
            lines += [f"[dim]{3 - row}[/] {self._row(game, s, row)}", f"  [{SHELL}]{FRAME[row + 1]}[/]"]
        lines.append(f"  [dim]{LETTERS}[/]")
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
        return draw(game, s, self.seats)

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
            yield draw(game, s, self.seats)

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """The piece where it lands."""
        return () if move == game.home else (landed(game, s, move),)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        home = game.pieces - s.hand[player] - s.at[player].bit_count()
        return {"home": f"{home} of {game.pieces}", "in hand": s.hand[player]}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        if before.turn == CHANCE:
            return [] if game.landings(after) else [f"{self.does(after.turn, 'cannot')} move."]
        if move == game.home:
            return []
        me, you = before.turn, 1 - before.turn
        sentences = []
        if move + before.roll == game.home:
            sentences.append(f"{self.does(me, 'brings')} a piece home.")
        if after.hand[you] > before.hand[you]:
            sentences.append(f"{self.does(me, 'captures')} one of {self.whose(you)} pieces.")
        if after.turn == OVER:
            sentences.append(f"All of {self.whose(me)} pieces are home.")
        elif after.mover == me:
            on_rosette = game.rosette_steps >> (move + before.roll) & 1
            sentences.append(f"{'A rosette! ' if on_rosette else ''}{self.does(me, 'rolls')} again.")
        return sentences

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)
