"""Runs bots that do not ship with kibitz in separate processes, with a time limit per move.

The table's side is here, the bot's side in guest.py. They exchange one question and one answer at a time, each a line
of JSON with plain values, so a bot could just as well run in a sandbox or on another machine, or be written in another
language:

    {"ask": "start", "time": s, "game": spec, "bot": spec, "plain": false}          → {"ready": true}
    {"ask": "new game", "time": s}                                                  → {"ready": true}
    {"ask": "move", "time": s, "player": 0, "state": hex, "moves": [0, 1, …],       → {"move": 3, "rng": […]}
     "known": n, "plies": [[turn, move], …], "rng": [word, word, null]}
    {"ask": "game over", "payoff": [number, …], plus everything in "move"}          → {"ready": true}

`time` is the limit in seconds. `state` holds the public fields of the redacted record, which appear nowhere else.
`plies` are the plies that the player has seen, without the first `known` of them. `rng` is the seat's own stream, which
comes back advanced, so that a game is the same whether or not its bots are isolated. The answer can also be
{"raised": message}, {"illegal": the bot's answer}, or {"refused": reason} if there is no such bot. "game over" is sent
only to bots that ask for it, with "listens": true next to "ready" in their first answer.

A process that has just started may have code to compile or to load. So its bot first makes a few moves in a game that
does not count, in which, as whenever a bot is created, {"compiling": what} before an answer asks for patience. In
games that count, it asks in vain: nothing that a bot says stops its clock. Those questions have a "patience" in
seconds beside their time.

The table trusts nothing: the size and time of answers are limited, and only plain values are taken from them.
"""

from __future__ import annotations

import contextlib
import functools
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
from typing import Any

from kibitz import notices
from kibitz.compiler import is_plain
from kibitz.errors import BotFault, KibitzError, SpecError
from kibitz.players.bot import Player
from kibitz.players.command import CommandBot
from kibitz.players.process_bot import (
    START_SECONDS,
    WARM_UP_MOVE_SECONDS,
    Channel,
    ProcessBot,
    decoded,
    printable,
)
from kibitz.players.roster import Entrant
from kibitz.players.warm_up import try_out
from kibitz.rules.contract import Game
from kibitz.rules.registry import can_be_found, find_game, spec_of
from kibitz.table import Ply, View

MOVE_SECONDS = 10.0
BOT_MEMORY = 4.0  # GB that a process may allocate
COMPILING_SECONDS = 300.0  # that a bot may take for what it says it compiles, where no clock runs …
PATIENCE_SECONDS = 900.0  # … and for all that together
ANSWER_BYTES = 8192  # the maximum length of an answer
GUEST = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from kibitz.players.guest import serve; serve(int(sys.argv[2]))"
)

_encoded = json.JSONEncoder(separators=(",", ":"), default=operator.index).encode  # accepts NumPy integers


# ------------------------------------------------------------------ a process on this machine


