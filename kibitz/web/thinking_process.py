"""A bot that thinks for long, in a process of its own: it never holds the lock of the server's Python interpreter.

The process ends when the bot is dismissed, which frees all of its memory at once. Only bots that ship with kibitz play
here; all others have sandboxes. What it plays is the same as in the server's own process: its random stream comes back.
"""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import replace
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple

from kibitz.compiler import mode, running_in, running_time
from kibitz.display.board import board_of
from kibitz.errors import BotFault, KibitzError
from kibitz.players.limit import Limit
from kibitz.players.roster import Entrant, resolve
from kibitz.players.turns import ask
from kibitz.players.warm_up import try_out
from kibitz.rules.registry import find_game, spec_of
from kibitz.table import View
from kibitz.web.child_process import ChildProcess, ProcessLimits
from kibitz.web.sentences import apology

PATIENCE = 120.0  # seconds until a process is killed that does not answer, although every search should have ended
POLL_SECONDS = 0.05  # from one look at whether it is to stop to the next


class Thought(NamedTuple):
    """What a bot chose."""

    move: int
    seconds: float  # that it thought, without what it had to load


class ThinkingProcess:
    """A bot in a process, which is started with its first move. It is used by one thread at a time."""

    def __init__(self, entrant: Entrant, niceness: int, memory: int) -> None:
        """`niceness` is added to the server's own; `memory` is how many bytes of address space it may use."""
        self._entrant = entrant
        self._limits = ProcessLimits(niceness, memory)
        self._process: ChildProcess | None = None
        self._is_ready = False  # whether it has loaded everything

    @property
    def memory(self) -> int:
        """The bytes of memory that it uses."""
        return 0 if self._process is None else self._process.memory

    def ask(self, view: View, title: str, stop: threading.Event) -> Thought | None:
        """The bot's move; BotFault if it fails. Once `stop` is set, it plays the best it has found; None if the process
        is not even ready by then."""
        if self._process is None:
            game, bot = spec_of(self._entrant.game), self._entrant.spec
            self._process = ChildProcess(self._limits, _think, game, bot, mode())
        try:
            connection = self._process.connection
            if not self._is_ready and self._answer(connection, stop, patient=False) is None:
                return None
            self._is_ready = True
            connection.send((_without_game(view), title))
            answer = self._answer(connection, stop)
        except (EOFError, OSError):  # it exceeded its memory, or was killed
            self.close()
            raise BotFault(f"{title} crashed: its process was ended.", kind="crash") from None
        if "error" in answer:
            raise KibitzError(answer["error"])
        if "fault" in answer:
            raise BotFault(answer["fault"], answer["kind"])
        view.rng.setstate(answer["rng"])
        return Thought(answer["move"], answer["seconds"])

    def _answer(self, connection: Connection, stop: threading.Event, patient: bool = True) -> Any:
        """What the process answers; if it is to stop, it is told so, or, without patience, None is returned."""
        waited, is_told = 0.0, False
        while not connection.poll(POLL_SECONDS):
            waited += POLL_SECONDS
            if waited > PATIENCE:
                raise EOFError
            if stop.is_set() and not patient:
                return None
            if stop.is_set() and not is_told:
                connection.send(None)
                is_told = True
        return connection.recv()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process, self._is_ready = None, False


def _without_game(view: View) -> View:
    """A view without what both sides know: the class of a game from a file cannot be sent."""
    return replace(view, game=None, board=None)  # type: ignore[arg-type]


# ------------------------------------------------------------------ in the process


def _think(connection: Connection, game_spec: str, bot_spec: str, in_mode: str) -> None:
    """Answer one question after another, until the server hangs up."""
    questions: SimpleQueue[tuple[View, str]] = SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(connection, questions, stop), daemon=True).start()
    with running_in(in_mode):
        game = find_game(game_spec)
        board, entrant = board_of(game), resolve(bot_spec, game)
        with contextlib.suppress(Exception):  # it will be seen in the game
            try_out(game, entrant.make())
        connection.send("ready")
        player: Any = None
        while True:
            view, title = questions.get()
            view = replace(view, game=game, board=board)
            try:
                began = running_time()
                player = player or entrant.make()
                move = ask(view, player, title, Limit(stop=stop))
                answer = {"move": move, "seconds": running_time() - began, "rng": view.rng.getstate()}
            except BotFault as fault:
                answer = {"fault": str(fault), "kind": fault.kind}
            except KibitzError as error:
                answer = {"error": str(error)}
            except MemoryError:
                answer = {"fault": f"{title} ran out of memory.", "kind": "crash"}
            except Exception as error:
                answer = {"error": apology(error)}
            connection.send(answer)


def _listen(connection: Connection, questions: SimpleQueue[tuple[View, str]], stop: threading.Event) -> None:
    """Pass questions on; None in place of a question asks for an answer to the last one soon."""
    while True:
        try:
            question = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        if question is None:
            stop.set()
        else:
            stop.clear()
            questions.put(question)
