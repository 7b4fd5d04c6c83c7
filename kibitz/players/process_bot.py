"""Bots in processes of their own, as the table sees them: they can be stopped, and what they do wrong is a BotFault.

There are two kinds: bots from Python files (isolation.py), and programs in any language (command.py).
"""

from __future__ import annotations

import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self

from kibitz.errors import BotFault, KibitzError, SpecError
from kibitz.sandbox.pipes import ProcessDied, ProcessEnding
from kibitz.table import View

START_SECONDS = 60.0  # to start a process and get it ready for a game
WARM_UP_MOVE_SECONDS = 1.0  # the time that a bot is told to have for a move that does not count
DAY = 86_400.0
SHOWN = 300  # the maximum length of a bot's own words in a message


class Channel(Protocol):
    """A connection between the table and a bot, wherever the bot runs."""

    def send(self, line: bytes, seconds: float) -> None:
        """Send a line. Raises TimeoutError if that takes too long, and ProcessDied if it is impossible."""

    def receive(self, seconds: float) -> bytes:
        """Wait for the next line. Raises the same errors."""

    def close(self) -> None:
        """Kill the bot, whatever it is doing."""

    @property
    def ending(self) -> ProcessEnding:
        """How the process ended, once the channel is closed."""


class ProcessBot(ABC):
    """A bot in a process of its own. It receives only what it may know, and is killed if it takes too long.

    Every game has a new process, so that no bot knows the luck of another game, unless the bot learns, which has to be
    known before the first one. Each seat needs its own: two seats in one process could share what they see.
    """

    needs_names: ClassVar[bool] = False  # whether its views must contain the history in the game's notation
    learns = False  # whether the bot says that it learns from game to game; known once it has been made

    def __init__(
        self,
        spec: str,
        start: Callable[[], Channel],
        move_time: float,
        start_time: float,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        """`start` starts a process, and `stop` ends what all of them share: their sandbox."""
        for seconds in (move_time, start_time):
            if not 0 < seconds <= DAY:
                raise KibitzError(f"A time limit must be more than 0 seconds and at most a day, not {seconds}.")
        self.spec = spec
        self.move_time = move_time
        self._start, self._stop = start, stop
        self._start_time = start_time
        self._channel: Channel | None = None

    @abstractmethod
    def new_game(self) -> None:
        """Begin another game: the next move will come from a new bot."""

    @abstractmethod
    def ready(self) -> None:
        """Get the bot ready for its next move. Raises BotFault if that fails."""

    def check(self) -> None:
        """Raise a SpecError, before any game, if the bot does not exist or cannot be created."""
        try:
            self.ready()
        except BotFault as fault:
            raise SpecError(str(fault)) from None

    @abstractmethod
    def choose(self, view: View) -> int:
        """The bot's move. Raises BotFault if it fails."""

    @abstractmethod
    def game_ended(
        self, view: View, payoff: Sequence[float], score: Sequence[float] | None, bots: Sequence[str]
    ) -> None:
        """Tell the bot how its game ended, and who played. Without a score, a fault ended it."""

    @contextlib.contextmanager
    def _blaming(self, late: str) -> Iterator[None]:
        """Turn what goes wrong while the process is asked into the bot's fault, and kill the process."""
        try:
            yield
        except TimeoutError:
            self._end_process()
            raise BotFault(f"{self.spec} {late}.", kind="timeout") from None
        except ProcessDied as error:
            channel = self._channel
            self._end_process()
            words = _last_line(channel.ending.stderr) if channel is not None else ""
            raise BotFault(f"{self.spec} crashed: its process {error}{words}.", "crash", error.by_signal) from None
        except BaseException:  # Ctrl-C: a pending answer would be mistaken for the next one
            self._end_process()
            raise

    def _end_process(self) -> None:
        """Kill the process. The next game starts another one."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def close(self) -> None:
        """Kill the process, and end the sandbox of all games."""
        self._end_process()
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _last_line(stderr: str) -> str:
    """The end of what a process wrote to stderr, as a clause: that of a traceback says what went wrong."""
    line = printable(stderr.strip().rpartition("\n")[2].strip()).rstrip(".")
    return f"; its last words: {line}" if line else ""


def decoded(line: bytes) -> Any:
    """A line as a JSON value; None if it is not valid JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def printable(words: str) -> str:
    """A bot's message on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in words[:SHOWN])
