"""The rules of SEPARO in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.display.lesson_positions import position
from kibitz.display.scene import Lesson, Scene
from kibitz.games.separo.points import points_of
from kibitz.games.separo.rules import Separo
from kibitz.games.separo.scene import draw

PICTURED = Separo()
MOVES = """
    0,0-1,1-1,2  8,0-7,1-7,2  1,1-2,0-3,0  7,2-8,3-8,4  1,2-0,3-0,4  7,1-6,0-5,0  0,4-1,5-1,6
    5,0-4,1-4,2  1,6-2,7-2,8  7,2-6,3-6,4  8,8-7,7-6,7  6,3-5,2-4,2  6,7-5,8-4,8  6,4-7,5-8,5
"""


def lessons(game: Any) -> list[Lesson]:
    return [
        Lesson(
            "The goal",
            "Red and Blue grow roots across the board to fence off regions. The player with more regions at the end "
            "wins. Regions are tinted; here both players have four, counting the rest of the board.",
            _picture(14),
        ),
        Lesson(
            "A move",
            "Start from one of your stones. The first root runs diagonally to an empty point; from there, the second "
            "bends outward by 45° to an empty point or to a stone of your own. Click the points one after the "
            "other; once only one move is left, it is made.",
            _picture(1),
        ),
        Lesson(
            "No sharp angles",
            "At a stone, a new root may not overlap an existing root or run at 45° to it. Right angles and wider "
            "angles are fine. Roots may cross between points, but you cannot grow onto your opponent's stones.",
            _picture(5),
        ),
        Lesson(
            "Regions",
            "An area that your roots cut off counts as a region if it is larger than one square. Only your own roots "
            "and the border matter, not what your opponent grows there. The rest of the board counts, too: both "
            "players start with one region.",
            _picture(9),
        ),
        Lesson(
            "The end",
            "A player who cannot move passes, and will never be able to move again. When neither player can move, the "
            "regions are counted; equally many are a draw.",
        ),
    ]


def _picture(plies: int) -> Scene:
    """The pictured game after `plies` moves."""
    numbers = {"-".join(f"{x},{y}" for x, y in points_of(PICTURED, move)): move for move in range(PICTURED.actions)}
    moves = [numbers[name] for name in MOVES.split()[:plies]]
    return draw(PICTURED, position(PICTURED, moves), moves[-1])
