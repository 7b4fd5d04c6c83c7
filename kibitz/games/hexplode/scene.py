"""Hexplode as a scene: hexagons with a socket towards each neighbour, and a counter in every socket that is taken.

A tile bursts when its last socket is taken, and the counters fly to where their sockets point. Tiles that one more
counter would burst have a glowing rim.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from kibitz.drawing import DEPTH, arc, dots, polar, star
from kibitz.games.hexplode.tiles import columns, names, neighbours, places
from kibitz.scene import Piece, Scene, Shape, circle, path, polygon, text
from kibitz.state import State

PALETTE = {
    **DEPTH,
    "seat-0": ("#c9352c", "#ff6f61"),
    "seat-1": ("#1f63b5", "#5fb0ff"),
    "stone": ("#ece7db", "#2d3139"),
    "edge": ("#c4baa3", "#4a505c"),
    "groove": ("#bdb298", "#565d6a"),
    "glow": ("#b85c00", "#ffb347"),
    "rubble": ("#8a7a5f", "#9a8f7c"),
}
COLOURS = "red", "blue"
ROW = math.sqrt(3)  # from tile to tile in a column
MARGIN = 0.25
SOCKET = 0.52  # how far a tile's sockets are from its middle
COUNTER = 0.23  # radius
DETAILED = 5  # tiles along an edge up to which sockets are drawn

Point = tuple[float, float]


def draw(game: Any, s: State, last: int | None, landed: Sequence[tuple[int, int]] = ()) -> Scene:
    """The position after a counter was put on tile `last`.

    Amid a chain, `landed` are the counters that have just come from a tile that hexploded to a neighbour.
    """
    side = game.side
    width, height = sheet(side)
    tiles, counters = [], []
    origins: dict[int, list[Point]] = {}
    for origin, target in landed:
        origins.setdefault(target, []).append(middles(side)[origin])
    bursts = {origin for origin, _ in landed}
    for tile, (x, y) in enumerate(middles(side)):
        stack = s.stacks[tile]
        player, size = (0, stack) if stack > 0 else (1, -stack)
        damage = s.damaged[tile] if game.damage > 0 else 0
        tiles.append(
            Piece(
                names(side)[tile],
                x,
                y,
                tile_shapes(side, tile, player, size, damage, tile in bursts),
                _words(side, tile, player, size, damage),
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


def sheet(side: int) -> tuple[float, float]:
    """How wide and high the scene is."""
    return 1.5 * (2 * side - 2) + 2 + 2 * MARGIN, round(ROW * (2 * side - 1) + 2 * MARGIN, 3)


@functools.cache
def middles(side: int) -> list[Point]:
    """Where every tile is."""
    _, height = sheet(side)
    lengths = columns(side)
    return [(MARGIN + 1 + 1.5 * i, round(height / 2 + ROW * (j - (lengths[i] - 1) / 2), 3)) for i, j in places(side)]


@functools.cache
def directions(side: int, tile: int) -> list[int]:
    """In which directions a tile has neighbours, in degrees, clockwise from above."""
    x, y = middles(side)[tile]
    around = [(u - x, v - y) for u, v in (middles(side)[other] for other in neighbours(side)[tile])]
    return sorted(round(math.degrees(math.atan2(v, u)) + 91) % 360 - 91 for u, v in around)


@functools.cache
def _socket(side: int, tile: int, number: int) -> Point:
    """Where a counter of a tile is, from its middle. Those that find no socket crowd around the middle."""
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
    """A tile: its stone, a tint of who owns it, the sockets that are free, and what is special about it."""
    room = len(directions(side, tile)) - size
    shapes = [polygon(HEXAGON, fill="stone", stroke="edge", line=0.05)]
    if size:
        shapes.append(polygon(HEXAGON, fill=f"seat-{player}", opacity=0.16))
    if burst:
        shapes.append(polygon(star(12, 0.85, 0.45), fill="glow", opacity=0.45))
    if damage:
        return (*shapes, path(CRACKS, stroke="rubble", line=0.06), text(str(damage), 0.5, fill="ink", bold=True))
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


def _words(side: int, tile: int, player: int, size: int, damage: int) -> str:
    """What a tile is called and what is on it."""
    name = names(side)[tile]
    if damage:
        return f"{name}, damaged: it swallows {damage} more"
    room = len(neighbours(side)[tile]) - size
    if not size:
        return f"{name}, empty, room for {room}"
    about = "one more bursts it" if room == 1 else f"room for {room}"
    return f"{name}, {size} {COLOURS[player]}, {about}"
