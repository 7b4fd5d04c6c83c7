"""Bots that did not come with kibitz play in a process of their own, under a time limit per move.

The table's side is here, the bot's side in guest.py. Between them goes one question and one answer at a time, each a
line of JSON made of plain values, so that a bot may as well sit in a sandbox, on another machine, or be written in
another language:

    {"ask": "start", "time": s, "game": spec, "bot": spec, "plain": false}          → {"ready": true}
    {"ask": "new game", "time": s}                                                  → {"ready": true}
    {"ask": "move", "time": s, "player": 0, "state": hex, "moves": [0, 1, …],       → {"move": 3, "rng": […]}
     "known": n, "plies": [[turn, move], …], "rng": [word, word, null]}
    {"ask": "game over", "payoff": [share, …], and all that is in "move"}           → {"ready": true}

`time` is the limit in seconds. `state` holds the public fields of the redacted record and nothing else does; `plies`
are those the player has seen after the first `known` of them; `rng` is the seat's own stream, which comes back
advanced, so that a game is the same whether its bots are isolated or not. Instead, the answer may be
{"raised": words}, {"illegal": what the bot answered}, or {"refused": why}, when there is no such bot. How the game
ended is told to bots that want to hear it: their first answer had "listens": true beside "ready".

The table believes nothing: answers are bounded in size and time, and only plain values are taken from them.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol

from kibitz.bots import Bot, Player, bot, is_shipped, move_seconds
from kibitz.compiled import is_plain
from kibitz.errors import BotFault, KibitzError, SpecError
from kibitz.game import Game
from kibitz.games import can_be_found, spec_of
from kibitz.spec import parse_spec
from kibitz.table import Ply, View

MOVE_SECONDS = 10.0
START_SECONDS = 60.0  # to start a process, load the bot and make it; the bot of the next game, too
DAY = 86_400.0
ANSWER_BYTES = 8192  # no answer is longer
GUEST = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from kibitz.arena.guest import serve; serve()"

_encoded = json.JSONEncoder(separators=(",", ":"), default=operator.index).encode  # NumPy's integers are integers


class Channel(Protocol):
    """How the table talks to a bot, wherever it is."""

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Send a line and wait for the line that answers it.

        TimeoutError when none came in time; ConnectionError, with words that go on "its process …", when none will.
        """

    def close(self) -> None:
        """End the bot, whatever it is doing."""


# ------------------------------------------------------------------ a process on this machine


