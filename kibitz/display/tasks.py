"""Tasks: what a lesson asks people to try out on the board, and how their move is judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kibitz.state import State

if TYPE_CHECKING:
    from kibitz.display.scene import Lesson

Goal = Callable[[Any, State, int, State], bool]  # of the game, the position, the move and the position after it


@dataclass(frozen=True)
class Task:
    """A position, and what to do there: "Capture Dark's piece."

    Examples:
        >>> from kibitz.display.tasks import Task
        >>> task = Task(
        ...     "Complete four in a row.",
        ...     moves=("1", "2", "1", "2", "1", "3"),
        ...     goal=("1",),
        ...     right="Four in a column: Red wins.",
        ...     wrong="Red has three discs in the first column.",
        ... )
        >>> task.game is None
        True
    """

    words: str  # what to do
    moves: tuple[str, ...]  # that lead from the opening to the position, chance outcomes included, by their names
    goal: tuple[str, ...] | Goal  # the names of the right moves; or what the rules must say of a right one
    right: str  # what people are told after a right move …
    wrong: str  # … and after another one: how to see what is right, not which move it is
    game: Any = None  # the variant, if it is not that of the lesson

    def is_solved_by(self, game: Any, name: str, before: State, move: int, after: State) -> bool:
        """Whether a legal move is right."""
        return self.goal(game, before, move, after) if callable(self.goal) else name in self.goal


def with_tasks(lessons: Sequence[Lesson], tasks: Mapping[str, Task], game: Any) -> list[Lesson]:
    """Lessons with the tasks that belong to them, by title: in the game with its default options, not in variants."""
    is_usual = all(getattr(game, f.name) == f.default for f in dataclasses.fields(game))
    return [dataclasses.replace(lesson, task=tasks.get(lesson.title)) for lesson in lessons] if is_usual else [*lessons]