class Pipes:
    """A channel to a process that reads questions from stdin and writes answers to stdout."""

    def __init__(self, command: Sequence[str], stderr: int | None = None) -> None:
        # In a session of its own, it never sees Ctrl-C, and the processes it starts can be killed with it.
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
        self._unread = b""

    def send(self, line: bytes, seconds: float) -> None:
        if self._unread:
            raise ConnectionError("sent more than one reply")
        deadline = time.monotonic() + seconds
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self._questions, left) :]
            except BlockingIOError:  # the bot is not reading
                _wait(self._writable, deadline)
            except BrokenPipeError:
                raise self._ended(deadline) from None

    def receive(self, seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        while b"\n" not in self._unread:
            if len(self._unread) > ANSWER_BYTES:
                raise ConnectionError("sent an endless reply")
            _wait(self._readable, deadline)
            part = os.read(self._answers, ANSWER_BYTES)
            if not part:
                raise self._ended(deadline)
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _ended(self, deadline: float) -> Exception:
        """Why no answer will come; a process that ends too late is late."""
        return TimeoutError() if time.monotonic() > deadline else ConnectionError(self._ending())

    def _ending(self) -> str:
        """A description of how the process ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it only closed its pipe
            self.process.wait(timeout=1.0)
        self.close()
        code = self.process.returncode
        return f"exited with code {code}" if code >= 0 else f"was killed by {_signal_name(-code)}"

    def close(self) -> None:
        self._end()


def _wait(poll: select.poll, deadline: float) -> None:
    """Wait until a pipe is ready. One that is already ready is never too late: this process may have been paused."""
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


def start_process(stderr: int | None = None, memory: float = BOT_MEMORY) -> Channel:
    """A new process for a bot, with this one's import path. Its prints go to `stderr`, as for Popen.

    It may allocate `memory` GB; beyond that, allocations fail.
    """
    command = [sys.executable, "-P", "-c", GUEST, json.dumps([str(path) for path in sys.path]), str(int(memory * 1e9))]
    try:
        return Pipes(command, stderr)
    except OSError as error:
        raise KibitzError(f"Could not start a process for a bot: {error}.") from None


def start_command(command: Sequence[str], memory: float = BOT_MEMORY) -> Channel:
    """A new process for a program, which may allocate `memory` GB."""
    limited = ["sh", "-c", f'ulimit -d {int(memory * 1e9 / 1024)} && exec "$@"', "sh", *command]
    try:
        return Pipes(limited)
    except OSError as error:
        raise KibitzError(f"Could not start a process for a bot: {error}.") from None


# ------------------------------------------------------------------ the bot as the table sees it


class IsolatedBot(ProcessBot):
    """A bot from a Python file in a process of its own.

    The process starts with the first game and serves all games that follow, each with a new bot; after a timeout or a
    crash, the next game starts another one.
    With `warm_up`, a process that has just started plays a few moves that do not count, for which no clock runs.
    """

    def __init__(
        self,
        spec: str,
        game: str,
        move_time: float = MOVE_SECONDS,
        start: Callable[[], Channel] = start_process,
        start_time: float = START_SECONDS,
        warm_up: bool = False,
    ) -> None:
        super().__init__(spec, start, move_time, start_time)
        self.game = game
        self._warms_up = warm_up
        self._warming_up = False
        self._ready = False  # whether the process has a bot for this game
        self._used = False  # whether that bot has been asked for a move
        self._listens = False  # whether it wants to know how the game ended
        self._sent: tuple[Ply, ...] = ()  # the history it has received

    def new_game(self) -> None:
        """Begin another game: the next move will come from a new bot."""
        if self._used:
            self._ready = False

    def ready(self) -> None:
        """Get the bot ready for its next move: start the process, create the bot. Raises BotFault if that fails."""
        if self._ready:
            return
        starts = self._channel is None
        self._make_bot()
        if starts and self._warms_up:
            self._warm_up()
            self._make_bot()

    def _warm_up(self) -> None:
        """Let the bot make its first moves in a game that does not count, without a clock for what it compiles."""
        self._warming_up = True
        try:
            try_out(find_game(self.game), self, min(self.move_time, WARM_UP_MOVE_SECONDS))
        finally:
            self._warming_up = False
        self._warms_up = self._channel is not None  # one that is killed now gets no second warm-up
        self._ready = False

    def _make_bot(self) -> None:
        question: dict[str, Any] = {"ask": "new game", "time": self._start_time, "patience": PATIENCE_SECONDS}
        if self._channel is None:
            self._channel = self._start()
            question |= {"ask": "start", "game": self.game, "bot": self.spec, "plain": is_plain()}
        try:
            match self._ask(question, self._start_time, f"was not ready after {self._start_time:g} s"):
                case {"ready": True, **more}:
                    self._ready, self._used, self._sent = True, False, ()
                    self._listens = more.get("listens") is True
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
            case {"move": int(move), "rng": [int(a), int(b), None | float() as gauss]} if _are_words(a, b):
                view.rng.setstate((a, b, gauss))
                return move
            case answer:
                raise self._fault(answer)

    def game_ended(
        self, view: View, payoff: Sequence[float], score: Sequence[float] | None, bots: Sequence[str]
    ) -> None:
        if self._ready and self._used and self._listens:
            with contextlib.suppress(BotFault):
                self._ask({**self._about("game over", view), "payoff": payoff}, self.move_time, "")

    def _about(self, what: str, view: View) -> dict[str, Any]:
        """A question about a position; it includes only the plies that the bot has not received yet."""
        limits = {"time": view.time, "patience": PATIENCE_SECONDS} if self._warming_up else {"time": self.move_time}
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
        patience = question.get("patience", 0.0)
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
        self._ready = self._used = False


def _are_words(*numbers: int) -> bool:
    """Whether these are valid words of a generator."""
    return all(0 <= number < 2**64 for number in numbers)


# ------------------------------------------------------------------ who is isolated


def make_player(entrant: Entrant, move_time: float = MOVE_SECONDS, memory: float = BOT_MEMORY) -> Player:
    """Create a bot: in this process and without limits if it ships with kibitz or is local, else isolated."""
    game = entrant.game
    if entrant.is_shipped or entrant.is_local:
        return entrant.make()
    if command := entrant.parsed.command:
        return CommandBot(entrant.spec, command, game, functools.partial(start_command, command, memory), move_time)
    if can_be_found(game):
        start = functools.partial(start_process, memory=memory)
        seconds = min(move_time, entrant.move_seconds)
        return IsolatedBot(entrant.spec, spec_of(game), seconds, start, warm_up=not is_plain())
    raise SpecError(
        f"{entrant.spec} runs in a separate process, which cannot find the game {spec_of(game)}; "
        f"move the game to a file and name it as path/file.py:{type(game).__name__}."
    )


def ready_player(entrant: Entrant) -> Player:
    """Create a bot for people to watch or play against; it is isolated only if it was written for another project, or
    is a program.

    Raises a SpecError at once if the bot cannot be created.
    """
    if not entrant.parsed.adapter and not entrant.parsed.command:
        return entrant.make()
    player = make_player(entrant)
    if isinstance(player, ProcessBot):
        player.check()
    return player


class Players:
    """The players of a series of games: new ones for every game, except for bots that learn from game to game.

    Isolated bots are new in every game, too, unless they learn, but keep their processes; programs do not.
    """

    def __init__(
        self, game: Game, move_time: float = MOVE_SECONDS, memory: float = BOT_MEMORY, *, processes: int = 16
    ) -> None:
        """At most `processes` processes wait for another game; beyond that, the one idle the longest is killed."""
        self.game = game
        self.move_time = move_time
        self.memory = memory
        self._processes = processes
        self._isolated: OrderedDict[tuple[str, int], ProcessBot] = OrderedDict()
        self._learners: dict[tuple[str, int], Player] = {}

    def seat(self, entrants: Sequence[Entrant]) -> list[Player]:
        """A player for each seat of the next game. A bot that holds two seats has two processes."""
        specs = [entrant.spec for entrant in entrants]
        players = [self._player(entrant, specs[:seat].count(entrant.spec)) for seat, entrant in enumerate(entrants)]
        while len(self._isolated) > max(self._processes, len(specs)):
            self._isolated.popitem(last=False)[1].close()
        return players

    def _player(self, entrant: Entrant, copy: int) -> Player:
        key = entrant.spec, copy
        if key in self._learners:
            return self._learners[key]
        player = self._isolated.pop(key, None) or make_player(entrant, self.move_time, self.memory)
        if isinstance(player, ProcessBot):
            if not entrant.learns:
                player.new_game()
            self._isolated[key] = player
        elif entrant.learns:
            self._learners[key] = player
        return player

    def close(self) -> None:
        """Kill all processes."""
        while self._isolated:
            self._isolated.popitem()[1].close()

    def __enter__(self) -> Players:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