class Pipes:
    """The channel to a process that reads questions from its standard input and answers on its standard output."""

    def __init__(self, command: Sequence[str], stderr: int | None = None) -> None:
        # In a session of its own it never sees Ctrl-C, and whatever it starts in turn can be ended with it.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0, start_new_session=True
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._questions, self._answers = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._questions, False)
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(self._questions, select.POLLOUT)
        self._readable.register(self._answers, select.POLLIN)
        self._end = weakref.finalize(self, _end, self.process)

    def ask(self, question: bytes, seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        try:
            self._send(question, deadline)
            return self._line(deadline)
        except (BrokenPipeError, EOFError):
            if time.monotonic() > deadline:
                raise TimeoutError from None
            raise ConnectionError(self._ending()) from None

    def _send(self, line: bytes, deadline: float) -> None:
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self._questions, left) :]
            except BlockingIOError:  # it does not read
                _wait(self._writable, deadline)

    def _line(self, deadline: float) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            _wait(self._readable, deadline)
            part = os.read(self._answers, ANSWER_BYTES)
            line += part
            if not part:
                raise EOFError
            if len(line) > ANSWER_BYTES:
                raise ConnectionError("answered without end")
        return line

    def _ending(self) -> str:
        """How the process ended, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it only hung up
            self.process.wait(timeout=1.0)
        self.close()
        code = self.process.returncode
        return f"ended with exit code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"

    def close(self) -> None:
        self._end()


def _wait(poll: select.poll, deadline: float) -> None:
    """Wait until a pipe is ready. What is ready already is never too late, should this process have been stopped."""
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended already
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def start_process(stderr: int | None = None) -> Channel:
    """A fresh process for a bot, which can import what this one can. `stderr` is where its prints go, as for Popen."""
    command = [sys.executable, "-P", "-c", GUEST, json.dumps([str(path) for path in sys.path])]
    try:
        return Pipes(command, stderr)
    except OSError as error:
        raise KibitzError(f"No process could be started for a bot: {error}.") from None


# ------------------------------------------------------------------ the bot as the table sees it


class IsolatedBot:
    """A bot in a process of its own. It is handed what it may know, and stopped when it takes too long.

    One is for one seat: two seats in one process could tell each other what they see. The process starts with the first
    game and serves all that follow, each with a new bot; after a timeout or a crash the next game starts another one.
    """

    def __init__(
        self,
        spec: str,
        game: str,
        move_time: float = MOVE_SECONDS,
        start: Callable[[], Channel] = start_process,
        start_time: float = START_SECONDS,
    ) -> None:
        for seconds in (move_time, start_time):
            if not 0 < seconds <= DAY:
                raise KibitzError(f"A time limit is more than 0 seconds and at most a day, not {seconds}.")
        self.spec = spec
        self.game = game
        self.move_time = move_time
        self._start = start
        self._start_time = start_time
        self._channel: Channel | None = None
        self._ready = False  # whether the process has a bot for this game
        self._used = False  # whether that bot was asked for a move
        self._listens = False  # whether it wants to be told how the game ended
        self._sent: tuple[Ply, ...] = ()  # the history it knows

    def new_game(self) -> None:
        """Another game begins: the next move is that of a new bot."""
        if self._used:
            self._ready = False

    def ready(self) -> None:
        """Have the bot ready for its next move: start the process, make the bot. BotFault when it cannot be made."""
        if self._ready:
            return
        question: dict[str, Any] = {"ask": "new game", "time": self._start_time}
        if self._channel is None:
            self._channel = self._start()
            question |= {"ask": "start", "game": self.game, "bot": self.spec, "plain": is_plain()}
        try:
            match self._ask(question, self._start_time, f"was not ready after {self._start_time:g} s"):
                case {"ready": True, **more}:
                    self._ready, self._used, self._sent = True, False, ()
                    self._listens = more.get("listens") is True
                case {"refused": str(why)}:
                    raise BotFault(_printable(why), kind="exception")
                case answer:
                    raise self._fault(answer)
        except BotFault:
            self.close()  # there is no bot in it
            raise

    def check(self) -> None:
        """Refuse a bot that does not exist or cannot be made, with a SpecError, before anything is played."""
        try:
            self.ready()
        except BotFault as fault:
            raise SpecError(str(fault)) from None

    def choose(self, view: View) -> int:
        """The bot's move. BotFault of the kind "exception", "timeout", "crash", or "illegal move" for no integer."""
        self.ready()
        self._used = True
        match self._ask(self._about("move", view), self.move_time, f"took more than {self.move_time:g} s for a move"):
            case {"move": int(move), "rng": [int(a), int(b), None | float() as gauss]} if _are_words(a, b):
                view.rng.setstate((a, b, gauss))
                return move
            case answer:
                raise self._fault(answer)

    def game_over(self, view: View, payoff: Sequence[float]) -> None:
        """Tell the bot how the game it played ended. What it makes of that changes nothing any more."""
        if self._ready and self._used and self._listens:
            with contextlib.suppress(BotFault):
                self._ask({**self._about("game over", view), "payoff": payoff}, self.move_time, "")

    def _about(self, what: str, view: View) -> dict[str, Any]:
        """A question about a position, with all that is new in it."""
        known = len(self._sent) if view.history[: len(self._sent)] == self._sent else 0
        self._sent = view.history
        return {
            "ask": what,
            "time": self.move_time,
            "player": view.player,
            "state": view.state.public_bytes().hex(),
            "moves": view.moves,
            "known": known,
            "plies": view.history[known:],
            "rng": view.rng.getstate(),
        }

    def _ask(self, question: dict[str, Any], seconds: float, late: str) -> Any:
        """Ask the process; without it, if it fails to answer."""
        assert self._channel is not None
        try:
            line = self._channel.ask(_encoded(question).encode() + b"\n", seconds)
        except TimeoutError:
            self.close()
            raise BotFault(f"{self.spec} {late}.", kind="timeout") from None
        except ConnectionError as error:
            self.close()
            raise BotFault(f"{self.spec} crashed: its process {error}.", kind="crash") from None
        except BaseException:  # Ctrl-C: an answer may be on its way, which would be taken for the next one
            self.close()
            raise
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            return None

    def _fault(self, answer: Any) -> BotFault:
        """What is wrong with an answer."""
        match answer:
            case {"raised": str(words)}:
                return BotFault(f"{self.spec} raised {_printable(words)}", kind="exception")
            case {"illegal": str(words)}:
                return BotFault(f"{self.spec} answered {_printable(words)}, which is no legal move.", "illegal move")
            case _:
                self.close()
                return BotFault(f"{self.spec} crashed: its process answered what is no answer.", kind="crash")

    def close(self) -> None:
        """End the process. The next game starts another one."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._ready = self._used = False

    def __enter__(self) -> IsolatedBot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _are_words(*numbers: int) -> bool:
    """Whether these can be words of a generator."""
    return all(0 <= number < 2**64 for number in numbers)


def _printable(words: str) -> str:
    """A bot's words on one line, without what a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in words[:300])


