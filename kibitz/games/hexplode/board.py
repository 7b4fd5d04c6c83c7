"""Hexplode on screen: every tile shows its counters, how many more it has room for, and whether it is critical."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.games.hexplode.chain import waves
from kibitz.games.hexplode.lessons import lessons
from kibitz.games.hexplode.scene import SEATS, draw, new_counter
from kibitz.games.hexplode.tasks import TASKS
from kibitz.games.hexplode.tiles import CAPACITY, coordinates, names, places
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

COUNTERS = "●○"  # of each player; legible without colours, too
ROOM, LAST_ROOM, DAMAGE = "·", "!", "▒"
LAST_MOVE = "▸"
EDGE, NUMBER, CRITICAL, DAMAGED = "#5c6370", "#8a919c", "bold #ffd75f", "#b58863"
INSIDE = 7  # characters inside a tile: the marker of the last move, and six counters


class Canvas:
    """A grid of styled characters, rendered as rich markup."""

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


VARIANTS = {"side": "Tiles along an edge", "damage": "Share of tiles that start damaged (0 to 1)"}

PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    seats = SEATS
    colours = ("#ff6b6b", "#5fb3ff")
    how_to_move = "Type the tile that gets your counter, as in b2."
    variants = VARIANTS

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"damage {move}"
        return names(game.side)[move]

    def say(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"{f'damage {move}' if move else 'no damage'} on {coordinates(game.side)[s.laid]}"
        return coordinates(game.side)[move]

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        side = game.side
        canvas = Canvas(4 * side - 1, (2 * side - 1) * (INSIDE + 1) + 1)
        for tile, (column, place) in enumerate(places(side)):
            row, left = abs(column - (side - 1)) + 2 * place, column * (INSIDE + 1)
            if place == 0:
                canvas.write(row, left + 1, "_" * INSIDE, EDGE)
            canvas.write(row + 1, left, f"╱{' ' * INSIDE}╲", EDGE)
            canvas.write(row + 2, left, f"╲{'_' * INSIDE}╱", EDGE)
            name = coordinates(side)[tile]
            canvas.write(row + 2, left + INSIDE - len(name), name, "bold" if tile == last else NUMBER)
            if tile == last:
                canvas.write(row + 1, left + 1, LAST_MOVE, "bold")
            at = left + 2
            for signs, style in self._content(game, s, tile):
                canvas.write(row + 1, at, signs, style)
                at += len(signs)
        return canvas.markup()

    def _content(self, game: Any, s: State, tile: int) -> list[tuple[str, str]]:
        """The six characters inside a tile, with their styles: counters and the room for more, or damage."""
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

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, last, seats=self.seats)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        return (names(game.side)[move],)

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        """The waves of a chain reaction, from the counter that sets it off to the last one that lands."""
        if s.turn == CHANCE:
            return
        chain = list(waves(game, s, move))
        if len(chain) > 1:
            yield from (draw(game, wave.state, move, wave.bursts, wave.landed, self.seats) for wave in chain)

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """The counter in the socket that it fills; damage absorbs it."""
        return () if game.damage > 0 and s.damaged[move] else (new_counter(game, s, move),)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        return {"counters": s.counters[player]}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        if before.turn == CHANCE:
            return []
        me, you = before.turn, 1 - before.turn
        bursts = sum(len(wave.bursts) for wave in waves(game, before, move))
        taken = before.counters[you] - after.counters[you]
        sentences = []
        if bursts:
            sentences.append("A tile hexplodes." if bursts == 1 else f"{bursts} tiles hexplode.")
        if taken:
            sentences.append(f"{self.does(me, 'captures')} {taken} of {self.whose(you)} counters.")
        if after.turn == OVER:
            sentences.append(f"{self.does(1 - after.winner, 'has')} no counters left.")
        return sentences

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)
