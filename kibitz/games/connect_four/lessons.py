"""The rules of Connect Four in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.display.lesson_positions import position
from kibitz.display.scene import Lesson, Scene
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.games.connect_four.scene import draw

PICTURED = ConnectFour()


def lessons(game: Any) -> list[Lesson]:
    def picture(*columns: int) -> Scene:
        moves = [column - 1 for column in columns]
        return draw(PICTURED, position(PICTURED, moves), moves[-1])

    return [
        Lesson(
            "The goal",
            "Red and Yellow drop discs into an upright grid. The first to get four of their own in a row wins: "
            "horizontally, vertically or diagonally.",
            picture(4, 3, 5, 4, 5, 5, 6, 6, 6, 3, 6, 1, 1, 1, 3, 7, 4, 4),
        ),
        Lesson(
            "A move",
            f"Red moves first, then the players alternate. Choose one of the {game.columns} columns: your disc falls "
            f"to the lowest empty cell. A column with {game.rows} discs is full.",
            picture(4, 4, 4, 3),
        ),
        Lesson(
            "The end",
            "Four in a row ends the game at once. If the grid fills up first, the game is a draw.",
            picture(2, 6, 3, 6, 4, 6, 1),
        ),
        Lesson(
            "What to look for",
            "Three in a row with an empty cell beside it is a threat, and two threats at once cannot both be blocked. "
            "Beware of the cell below a threat: once you play there, your opponent can play on top of it.",
            picture(4, 1, 3, 1, 5),
        ),
    ]