# ------------------------------------------------------------------ who is isolated


def make_player(spec: str, game: Game, move_time: float = MOVE_SECONDS) -> Player:
    """The bot of a spec: in this process and without a limit if it ships with kibitz, isolated otherwise."""
    if is_shipped(spec, game):
        return bot(spec, game)
    if can_be_found(game):
        return IsolatedBot(spec, spec_of(game), min(move_time, move_seconds(spec)))
    if parse_spec(spec).file is None:
        return bot(spec, game)  # written in this very program, as the game is
    raise SpecError(
        f"{spec} plays in a process of its own, which cannot find the game {spec_of(game)}; "
        f"put the game into a file and give it as path/file.py:{type(game).__name__}."
    )


def ready_player(spec: str, game: Game) -> Player:
    """The bot of a spec for people to watch or play: isolated only when it was written for another project.

    Refused at once, with a SpecError, when it cannot be made.
    """
    if not parse_spec(spec).adapter:
        return bot(spec, game)
    player = make_player(spec, game)
    if isinstance(player, IsolatedBot):
        player.check()
    return player


class Players:
    """The players of many games in turn: new to every game, but for bots that learn from game to game.

    Isolated bots are new to a game, too, but keep their processes.
    """

    def __init__(self, game: Game, move_time: float = MOVE_SECONDS, processes: int = 16) -> None:
        """At most so many processes wait for another game; beyond that the longest idle is ended."""
        self.game = game
        self.move_time = move_time
        self._processes = processes
        self._isolated: OrderedDict[tuple[str, int], IsolatedBot] = OrderedDict()
        self._learners: dict[tuple[str, int], Player] = {}

    def seat(self, specs: Sequence[str]) -> list[Player]:
        """A player for each seat of the next game. A bot that sits there twice has two processes."""
        players = [self._player(spec, specs[:seat].count(spec)) for seat, spec in enumerate(specs)]
        while len(self._isolated) > max(self._processes, len(specs)):
            self._isolated.popitem(last=False)[1].close()
        return players

    def _player(self, spec: str, copy: int) -> Player:
        if (spec, copy) in self._learners:
            return self._learners[spec, copy]
        player = self._isolated.pop((spec, copy), None) or make_player(spec, self.game, self.move_time)
        if isinstance(player, IsolatedBot):
            player.new_game()
            self._isolated[spec, copy] = player
        elif isinstance(player, Bot) and player.learns:
            self._learners[spec, copy] = player
        return player

    def close(self) -> None:
        """End all processes."""
        while self._isolated:
            self._isolated.popitem()[1].close()

    def __enter__(self) -> Players:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
