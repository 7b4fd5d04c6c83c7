"""What the lessons of Connect Four ask people to try out."""

from __future__ import annotations

from typing import Any

from kibitz.display.tasks import Task
from kibitz.rules.contract import OVER
from kibitz.state import State


def wins(game: Any, before: State, move: int, after: State) -> bool:
    """Whether a move ends the game; a draw would take a full grid."""
    return after.turn == OVER


TASKS = {
    "The goal": Task(
        "You are Red. Complete four in a row.",
        moves=("3", "3", "4", "4", "5", "5"),
        goal=wins,
        right="Four in a row: Red wins.",
        wrong="Look at the bottom row: there are three red discs, and an empty cell at either end.",
    ),
    "The end": Task(
        "Yellow has three in a column. Stop Yellow.",
        moves=("4", "1", "4", "1", "7", "1"),
        goal=("1",),
        right="The column is blocked, and the game goes on.",
        wrong="Yellow now plays on top of the first column and has four. Put your disc there first.",
    ),
    "What to look for": Task(
        "Make two threats at once: three in a row, with an empty cell at both ends.",
        moves=("4", "4", "3", "3"),
        goal=("2", "5"),
        right="Yellow can block only one end; at the other, Red completes four in a row.",
        wrong="Red has two discs side by side in the bottom row. Put a third next to them.",
    ),
}
