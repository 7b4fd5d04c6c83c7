"""Positions to find a move in: the tasks of lessons, and puzzles. The solution is told only after an attempt.

Whoever looks for the move sees what the player to move could see, and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from kibitz.analysis.puzzles import Candidate, Puzzle
from kibitz.display.tasks import Task
from kibitz.display.wording import capital, value_words
from kibitz.errors import IllegalMove, KibitzError
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream
from kibitz.table import Table
from kibitz.web.history import GameHistory
from kibitz.web.legal_moves import describe_move

TOLD = 6  # plies before the position that are told


class Exercise:
    """A position at a table. It is used by one thread at a time."""

    def __init__(self, table: Table) -> None:
        if table.turn < 0:
            raise KibitzError("It is nobody's turn in this exercise.")
        self.table = table
        self.player = table.turn
        table.board = table.board.with_players([], self.player)
        self._history = GameHistory(table)

    @classmethod
    def reached_by(cls, game: Game, names: Iterable[str]) -> Exercise:
        """The position after some moves and chance outcomes."""
        table = Table(game, 0, deal=False)
        for name in names:
            table.play(name)
        return cls(table)

    def document(self) -> dict[str, Any]:
        """What the player may see, and the moves to choose from."""
        table, history = self.table, self._history
        state = history.position(len(history), self.player)
        game, board = table.game, table.board
        return {
            "seat": board.seat(self.player),
            "player": self.player,
            "seats": [
                {
                    "title": board.seat(player),
                    "counters": {name: str(count) for name, count in board.counters(game, state, player).items()},
                }
                for player in range(game.players)
            ],
            "moves": [describe_move(game, board, state, move) for move in table.moves],
            "log": [entry.document() | {"words": list(entry.words)} for entry in history.log(self.player)[-TOLD:]],
            **self._drawn(),
        }

    def _drawn(self) -> dict[str, Any]:
        """The position as a scene, or as text where the game has none."""
        history, player = self._history, self.player
        ply = len(history)
        scene, last = history.scene(ply, player, player), history.last_ply(ply, player)
        before = None if last is None else history.scene(last, player, player)
        if scene is not None and before is not None:
            scene = scene.since(before)  # so that the last move is marked
        drawn = None if scene is None else scene.document()
        return {"scene": drawn, "text": history.text(ply, player) if drawn is None else ""}

    def check(self, move: int) -> str:
        """The name of a legal move; an error if the move is not legal."""
        if move not in self.table.moves:
            raise IllegalMove("This is not a legal move in this position.")
        return self.table.name(move)

    def say_line(self, names: Sequence[str]) -> list[str]:
        """Moves from here on, given by their names, in words."""
        table, said = Table(self.table.game, 0, deal=False, position=self.table.state), []
        table.board = self.table.board
        for name in names:
            said.append(table.say(table.parse(name)))
            table.play(name)
        return said

    def clicks(self, name: str) -> list[str]:
        """The clicks that make a move."""
        table = self.table
        return list(table.board.clicks(table.game, table.view(self.player).state, table.parse(name)))

    def play(self, move: int) -> dict[str, Any]:
        """Make a move; how the position looks then, and what is between the two."""
        table, before = self.table, self.table.view(self.player).state
        steps = [scene.document() for scene in table.board.steps(table.game, before, move, self.player)]
        table.play(move)
        self._history.follow()
        return {"steps": steps, **self._drawn()}


# ------------------------------------------------------------------ tasks


def set_task(task: Task, game: Game) -> Exercise:
    """The position of a task in a lesson about a game."""
    return Exercise.reached_by(task.game or game, task.moves)


def try_task(task: Task, game: Game, move: int) -> dict[str, Any]:
    """What becomes of a move in the position of a task, and whether it is right."""
    exercise = set_task(task, game)
    name, before = exercise.check(move), exercise.table.state
    shown = exercise.play(move)
    is_right = task.is_solved_by(exercise.table.game, name, before, move, exercise.table.state)
    return {"right": is_right, "words": task.right if is_right else task.wrong, **shown}


# ------------------------------------------------------------------ puzzles


def of_the_day(name: str, count: int, day: date) -> int:
    """The number of a game's puzzle of a day, from 0: each once, in random order, before any comes again."""
    turn, place = divmod(day.toordinal(), count)
    order = list(range(count))
    Stream("puzzle of the day", name, turn).shuffle(order)
    return order[place]


def set_puzzle(puzzle: Puzzle, game: Game) -> Exercise:
    """The position of a puzzle."""
    return Exercise(puzzle.set_up(game))


def try_puzzle(puzzle: Puzzle, game: Game, move: int) -> dict[str, Any]:
    """What becomes of a move in a puzzle, whether it is right, and why."""
    exercise = set_puzzle(puzzle, game)
    chosen = puzzle.candidate(exercise.check(move))
    is_right = chosen == puzzle.best
    weighed = {
        key: {
            "name": candidate.name,
            "say": exercise.say_line([candidate.name])[0],
            "clicks": exercise.clicks(candidate.name),
            "value": candidate.value,
            "words": _outlook(game, candidate),
            "exact": candidate.exact,
            "line": list(candidate.line),
            "say_line": exercise.say_line(candidate.line),
        }
        for key, candidate in (("chosen", chosen), ("best", puzzle.best))
    }
    words = _praise(game, puzzle, exercise) if is_right else _reason(game, chosen, puzzle.best, exercise)
    (played,) = exercise.say_line([puzzle.played])
    return {
        "right": is_right,
        "words": words,
        **weighed,
        "played": puzzle.played,
        "say_played": played,
        **exercise.play(move),
    }


def _praise(game: Game, puzzle: Puzzle, exercise: Exercise) -> str:
    best, second = puzzle.candidates[:2]
    (first,), (other,) = exercise.say_line([best.name]), exercise.say_line([second.name])
    return f"“{capital(first)}” {_outlook(game, best)}; the next best move, “{other}”, {_outlook(game, second)}."


def _reason(game: Game, chosen: Candidate, best: Candidate, exercise: Exercise) -> str:
    (first,), (other,) = exercise.say_line([chosen.name]), exercise.say_line([best.name])
    return f"“{capital(first)}” {_outlook(game, chosen)}; “{other}” {_outlook(game, best)}."


def _outlook(game: Game, candidate: Candidate) -> str:
    """What to expect of a move: "wins 63 % of the time", "wins for certain"."""
    if game.has_utilities:
        return f"is worth {value_words(game, candidate.value)}"
    if candidate.exact and candidate.value in (0.0, 1.0):
        return "wins for certain" if candidate.value else "loses for certain"
    if candidate.exact and candidate.value == 0.5 and game.players == 2 and not game.max_outcomes:
        return "leads to a draw"
    certainty = "" if candidate.exact else "about "
    return f"wins {certainty}{value_words(game, candidate.value, 0).replace('%', ' %')} of the time"
