"""SEPARO as a scene: stones on the points, roots between them, and the regions they fence off, tinted and counted.

A player's largest region, the rest of the board, is not tinted. It is number 1.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from kibitz.display.scene import Piece, Scene, Shape, circle, path, rect, text
from kibitz.display.shapes import DEPTH, arc
from kibitz.display.wording import counted
from kibitz.games.separo.points import Point, coordinates, owner_of, points_of, roots_of
from kibitz.games.separo.regions import middle_of, outline, regions
from kibitz.games.separo.rules import BLUE, RED
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "seat-0": ("#c2392d", "#ff7a6b"),
    "seat-1": ("#1d5fa8", "#63adfb"),
    "linen": ("#f6efdf", "#23272e"),
    "hem": ("#e0d3b8", "#343a44"),
    "thread": ("#cdbf9f", "#464d59"),
    "mark": ("#7d6f54", "#a2a9b5"),
}
SEATS = "Red", "Blue"
MARGIN = 1.0  # from the edge of the scene to the first line
STONE = 0.27  # radius
TINT = 0.24


def draw(game: Any, s: State, last: int | None, seats: Sequence[str] = SEATS) -> Scene:
    """Draw a position; `last` is the move just played, and `seats` are the colours of the stones."""
    grown = points_of(game, last) if last is not None else []
    new_roots = {frozenset(pair) for pair in itertools.pairwise(grown)}
    pieces = [*_board(game.size)]
    for player in (RED, BLUE):
        pieces += _tints(game, s, player, seats[player])
    for player in (RED, BLUE):
        pieces += [_root(player, start, end, {start, end} in new_roots) for start, end in roots_of(game, s, player)]
    points = []
    for point in range(game.size**2):
        y, x = divmod(point, game.size)
        owner = owner_of(s, point)
        if owner is not None:
            pieces.append(_stone(owner, x, y, (x, y) in grown[1:]))
        points.append(_target(game.size, "" if owner is None else seats[owner].lower(), x, y))
    edge = game.size - 1 + 2 * MARGIN
    return Scene(edge, edge, (*pieces, *points), PALETTE)


def grown_roots(game: Any, player: int, move: int) -> tuple[Piece, ...]:
    """The two roots that a move grows, and the two stones at their ends."""
    points = points_of(game, move)
    roots = [_root(player, start, end, False) for start, end in itertools.pairwise(points)]
    return (*roots, *(_stone(player, x, y, False) for x, y in points[1:]))


def point_name(point: Point) -> str:
    """The name of the piece to click to choose a point, whether there is a stone on it or not."""
    return f"point-{point[0]},{point[1]}"


@functools.cache
def _target(size: int, colour: str, x: int, y: int) -> Piece:
    """A point to click on; `colour` is that of its stone, if there is one."""
    holds = f"a {colour} stone" if colour else "empty"
    return Piece(point_name((x, y)), MARGIN + x, MARGIN + y, TARGET, f"{coordinates(size, (x, y))}: {holds}")


TARGET = (circle(0.36, fill="linen", opacity=0.0),)


@functools.cache
def _stone(player: int, x: int, y: int, is_new: bool) -> Piece:
    """A stone, with a ring if it is Blue's."""
    shapes = (
        circle(STONE, fill=f"seat-{player}"),
        circle(STONE * 0.93, stroke="shadow", line=STONE * 0.14, opacity=0.2),
        circle(0.12, stroke="gleam", line=0.05, opacity=0.9)
        if player == BLUE
        else path(arc(0.18, 190, 280), stroke="gleam", line=0.04, opacity=0.6),
    )
    return Piece(f"stone-{x},{y}", MARGIN + x, MARGIN + y, shapes, marked=is_new)


@functools.cache
def _root(player: int, start: Point, end: Point, is_new: bool) -> Piece:
    (x, y), (to_x, to_y) = start, end
    name = f"root-{x},{y}-{to_x},{to_y}-{player}"
    return Piece(name, MARGIN + x, MARGIN + y, root(player, to_x - x, to_y - y, is_new))


@functools.cache
def root(player: int, dx: int, dy: int, is_new: bool) -> tuple[Shape, ...]:
    """A root between two points; a new one has a lighter core."""
    line = f"M0,0L{dx},{dy}"
    body = path(line, stroke=f"seat-{player}", line=0.15)
    return (body, path(line, stroke="gleam", line=0.05, opacity=0.75)) if is_new else (body,)


def _tints(game: Any, s: State, player: int, seat: str) -> list[Piece]:
    """A player's regions except the largest, named by their first triangle, which seldom changes, and their number."""
    tints, side = [], 1 if player == BLUE else -1
    found = regions(game, s, player)
    for number, area in enumerate(found[1:], 2):
        lines = "".join(f"M{'L'.join(f'{x:g},{y:g}' for x, y in line)}Z" for line in outline(game.size, area))
        x, y = middle_of(game.size, area)
        shapes = (
            path(lines, fill=f"seat-{player}", opacity=TINT),
            text(str(number), 0.3, x + 0.2 * side, y + 0.16 * side, fill=f"seat-{player}", bold=True),
        )
        tints.append(Piece(f"region-{player}-{area[0]}", MARGIN, MARGIN, shapes))
    return [*tints, _tally(game.size, player, len(found), seat)]


@functools.cache
def _tally(size: int, player: int, count: int, seat: str) -> Piece:
    """How many regions a player has, above the board; below are the letters of its columns."""
    x, y = MARGIN + (size - 1) * (0.75 if player == BLUE else 0.25), MARGIN - 0.77
    words = counted(count, "region")
    shapes = (
        circle(0.15, -0.95, fill=f"seat-{player}"),
        text(words, 0.34, -0.66, fill="ink", anchor="start"),
    )
    return Piece(f"tally-{player}", x, y, shapes, f"{seat.lower()}: {words}")


@functools.cache
def _board(size: int) -> tuple[Piece, ...]:
    """The cloth with its lines, and the letters and numbers of the points at its edges."""
    last = size - 1
    middle = MARGIN + last / 2
    lines = "".join(f"M{i},0V{last}M0,{i}H{last}" for i in range(1, last))
    half = last / 2
    shapes = (
        rect(last + 1.1, last + 1.1, 0, 0.06, corner=0.3, fill="shadow", opacity=0.2),
        rect(last + 1.1, last + 1.1, corner=0.3, fill="linen", stroke="hem", line=0.08),
        Shape("path", -half, -half, d=lines, stroke="thread", line=0.03),
        rect(last, last, stroke="mark", line=0.06),
    )
    edge = half + 0.78
    marks = [
        text(mark, 0.3, *place, fill="faint")
        for i in range(size)
        for mark, place in ((ascii_lowercase[i], (i - half, edge)), (str(size - i), (-edge, i - half)))
    ]
    return (Piece("board", middle, middle, shapes), Piece("coordinates", middle, middle, tuple(marks)))
