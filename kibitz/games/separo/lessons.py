"""The rules of SEPARO in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.games.separo.points import points_of
from kibitz.games.separo.rules import Separo
from kibitz.games.separo.scene import draw
from kibitz.lesson import position
from kibitz.scene import Lesson, Scene

PICTURED = Separo()
MOVES = """
    0,0-1,1-1,2  8,0-7,1-7,2  1,1-2,0-3,0  7,2-8,3-8,4  1,2-0,3-0,4  7,1-6,0-5,0  0,4-1,5-1,6
    5,0-4,1-4,2  1,6-2,7-2,8  7,2-6,3-6,4  8,8-7,7-6,7  6,3-5,2-4,2  6,7-5,8-4,8  6,4-7,5-8,5
"""


def lessons(game: Any) -> list[Lesson]:
    return [
        Lesson(
            "The goal",
            "Red and Blue grow roots across the board and fence off areas with them. Whoever has more regions in "
            "the end wins. Regions are tinted; here both have four, counting the rest of the board.",
            _picture(14),
        ),
        Lesson(
            "A move",
            "Start from one of your stones. The first root runs diagonally to an empty point; the second goes "
            "straight on from there, bending outward, to an empty point or to a stone of your own. Click the three "
            "points one after the other.",
            _picture(1),
        ),
        Lesson(
            "No sharp angles",
            "At a stone, a new root may not run along a root that is there, nor at 45° to it. Right angles and "
            "wider ones are fine. Roots may cross between the points, but nobody grows onto a stone of the other's.",
            _picture(5),
        ),
        Lesson(
            "Regions",
            "An area that your roots cut off counts if it is larger than one square. Only your own roots and the "
            "border make it, whatever the other grows there. What is left of the board counts, too: both begin with "
            "one region.",
            _picture(9),
        ),
        Lesson(
            "The end",
            "Who cannot move passes, and never can again. When nobody can, the regions are counted; as many on both "
            "sides are a draw.",
        ),
    ]


def _picture(plies: int) -> Scene:
    """The position of the pictured game after so many moves."""
    numbers = {"-".join(f"{x},{y}" for x, y in points_of(PICTURED, move)): move for move in range(PICTURED.actions)}
    moves = [numbers[name] for name in MOVES.split()[:plies]]
    return draw(PICTURED, position(PICTURED, moves), moves[-1])
