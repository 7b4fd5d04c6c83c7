"""The bot's side of isolation: a process that hosts one bot for one game and answers the table's questions.

The protocol is documented in isolation.py. The table trusts nothing here: a bot can change anything in its own process,
but the worst it can achieve is a bad answer.
"""

from __future__ import annotations

import contextlib
import functools
import json
import operator
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import notices
from kibitz.compiler import plain, stats
from kibitz.display.board import board_of
from kibitz.errors import IllegalMove, KibitzError
from kibitz.notices import Notice
from kibitz.players.roster import bot
from kibitz.players.warm_up import rehearse
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game
from kibitz.rules.rng import Stream
from kibitz.rules.spec import parse_spec
from kibitz.state import State
from kibitz.table import Ply, View

SHOWN = 200  # the maximum length of a wrong answer or an error message, in characters


class Guest:
    """One bot in its process: questions come in and answers go out as plain values."""

    player: Any  # the bot
    history: list[Ply]
    stream: Stream

    def __init__(self, game: Game, is_plain: bool = False) -> None:
        self.game = game
        self.board = board_of(game)
        self.spec = ""
        self._mode = plain if is_plain else contextlib.nullcontext
        self._loaded = _loaded()

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Answer a question. Any exception the bot raises is an answer, too."""
        try:
            with self._mode():
                match question["ask"]:
                    case "start":
                        return self._start(question["bot"])
                    case "move":
                        return self._move(question)
                    case "game over":
                        self.player.game_over(self._view(question), question["payoff"])
                        return {"ready": True}
                    case unknown:
                        raise ValueError(f"unknown question {unknown!r}")
        except BaseException as error:  # bots can raise SystemExit and KeyboardInterrupt, too
            return {"raised": _description(error, self.spec)}

    def _start(self, spec: str) -> dict[str, Any]:
        self.spec = spec
        self.history = []
        self.stream = Stream(0)
        try:
            self.player = bot(spec, self.game)
        except KibitzError as error:
            return {"refused": _shortened(error)}
        listens = callable(getattr(self.player, "game_over", None))
        return {"ready": True, "listens": listens, "learns": getattr(self.player, "learns", False) is True}

    def _move(self, question: dict[str, Any]) -> dict[str, Any]:
        view = self._view(question)
        move = self.player.choose(view)
        try:
            number = view.parse(move) if isinstance(move, str) else operator.index(move)
        except (IllegalMove, TypeError):
            number = None
        if number is None or isinstance(move, bool) or not -(2**63) <= number < 2**63:
            return {"illegal": _shortened(_shown(move))}
        return {"move": number, "rng": self.stream.getstate(), "prepared": _loaded() > self._loaded}

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


def _loaded() -> int:
    """The number of compiled functions that this process has compiled or loaded."""
    return stats.compiled + stats.loaded


def _state(public: bytes, dtype: np.dtype) -> State:
    """A new record with these public fields."""
    fresh = np.zeros(1, dtype)
    fresh.view("u1")[: len(public)] = np.frombuffer(public, "u1")
    return State(fresh[0])


def _description(error: BaseException, spec: str) -> str:
    """A short description of an exception: its type, the line in the bot's own file, and its message."""
    file, _ = parse_spec(spec).file or ("", "")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _is_same(frame.filename, file)]
    where = f" in line {lines[-1]}" if lines else ""
    try:
        message = str(error)
    except BaseException:
        message = "its message cannot be shown"
    return _shortened(f"{type(error).__name__}{where}: {message}" if message else f"{type(error).__name__}{where}")


def _is_same(path: str, file: str | Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(file)


def _shown(answer: Any) -> str:
    try:
        return repr(answer)
    except Exception:  # for example, an integer with too many digits
        return f"an unprintable {type(answer).__name__}"


def _shortened(words: object) -> str:
    text = str(words)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


# ------------------------------------------------------------------ the process


def prepare(spec: str, is_plain: bool) -> Callable[[], None]:
    """Load a game, with all of its machine code; what a process forked then needs to run to be a guest.

    What the zygote has loaded does not count against any bot's time.
    """
    with plain() if is_plain else contextlib.nullcontext():
        game = find_game(spec)
        with contextlib.suppress(Exception):  # the table reports mistakes in the rules
            rehearse(game)
    return functools.partial(serve, Guest(game, is_plain))


def serve(guest: Guest) -> None:
    """Answer questions, one line of JSON each, until the table hangs up; then exit, whatever the bot left running."""
    try:
        questions, answers = _private_pipes()

        def say(answer: dict[str, Any]) -> None:
            left = memoryview(json.dumps(answer).encode() + b"\n")
            while left:
                left = left[os.write(answers, left) :]

        def ask_for_patience(notice: Notice, what: str) -> None:
            if notice is Notice.COMPILING:
                say({"compiling": _shortened(what)})

        notices.listener = ask_for_patience
        for line in questions:
            say(guest.answer(json.loads(line)))
    except BrokenPipeError:
        pass  # the table is gone
    finally:
        os._exit(0)  # without waiting for threads


def _private_pipes() -> tuple[Any, int]:
    """The pipes for questions and answers. The bot's own prints go to stderr, and its stdin is empty."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return questions, answers
