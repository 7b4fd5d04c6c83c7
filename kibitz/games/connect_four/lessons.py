"""The rules of Connect Four in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.games.connect_four.rules import ConnectFour
from kibitz.games.connect_four.scene import draw
from kibitz.lesson import position
from kibitz.scene import Lesson, Scene

PICTURED = ConnectFour()


def lessons(game: Any) -> list[Lesson]:
    def picture(*columns: int) -> Scene:
        moves = [column - 1 for column in columns]
        return draw(PICTURED, position(PICTURED, moves), moves[-1])

    return [
        Lesson(
            "The goal",
            "Red and Yellow drop discs into a standing grid. Who first has four of their own in a row wins: "
            "across, upright or slanting, it is all the same.",
            picture(4, 3, 5, 4, 5, 5, 6, 6, 6, 3, 6, 1, 1, 1, 3, 7, 4, 4),
        ),
        Lesson(
            "A move",
            f"Red begins, then both take turns. Choose one of the {game.columns} columns: your disc falls down to the "
            f"lowest free cell. A column with {game.rows} discs is full.",
            picture(4, 4, 4, 3),
        ),
        Lesson(
            "The end",
            "The first four in a row end the game at once. If the grid is full before that, nobody has won: a draw.",
            picture(2, 6, 3, 6, 4, 6, 1),
        ),
        Lesson(
            "What to look for",
            "Three in a row with a free cell beside it is a threat, and two threats at once cannot both be stopped. "
            "Beware of the cell below: what you play there, your opponent can play upon.",
            picture(4, 1, 3, 1, 5),
        ),
    ]
