"""Bots from Python files, in processes of their own, with a time limit per move.

The table's side is here, the bot's side in guest.py; the process in between comes from a sandbox (kibitz/sandbox). They
exchange one question and one answer at a time, each a line of JSON with plain values:

    {"ask": "start", "time": s, "bot": spec}                                        → {"ready": true}
    {"ask": "move", "time": s, "player": 0, "state": hex, "moves": [0, 1, …],       → {"move": 3, "rng": […]}
     "known": n, "plies": [[turn, move], …], "rng": [word, word, null]}
    {"ask": "game over", "payoff": [number, …], plus everything in "move"}          → {"ready": true}

`time` is the limit in seconds. `state` holds the public fields of the redacted record, which appear nowhere else.
`plies` are the plies that the player has seen, without the first `known` of them. `rng` is the seat's own stream, which
comes back advanced, so that a game is the same whether or not its bots are isolated. The answer can also be
{"raised": message}, {"illegal": the bot's answer}, or {"refused": reason} if there is no such bot. Next to "ready", the
first answer has "listens": true if the bot wants to know how the game ended, which is asked of no other, and
"learns": true if it learns from game to game. If it says so before the first game, its process plays on in all of them;
whatever it says later changes nothing.

A process that has just started may have code to compile or to load. So the first one makes a few moves in a game that
does not count, in which, as whenever a bot is created, {"compiling": what} before an answer asks for patience. If it
did compile or load something ("prepared": true in its answers), the process of every later game is warmed up, too, with
less patience. In games that count, it asks in vain: nothing that a bot says stops its clock.

The table trusts nothing: the size and time of answers are limited, and only plain values are taken from them.
"""

from __future__ import annotations

import contextlib
import json
import operator
import time
from collections.abc import Callable, Sequence
from typing import Any

from kibitz import notices
from kibitz.errors import BotFault
from kibitz.players.process_bot import (
    START_SECONDS,
    WARM_UP_MOVE_SECONDS,
    Channel,
    ProcessBot,
    decoded,
    printable,
)
from kibitz.players.warm_up import try_out
from kibitz.rules.contract import Game
from kibitz.table import Ply, View

COMPILING_SECONDS = 300.0  # that a bot may take for what it says it compiles, where no clock runs …
PATIENCE_SECONDS = 900.0  # … and for all that together, in its first process

_encoded = json.JSONEncoder(separators=(",", ":"), default=operator.index).encode  # accepts NumPy integers


