"""SEPARO on screen: stones on the points, roots between them; Red's stones are solid, Blue's are rings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.display.wording import counted
from kibitz.games.separo.lessons import lessons
from kibitz.games.separo.points import coordinates, owner_of, points_of
from kibitz.games.separo.rules import AROUND, BLUE, RED
from kibitz.games.separo.scene import SEATS, draw, grown_roots, point_name
from kibitz.games.separo.tasks import TASKS
from kibitz.rules.contract import OVER
from kibitz.state import State

STONES = "●○"
EMPTY = "·"
LINES = {(1, 0): "─", (0, 1): "│", (1, 1): "╲", (-1, 1): "╱"}
CROSSING = "╳"
BOTH_COLOURS = "#c792ea"  # where roots of the two players cross
FAINT = "#5c6370"
LAST_MOVE = "on #3b4252"
ACROSS, DOWN = 4, 2  # characters from point to point; square in most fonts

VARIANTS = {"size": "Points along an edge"}
PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    seats = SEATS
    colours = ("#ff5f5f", "#5fafff")
    how_to_move = "Type the three points of a move, as in a9-b8-b7."
    variants = VARIANTS

    def name(self, game: Any, s: State, move: int) -> str:
        return "-".join(f"{x},{y}" for x, y in points_of(game, move)) or "pass"

    def say(self, game: Any, s: State, move: int) -> str:
        return "-".join(coordinates(game.size, point) for point in points_of(game, move)) or "pass"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        canvas = self._canvas(game, s)
        marked = path_of(game, last) if last is not None else set()
        letters = "".join(f"{letter:<{ACROSS}}" for letter in ascii_lowercase[: game.size]).rstrip()
        rows = [f"    [bold]{letters}[/]"]
        for row in range(DOWN * (game.size - 1) + 1):
            label = f"{game.size - row // DOWN:>2}" if row % DOWN == 0 else "  "
            cells = []
            for column in range(ACROSS * (game.size - 1) + 1):
                sign, colour = canvas.get((column, row), (" ", ""))
                style = f"{colour} {LAST_MOVE if (column, row) in marked else ''}".strip()
                cells.append(f"[{style}]{sign}[/]" if style else sign)
            rows.append(f" [bold]{label}[/] {''.join(cells)}")
        return "\n".join([*rows, "", self._count(game, s)])

    def _canvas(self, game: Any, s: State) -> dict[tuple[int, int], tuple[str, str]]:
        """The character and the colour at every place that is not blank."""
        canvas = {at: (sign, FAINT) for at, sign in frame(game)}
        for point in range(game.size**2):
            y, x = divmod(point, game.size)
            owner = owner_of(s, point)
            if owner is None:
                canvas[place(x, y)] = EMPTY, FAINT
                continue
            colour = f"bold {self.colour(owner)}"
            canvas[place(x, y)] = STONES[owner], colour
            for direction, (dx, dy) in enumerate(AROUND):
                if (dx, dy) in LINES and s.points[point] >> direction & 1:
                    for at in between(x, y, dx, dy):
                        if dx and dy and at in canvas:
                            canvas[at] = CROSSING, colour if canvas[at][1] == colour else f"bold {BOTH_COLOURS}"
                        else:
                            canvas[at] = LINES[dx, dy], colour
        return canvas

    def _count(self, game: Any, s: State) -> str:
        sides = []
        for player in (RED, BLUE):
            regions = counted(game.regions(s, player), "region")
            sides.append(f"[bold {self.colour(player)}]{STONES[player]} {self.seat(player)}[/] {regions}")
        return " " * 4 + "    ".join(sides)

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        """The stones as a string of ● ○ ·, row by row, and the regions."""
        owners = [owner_of(s, point) for point in range(game.size**2)]
        stones = "".join(EMPTY if owner is None else STONES[owner] for owner in owners)
        return {"stones": stones, "red": game.regions(s, RED), "blue": game.regions(s, BLUE), "turn": s.turn}

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, last, self.seats)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """The three points; nothing for a pass."""
        return tuple(point_name(point) for point in points_of(game, move))

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        return grown_roots(game, s.turn, move)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        return {"regions": game.regions(s, player)}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        me = before.turn
        if not points_of(game, move):
            return [f"{self.does(me, 'has')} no moves left."]
        count = game.regions(after, me)
        gained = count - game.regions(before, me)
        sentences = []
        if gained:
            what = "a region" if gained == 1 else f"{gained} regions"
            has = "have" if me == self.you else "has"
            sentences.append(f"{self.does(me, 'fences off')} {what} and now {has} {count}.")
        if after.turn == OVER:
            regions = ", ".join(f"{self.called(player)} {game.regions(after, player)}" for player in (RED, BLUE))
            sentences.append(f"Nobody can move. Regions: {regions}.")
        return sentences

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)


def place(x: int, y: int) -> tuple[int, int]:
    """Where a point is drawn: column and row."""
    return ACROSS * x, DOWN * y


def between(x: int, y: int, dx: int, dy: int) -> list[tuple[int, int]]:
    """The places that a root from a point covers, excluding its ends."""
    column, row = place(x, y)
    if dy == 0:
        return [(column + dx * step, row) for step in range(1, ACROSS)]
    return [(column + dx * ACROSS // 2, row + dy)]


def frame(game: Any) -> Iterator[tuple[tuple[int, int], str]]:
    """The border of the board, which fences off regions as roots do: places and characters."""
    last = game.size - 1
    for step in range(last):
        for far in (0, last):
            for dx, dy, x, y in ((1, 0, step, far), (0, 1, far, step)):
                yield from ((at, LINES[dx, dy]) for at in between(x, y, dx, dy))


def path_of(game: Any, move: int) -> set[tuple[int, int]]:
    """All places that a move covers."""
    points = points_of(game, move)
    path = {place(*point) for point in points}
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        path.update(between(x, y, to_x - x, to_y - y))
    return path
