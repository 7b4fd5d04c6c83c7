"""What the lessons of Ur ask people to try out."""

from __future__ import annotations

from typing import Any

from kibitz.display.tasks import Task
from kibitz.state import State


def captures(game: Any, before: State, move: int, after: State) -> bool:
    """Whether a move sends an opponent's piece back to the hand."""
    return after.hand[1 - before.turn] > before.hand[1 - before.turn]


def throws_again(game: Any, before: State, move: int, after: State) -> bool:
    """Whether the same player throws again."""
    return after.mover == before.turn


TASKS = {
    "The throw": Task(
        "You are Light and have thrown a 2. Bring a second piece onto the board.",
        moves=("roll 1", "0-1", "roll 1", "0-1", "roll 2"),
        goal=("0-2",),
        right="The piece enters from your hand and lands on the second square of your path.",
        wrong="That piece was on the board already. Take one from your hand.",
    ),
    "Captures": Task(
        "You are Light and have thrown a 4. Capture Dark's piece.",
        moves=("roll 2", "0-2", "roll 4", "0-4", "roll 2", "4-6", "roll 4"),
        goal=captures,
        right="Dark's piece goes back to their hand and has to start again.",
        wrong="Nothing was captured. Which of your pieces is four squares behind Dark's?",
    ),
    "Rosettes": Task(
        "You have thrown a 3. Land on a rosette, so that you throw again.",
        moves=("roll 1", "0-1", "roll 1", "0-1", "roll 3"),
        goal=throws_again,
        right="A rosette: you throw once more, and the piece is safe there.",
        wrong="That square is no rosette, so it is Dark's turn. Look for one three squares ahead.",
    ),
}
