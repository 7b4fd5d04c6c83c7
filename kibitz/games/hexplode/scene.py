"""Hexplode as a scene: hexagonal tiles with a socket facing each neighbour, filled one by one with counters.

A tile hexplodes when its last socket is filled, and each counter flies the way its socket faces. Critical tiles, with
one free socket, have a glowing rim.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from kibitz.display.scene import Piece, Scene, Shape, circle, path, polygon, text
from kibitz.display.shapes import DEPTH, arc, dots, polar, star
from kibitz.games.hexplode.tiles import columns, coordinates, names, neighbours, places
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "seat-0": ("#c9352c", "#ff6f61"),
    "seat-1": ("#1f63b5", "#5fb0ff"),
    "stone": ("#ece7db", "#2d3139"),
    "edge": ("#c4baa3", "#4a505c"),
    "groove": ("#bdb298", "#565d6a"),
    "glow": ("#b85c00", "#ffb347"),
    "engraved": ("#756c57", "#98a0ac"),
    "rubble": ("#8a7a5f", "#9a8f7c"),
}
SEATS = "Red", "Blue"
ROW = math.sqrt(3)  # from tile to tile in a column
MARGIN = 0.25
SOCKET = 0.52  # from the centre of a tile to its sockets
COUNTER = 0.23  # radius
DETAILED = 5  # the largest side for which sockets are drawn

Point = tuple[float, float]


def draw(
    game: Any,
    s: State,
    last: int | None,
    bursts: Sequence[int] = (),
    landed: Sequence[tuple[int, int]] = (),
    seats: Sequence[str] = SEATS,
) -> Scene:
    """Draw a position; `last` is the tile just played, and `seats` are the colours of the counters.

    During a chain, `bursts` are the tiles that have just hexploded, and `landed` the counters that have flown from one
    of them to a neighbour, and stayed there.
    """
    side = game.side
    width, height = sheet(side)
    tiles, counters = [], []
    origins: dict[int, list[Point]] = {}
    for origin, target in landed:
        origins.setdefault(target, []).append(centres(side)[origin])
    for tile, (x, y) in enumerate(centres(side)):
        stack = s.stacks[tile]
        player, size = (0, stack) if stack > 0 else (1, -stack)
        damage = s.damaged[tile] if game.damage > 0 else 0
        tiles.append(
            Piece(
                names(side)[tile],
                x,
                y,
                tile_shapes(side, tile, player, size, damage, tile in bursts),
                _label(side, tile, seats[player].lower(), size, damage),
                marked=tile == last,
            )
        )
        came_from = [None] * (size - len(origins.get(tile, ()))) + origins.get(tile, [])
        for number in range(size):
            dx, dy = _socket(side, tile, number)
            name = f"counter-{tile}-{number}"
            counters.append(
                Piece(name, round(x + dx, 3), round(y + dy, 3), counter(player, side), appears=came_from[number])
            )
    return Scene(width, height, (*tiles, *counters), PALETTE)


def new_counter(game: Any, s: State, tile: int) -> Piece:
    """The counter that the player to act puts on a tile, before anything hexplodes."""
    (x, y), number = centres(game.side)[tile], abs(s.stacks[tile])
    dx, dy = _socket(game.side, tile, number)
    return Piece(f"counter-{tile}-{number}", round(x + dx, 3), round(y + dy, 3), counter(s.turn, game.side))


def sheet(side: int) -> tuple[float, float]:
    """The width and height of the scene."""
    return 1.5 * (2 * side - 2) + 2 + 2 * MARGIN, round(ROW * (2 * side - 1) + 2 * MARGIN, 3)


@functools.cache
def centres(side: int) -> list[Point]:
    """The centre of every tile."""
    _, height = sheet(side)
    lengths = columns(side)
    return [(MARGIN + 1 + 1.5 * i, round(height / 2 + ROW * (j - (lengths[i] - 1) / 2), 3)) for i, j in places(side)]


@functools.cache
def directions(side: int, tile: int) -> list[int]:
    """The directions of a tile's neighbours, in degrees, clockwise from the top."""
    x, y = centres(side)[tile]
    around = [(u - x, v - y) for u, v in (centres(side)[other] for other in neighbours(side)[tile])]
    return sorted(round(math.degrees(math.atan2(v, u)) + 91) % 360 - 91 for u, v in around)


@functools.cache
def _socket(side: int, tile: int, number: int) -> Point:
    """The place of a counter, relative to the centre of its tile. Those without a socket crowd around the centre."""
    around = directions(side, tile)
    if number < len(around):
        return polar(SOCKET, around[number])
    return polar(0.12, 60 * number) if number > len(around) else (0.0, 0.0)


@functools.cache
def counter(player: int, side: int) -> tuple[Shape, ...]:
    """A counter, with a ring on it if it is the second player's."""
    disc = circle(COUNTER, fill=f"seat-{player}")
    if side > DETAILED:
        return (disc,)
    if player:
        return disc, circle(0.12, stroke="gleam", line=0.04, opacity=0.85)
    return disc, path(arc(0.15, 180, 290), stroke="gleam", line=0.045, opacity=0.7)


@functools.lru_cache(4096)
def tile_shapes(side: int, tile: int, player: int, size: int, damage: int, burst: bool) -> tuple[Shape, ...]:
    """A tile: its stone, its owner's tint, its free sockets, and marks for damage, a burst or a critical tile."""
    room = len(directions(side, tile)) - size
    shapes = [polygon(HEXAGON, fill="stone", stroke="edge", line=0.05)]
    if size:
        shapes.append(polygon(HEXAGON, fill=f"seat-{player}", opacity=0.16))
    if burst:
        shapes.append(polygon(star(12, 0.85, 0.45), fill="glow", opacity=0.45))
    if damage:
        shapes.append(text(coordinates(side)[tile], 0.24, 0, 0.62, fill="engraved"))
        return (*shapes, path(CRACKS, stroke="rubble", line=0.06), text(str(damage), 0.5, fill="ink", bold=True))
    shapes.append(text(coordinates(side)[tile], 0.3 if side <= DETAILED else 0.4, fill="engraved"))
    if room > 0 and side <= DETAILED:
        free = [_socket(side, tile, number) for number in range(size, size + room)]
        shapes.append(path(dots(free, 0.13), stroke="groove", line=0.035))
    if room == 1 and size:
        shapes.append(polygon(INNER, stroke="glow", line=0.07))
        shapes.append(path(dots([_socket(side, tile, size)], 0.07), fill="glow"))
    return tuple(shapes)


HEXAGON = [polar(0.94, 60 * corner) for corner in range(6)]
INNER = [polar(0.86, 60 * corner) for corner in range(6)]
CRACKS = "M-.7,.2L-.35,.05L-.4,-.4M-.35,.05L-.1,.55M.7,-.15L.35,-.1L.3,.5M.35,-.1L.1,-.6"


def _label(side: int, tile: int, colour: str, size: int, damage: int) -> str:
    """The label of a tile: its coordinates and what is on it."""
    name = coordinates(side)[tile]
    if damage:
        return f"{name}, damaged, absorbs {damage} more"
    room = len(neighbours(side)[tile]) - size
    if not size:
        return f"{name}, empty, room for {room}"
    about = "critical" if room == 1 else f"room for {room}"
    return f"{name}, {size} {colour}, {about}"
