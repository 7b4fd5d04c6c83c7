"""Connect Four as a scene: discs fall behind an upright plate with holes; each column is clickable."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from kibitz.display.scene import Piece, Scene, Shape, circle, path, polygon, rect, text
from kibitz.display.shapes import DEPTH, arc, star
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "seat-0": ("#f4685a", "#f4705f"),
    "seat-1": ("#ffc93c", "#ffd45e"),
    "plate": ("#2b55b0", "#27478f"),
    "edge": ("#4f7fe0", "#456ec4"),
    "inside": ("#152750", "#0d1733"),
    "number": ("#e4ecff", "#c5d4f7"),
}
SEATS = "Red", "Yellow"
DISC, HOLE = 0.44, 0.4  # radii
SIDE = 0.4  # from the edge of the scene to the cells
FRAME = 0.3  # around the cells …
FOOT = 0.6  # … and below them, with the numbers
ABOVE = 0.9  # space above the grid, from which discs fall
BELOW = 0.25


def draw(game: Any, s: State, last: int | None, seats: Sequence[str] = SEATS) -> Scene:
    """Draw a position; `last` is the column just played, and `seats` are the colours of the discs."""
    red, yellow, won = s.discs[0], s.discs[1], winning_discs(game, s)
    filled = red | yellow
    discs = []
    for column in range(game.columns):
        for row in range(game.rows):
            bit = game.bit(column, row)
            if filled >> bit & 1:
                player = yellow >> bit & 1
                is_last = column == last and not filled >> bit + 1 & 1
                shines = bool(won >> bit & 1) if won else is_last
                discs.append(placed_disc(game.rows, player, column, row, shines, seats[player]))
    back, front = _plate(game.columns, game.rows)
    width, height = game.columns + 2 * SIDE, ABOVE + FRAME + game.rows + FOOT + BELOW
    return Scene(width, height, (back, *discs, *front), PALETTE)


@functools.cache
def placed_disc(rows: int, player: int, column: int, row: int, shines: bool, seat: str) -> Piece:
    """A disc in its place; `shines` as one of the last or the winning discs, and `seat` is what its player is called.

    It is kept, since the same discs are drawn with every move.
    """
    x = SIDE + column + 0.5
    return Piece(
        f"disc-{column + 1}-{row + 1}",
        x,
        ABOVE + FRAME + rows - row - 0.5,
        disc(player, shines),
        f"a {seat.lower()} disc in column {column + 1}, row {row + 1}",
        marked=shines,
        appears=(x, ABOVE / 2),
    )


def winning_discs(game: Any, s: State) -> int:
    """The winner's discs in rows of four or more, as bits; 0 while nobody has won."""
    if s.winner < 0:
        return 0
    discs, won = s.discs[s.winner], 0
    for step in (1, game.rows, game.rows + 1, game.rows + 2):
        first = discs & discs >> step & discs >> 2 * step & discs >> 3 * step
        for distance in range(4):
            won |= first << distance * step
    return won


def column_name(column: int) -> str:
    """The name of the piece to click to play a column."""
    return f"column-{column + 1}"


@functools.cache
def disc(player: int, shines: bool) -> tuple[Shape, ...]:
    """A disc embossed with its player's emblem, a ring or a star, which shines on the last or the winning discs."""
    paint, strength = ("gleam", 0.95) if shines else ("shadow", 0.28)
    ring = circle(0.19, stroke=paint, line=0.07, opacity=strength)
    sign = polygon(star(5, 0.25, 0.11), fill=paint, opacity=strength)
    return (
        circle(DISC, fill=f"seat-{player}"),
        circle(0.35, stroke="shadow", line=0.03, opacity=0.2),
        path(arc(0.345, 185, 285), stroke="gleam", line=0.045, opacity=0.55),
        sign if player else ring,
    )


@functools.cache
def _plate(columns: int, rows: int) -> tuple[Piece, tuple[Piece, ...]]:
    """The back, drawn behind the discs, and the frame and the columns with their holes, drawn in front of them."""
    x, y = SIDE + columns / 2, ABOVE + FRAME + rows / 2
    back = Piece("back", x, y, (rect(columns + 0.1, rows + 0.1, fill="inside"),))
    strip = _strip(rows)
    strips = (Piece(column_name(c), SIDE + c + 0.5, y, strip, f"column {c + 1}") for c in range(columns))
    return back, (Piece("frame", x, y, _frame(columns, rows)), *strips)


def _strip(rows: int) -> tuple[Shape, ...]:
    """A column of the plate, around its centre. The holes are wound the other way, which keeps them open."""
    half, wide, centres = rows / 2, 2 * HOLE, [row + 0.5 - rows / 2 for row in range(rows)]
    over = "".join(f"M{-HOLE},{y:.4g}a{HOLE},{HOLE} 0 0 1 {wide},0" for y in centres)
    under = "".join(f"M{-HOLE},{y:.4g}a{HOLE},{HOLE} 0 0 0 {wide},0" for y in centres)
    holes = "".join(f"M{HOLE},{y:.4g}a{HOLE},{HOLE} 0 1 0 {-wide},0a{HOLE},{HOLE} 0 1 0 {wide},0Z" for y in centres)
    return (
        rect(1, rows, fill="plate", opacity=0.0),  # makes the holes clickable, too
        path(f"M-.505,{-half - 0.01:.4g}H.505V{half + 0.01:.4g}H-.505Z{holes}", fill="plate"),
        path(over, stroke="shadow", line=0.05, opacity=0.4),
        path(under, stroke="edge", line=0.04),
    )


def _frame(columns: int, rows: int) -> tuple[Shape, ...]:
    """The frame around the columns and its foot, with the column numbers."""
    right, bottom = columns / 2, rows / 2
    out, low, curve = right + FRAME, bottom + FOOT, 0.28
    outline = (
        f"M{-out + curve:.4g},{-bottom - FRAME:.4g}H{out - curve:.4g}q{curve},0 {curve},{curve}V{low:.4g}H{-out:.4g}"
        f"V{-bottom - FRAME + curve:.4g}q0,{-curve} {curve},{-curve}Z"
    )
    opening = f"M{-right:.4g},{-bottom:.4g}V{bottom:.4g}H{right:.4g}V{-bottom:.4g}Z"
    return (
        rect(2 * out - 0.1, 0.3, 0, low + 0.03, corner=0.12, fill="inside"),
        path(outline + opening, fill="plate"),
        path(f"M{-out + curve:.4g},{-bottom - FRAME + 0.06:.4g}H{out - curve:.4g}", stroke="edge", line=0.05),
        *(text(str(c + 1), 0.32, c + 0.5 - right, bottom + 0.3, fill="number") for c in range(columns)),
    )
