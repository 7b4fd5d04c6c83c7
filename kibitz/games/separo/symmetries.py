"""The symmetries of SEPARO that leave each player's corners in place: both diagonals, and half a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kibitz.games.separo.points import Point, points_of


def symmetries(game: Any) -> list[list[int]]:
    """What each move becomes; moves off the board, which are never legal, and the pass stay as they are."""
    last = game.size - 1
    images: list[Callable[[int, int], Point]] = [
        lambda x, y: (y, x),
        lambda x, y: (last - y, last - x),
        lambda x, y: (last - x, last - y),
    ]
    points = [tuple(points_of(game, move)) for move in range(game.actions - 1)]
    number = {shape: move for move, shape in enumerate(points)}
    found = []
    for image in images:
        mirrored: list[tuple[Point, ...]] = [tuple(image(x, y) for x, y in shape) for shape in points]
        found.append([*(number[shape] for shape in mirrored), game.actions - 1])
    return found
