"""What the lessons of SEPARO ask people to try out."""

from __future__ import annotations

from typing import Any

from kibitz.display.tasks import Task
from kibitz.games.separo.lessons import MOVES
from kibitz.state import State

PLAYED = tuple(MOVES.split())


def gains_a_region(game: Any, before: State, move: int, after: State) -> bool:
    """Whether a move gives the player one more region."""
    return bool(game.regions(after, before.turn) > game.regions(before, before.turn))


def is_a_move(game: Any, before: State, move: int, after: State) -> bool:
    """Any legal move will do."""
    return True


TASKS = {
    "The goal": Task(
        "You are Blue. Fence off one more region.",
        moves=PLAYED[:11],
        goal=gains_a_region,
        right="Your roots now enclose one more area: it is tinted, and counts as a region.",
        wrong="That encloses nothing new. Look where your roots nearly meet each other or the border.",
    ),
    "A move": Task(
        "Make any move: click one of your stones, then a point diagonally next to it, then where the root goes on.",
        moves=PLAYED[:2],
        goal=is_a_move,
        right="Two roots, bent by 45°, with a new stone at each end.",
        wrong="",
    ),
    "Regions": Task(
        "You are Red. Fence off a region at the border.",
        moves=PLAYED[:8],
        goal=gains_a_region,
        right="The corner is cut off from the rest of the board: one more region for Red.",
        wrong="No region was closed. One of your roots ends two steps away from the border.",
    ),
}
