"""The bot's side of isolation: a process that makes one bot and answers the table's questions.

What is asked and answered is written down in isolation.py. Nothing here is trusted by the table: a bot may change
whatever it likes in its own process, and can thereby do no more than answer badly.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.board import Board, board_of
from kibitz.bots import bot
from kibitz.compiled import plain
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.rng import Stream
from kibitz.spec import parse_spec
from kibitz.state import State
from kibitz.table import Ply, Table, View

ALARM_SECONDS = 1.0  # how long the process outlives a time limit if the table does not end it
SHOWN = 200  # characters of a wrong answer or an error message


class Guest:
    """One bot in its process: what it is asked comes in as plain values, and so goes out what it answers."""

    game: Game
    board: Board
    player: Any  # the bot, made anew for each game
    history: list[Ply]
    stream: Stream

    def __init__(self) -> None:
        self.spec = ""
        self.plain = False

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked. A bot that raises anything at all has thereby answered."""
        try:
            if question["ask"] == "start":
                self.spec, self.plain = question["bot"], question["plain"]
            with plain() if self.plain else contextlib.nullcontext():
                match question["ask"]:
                    case "start":
                        return self._start(question)
                    case "new game":
                        return self._new_game()
                    case "move":
                        return self._move(question)
                    case "game over":
                        self.player.game_over(self._view(question), question["payoff"])
                        return {"ready": True}
                    case unknown:
                        raise ValueError(f"there is no question {unknown!r}")
        except BaseException as error:  # SystemExit and KeyboardInterrupt are a bot's doing, too
            return {"raised": _told(error, self.spec)}

    def _start(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            self.game = find_game(question["game"])
            self.board = board_of(self.game)
            answer = self._new_game()
        except KibitzError as error:
            return {"refused": _shortened(error)}
        _warm_up(self.game)
        return answer

    def _new_game(self) -> dict[str, Any]:
        self.player = None  # the last game's bot is gone before the next one is made
        self.player = bot(self.spec, self.game)
        self.history = []
        self.stream = Stream(0)
        return {"ready": True, "listens": callable(getattr(self.player, "game_over", None))}

    def _move(self, question: dict[str, Any]) -> dict[str, Any]:
        move = self.player.choose(self._view(question))
        try:
            number = operator.index(move)
        except TypeError:
            number = None
        if number is None or isinstance(move, bool) or not -(2**63) <= number < 2**63:
            return {"illegal": _shortened(_shown(move))}
        return {"move": number, "rng": self.stream.getstate()}

    def _view(self, question: dict[str, Any]) -> View:
        del self.history[question["known"] :]
        self.history += [Ply(turn, move) for turn, move in question["plies"]]
        at = tuple(question["rng"])
        if self.stream.getstate() != at:
            self.stream.setstate(at)
        return View(
            game=self.game,
            player=question["player"],
            state=_state(bytes.fromhex(question["state"]), self.game.dtype),
            moves=question["moves"],
            history=tuple(self.history),
            rng=self.stream,
            time=question["time"],
            board=self.board,
        )


def _state(public: bytes, dtype: np.dtype) -> State:
    """The record with these public fields, in memory of its own."""
    fresh = np.zeros(1, dtype)
    fresh.view("u1")[: len(public)] = np.frombuffer(public, "u1")
    return State(fresh[0])


def _warm_up(game: Game) -> None:
    """Play a game at random, so that compiling the rules does not count as thinking when a bot first calls them."""
    stream = Stream("warm-up")
    with contextlib.suppress(Exception):  # a mistake in the rules is for the table to find
        table = Table(game, "warm-up")
        while not table.over and len(table.history) < game.max_plies:
            table.play(stream.choice(table.moves()))
        table.payoff()


def _told(error: BaseException, spec: str) -> str:
    """An exception in a few words: what, where in the bot's own file, and its message."""
    file, _ = parse_spec(spec).file or ("", "")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _is_same(frame.filename, file)]
    where = f" in line {lines[-1]}" if lines else ""
    try:
        message = str(error)
    except BaseException:
        message = "its message raises, too"
    return _shortened(f"{type(error).__name__}{where}: {message}" if message else f"{type(error).__name__}{where}")


def _is_same(path: str, file: str | Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(file)


def _shown(answer: Any) -> str:
    try:
        return repr(answer)
    except Exception:  # an integer of too many digits, say
        return f"a {type(answer).__name__} that cannot be shown"


def _shortened(words: object) -> str:
    text = str(words)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def serve() -> None:
    """Answer questions, a line of JSON each, until the table hangs up; then end, whatever the bot left running."""
    try:
        questions, answers = _private_pipes()
        guest = Guest()
        for line in questions:
            question = json.loads(line)
            # The kernel ends the process where nobody else can: in an endless loop after the table has died.
            signal.setitimer(signal.ITIMER_REAL, question["time"] + ALARM_SECONDS)
            answer = guest.answer(question)
            signal.setitimer(signal.ITIMER_REAL, 0)
            left = memoryview(json.dumps(answer).encode() + b"\n")
            while left:
                left = left[os.write(answers, left) :]
    except BrokenPipeError:
        pass  # the table is gone
    finally:
        os._exit(0)  # without waiting for threads


def _private_pipes() -> tuple[Any, int]:
    """Where questions come from and answers go to. The bot itself prints to stderr and has nothing to read."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return questions, answers
