"""The tasks in the lessons of the games that ship with kibitz: they can be reached, solved and missed."""

import pytest

from kibitz.display.board import board_of
from kibitz.rules.registry import find_game, game_names
from kibitz.web.exercises import set_task, try_task

FEWEST = 2
ANY_MOVE = {("separo", "A move")}  # where every move is right


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_tasks_that_some_moves_solve_and_others_do_not(name):
    game = find_game(name)
    tasks = {lesson.title: lesson.task for lesson in board_of(game).lessons(game) if lesson.task}
    assert len(tasks) >= FEWEST
    for title, task in tasks.items():
        moves = [move["move"] for move in set_task(task, game).document()["moves"]]
        attempts = [try_task(task, game, move) for move in moves]
        assert any(attempt["right"] for attempt in attempts), title
        assert (name, title) in ANY_MOVE or not all(attempt["right"] for attempt in attempts), title
        assert all(attempt["words"] and attempt["scene"] for attempt in attempts), title


def test_a_variant_has_the_lessons_without_the_tasks():
    game = find_game("ur:pieces=7")
    assert all(lesson.task is None for lesson in board_of(game).lessons(game))