class IsolatedBot(ProcessBot):
    """A bot from a Python file in a process of its own.

    With `warm_up`, its first process plays a few moves that do not count, for which no clock runs. Only if it
    `may_learn`, and says that it does, does its process play on in the next game.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        start: Callable[[], Channel],
        move_time: float,
        start_time: float = START_SECONDS,
        stop: Callable[[], None] = lambda: None,
        warm_up: bool = False,
        may_learn: bool = False,
    ) -> None:
        super().__init__(spec, start, move_time, start_time, stop)
        self.game = game
        self._warms_up = warm_up
        self._may_learn = may_learn
        self._patience = PATIENCE_SECONDS
        self._warming_up = False
        self._prepared = False  # whether it compiled or loaded anything meanwhile
        self._used = False  # whether the process has been asked for a move
        self._listens = False  # whether the bot wants to know how the game ended
        self._sent: tuple[Ply, ...] = ()  # the history it has received

    def new_game(self) -> None:
        """Begin another game: the next move will come from a new bot in a new process, unless it learns."""
        if self._used and not (self.learns and self._may_learn):
            self._end_process()

    def ready(self) -> None:
        """Get the bot ready for its next move: start the process, create the bot. Raises BotFault if that fails."""
        if self._channel is not None:
            return
        self._make_bot()
        if self._warms_up:
            self._warm_up()
            self._make_bot()

    def _warm_up(self) -> None:
        """Let the bot make its first moves in a game that does not count, without a clock for what it compiles."""
        self._warming_up, self._warms_up, self._prepared = True, False, False
        try:
            try_out(self.game, self, min(self.move_time, WARM_UP_MOVE_SECONDS))
        finally:
            self._warming_up = False
        self._warms_up = self._prepared and self._channel is not None  # one that was killed gets no second warm-up
        self._patience = self._start_time  # from now on, whatever it compiled comes from the cache

    def _make_bot(self) -> None:
        """Create a bot, in a new process if there is none."""
        if self._channel is None:
            self._channel = self._start()
        question = {"ask": "start", "time": self._start_time, "bot": self.spec, "patience": self._patience}
        try:
            match self._ask(question, self._start_time, f"was not ready after {self._start_time:g} s"):
                case {"ready": True, **more}:
                    self._used, self._sent = False, ()
                    self._listens, self.learns = more.get("listens") is True, more.get("learns") is True
                case {"refused": str(why)}:
                    raise BotFault(printable(why), kind="exception")
                case answer:
                    raise self._fault(answer)
        except BotFault:
            self._end_process()  # the process has no bot
            raise

    def choose(self, view: View) -> int:
        """The bot's move. Raises BotFault: "exception", "timeout", "crash", or "illegal move" for a non-integer."""
        self.ready()
        self._used = True
        match self._ask(self._about("move", view), self.move_time, f"took more than {self.move_time:g} s for a move"):
            case {"move": int(move), "rng": [int(a), int(b), None | float() as gauss], **more} if _are_words(a, b):
                view.rng.setstate((a, b, gauss))
                self._prepared |= more.get("prepared") is True
                return move
            case answer:
                raise self._fault(answer)

    def game_ended(
        self, view: View, payoff: Sequence[float], score: Sequence[float] | None, bots: Sequence[str]
    ) -> None:
        if self._channel is not None and self._used and self._listens:
            with contextlib.suppress(BotFault):
                self._ask({**self._about("game over", view), "payoff": payoff}, self.move_time, "")

    def _about(self, what: str, view: View) -> dict[str, Any]:
        """A question about a position; it includes only the plies that the bot has not received yet."""
        limits = {"time": view.time, "patience": self._patience} if self._warming_up else {"time": self.move_time}
        known = len(self._sent) if view.history[: len(self._sent)] == self._sent else 0
        self._sent = view.history
        return {
            "ask": what,
            **limits,
            "player": view.player,
            "state": view.state.public_bytes().hex(),
            "moves": view.moves,
            "known": known,
            "plies": view.history[known:],
            "rng": view.rng.getstate(),
        }

    def _ask(self, question: dict[str, Any], seconds: float, late: str) -> Any:
        """Ask the process; if it fails to answer, kill it."""
        assert self._channel is not None
        patience = question.pop("patience", 0.0)
        began = time.monotonic()
        deadline = began + seconds
        try:
            with self._blaming(late):
                self._channel.send(_encoded(question).encode() + b"\n", seconds)
                answer = decoded(self._channel.receive(deadline - time.monotonic()))
                while isinstance(answer, dict) and answer.keys() == {"compiling"}:
                    if patience:
                        notices.tell_compiling(f"{printable(str(answer['compiling']))}, in {self.spec}")
                        deadline = min(time.monotonic() + COMPILING_SECONDS, began + seconds + patience)
                    answer = decoded(self._channel.receive(deadline - time.monotonic()))
                return answer
        finally:
            notices.tell_compiled()

    def _fault(self, answer: Any) -> BotFault:
        """The fault behind an answer that is not valid."""
        match answer:
            case {"raised": str(words)}:
                return BotFault(f"{self.spec} raised {printable(words)}", kind="exception")
            case {"illegal": str(words)}:
                return BotFault(f"{self.spec} played an illegal move: {printable(words)}.", "illegal move")
            case _:
                self._end_process()
                return BotFault(f"{self.spec} crashed: its process sent a malformed reply.", kind="crash")

    def _end_process(self) -> None:
        super()._end_process()
        self._used = False


def _are_words(*numbers: int) -> bool:
    """Whether these are valid words of a generator."""
    return all(0 <= number < 2**64 for number in numbers)
