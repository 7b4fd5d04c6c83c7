"""Seats a program in any language: `cmd:./bot --depth 3`.

The program answers questions, one line of JSON each, as docs/protocol.md describes for its author. Here is the table's
side of it. Every game has a new process, so that a program is as new to every game as it can be, and every question has
an id that the answer must repeat, so that no answer is taken for the answer to another question.

The table trusts nothing: the size and time of answers are limited, and only plain values are taken from them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import math
import shutil
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from kibitz.display.board import find_move
from kibitz.errors import BotFault, IllegalMove, SpecError
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
from kibitz.rules.registry import spec_of
from kibitz.state import public_values
from kibitz.table import Ply, View
from kibitz.version import VERSION

PROTOCOL = 1  # the version of the protocol
FAREWELL_SECONDS = 1.0  # for the answer to the result, after which the process ends
SEED_BITS = 53  # of the seed for a program's own randomness: what a JavaScript number can hold
SHOWN_REPLY = 60  # characters of a malformed reply in a message

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


class CommandBot(ProcessBot):
    """A program that speaks the protocol of docs/protocol.md."""

    needs_names: ClassVar[bool] = True

    def __init__(
        self,
        spec: str,
        command: Sequence[str],
        game: Game,
        start: Callable[[], Channel],
        move_time: float,
        start_time: float = START_SECONDS,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(spec, start, move_time, start_time, stop)
        self.command = tuple(command)
        self.game = game
        self.name = spec  # later, what the program calls itself
        self._wants_text = True  # whether it reads the position as text
        self._asked = 0  # questions; the last one has this id
        self._in_game = False  # whether the program has been told that a game began
        self._sent: tuple[Ply, ...] = ()  # the history it has received

    def new_game(self) -> None:
        """Begin another game: the next move will come from a new process."""
        if self._in_game:
            self._end_process()

    def ready(self) -> None:
        """Start the process and greet it, unless that is done. Raises BotFault if that fails."""
        if self._channel is not None:
            return
        try:
            find_program(self.command)
        except SpecError as error:
            raise BotFault(str(error), kind="crash") from None
        self._channel = self._start()
        answer = self.ask("hello", self._start_time, self._not_ready, {"protocol": PROTOCOL, "kibitz": VERSION})
        match answer:
            case {"name": str(name), "protocol": int(version)} if version == PROTOCOL:
                self.name = printable(name)
                self._wants_text = answer.get("text") is not False
            case {"name": str(), "protocol": int(version)}:
                raise self._malformed(
                    f"it speaks version {version!r:.20} of the protocol, but this is version {PROTOCOL}"
                )
            case _:
                raise self._malformed(
                    f'the answer to "hello" needs a "name" and a "protocol", as in {{"id": {self._asked}, '
                    f'"name": "My bot", "protocol": {PROTOCOL}}}'
                )

    def check(self) -> None:
        """Raise a SpecError, before any game, if the program cannot be started or does not know the protocol.

        It then makes a few moves in a game that does not count, so that whatever it loads from disk is in memory.
        """
        super().check()
        try_out(self.game, self, min(self.move_time, WARM_UP_MOVE_SECONDS))
        self.new_game()

    def choose(self, view: View) -> int:
        """The program's move. Raises BotFault: "illegal move", "exception", "timeout" or "crash"."""
        self.ready()
        if not self._in_game:
            self._begin(view)
        names = view.names
        seconds = self.move_time if view.time is None else min(self.move_time, view.time)
        question = {"time": seconds, "moves": view.moves, "names": names, **self._position(view)}
        answer = self.ask("move", self.move_time, f"took more than {self.move_time:g} s for a move", question)
        move = answer.get("move")
        if isinstance(move, str):
            with contextlib.suppress(IllegalMove):
                return find_move(move, view.moves, names)
        if isinstance(move, int) and not isinstance(move, bool) and move in view.moves:
            return move
        if "move" not in answer:
            raise self._malformed(f'the answer to "move" needs a "move", as in {{"id": {self._asked}, "move": …}}')
        raise BotFault(f"{self.spec} played an illegal move: {move!r:.60}.", kind="illegal move")

    def game_ended(
        self, view: View, payoff: Sequence[float], score: Sequence[float] | None, bots: Sequence[str]
    ) -> None:
        """Tell the program how its game ended, and end its process. Nothing it does in response matters."""
        if self._in_game:
            with contextlib.suppress(BotFault):
                self.tell_result(view, payoff, score, bots)
            self._end_process()

    def tell_result(
        self, view: View, payoff: Sequence[float], score: Sequence[float] | None, bots: Sequence[str]
    ) -> None:
        """Tell the program how its game ended. Raises BotFault if it does not answer."""
        result = {"payoffs": payoff, "scores": score, "bots": bots, **self._position(view)}
        self.ask("result", min(self.move_time, FAREWELL_SECONDS), "did not answer the result", result)

    def _end_process(self) -> None:
        super()._end_process()
        self._in_game, self._asked, self._sent = False, 0, ()

    def _begin(self, view: View) -> None:
        """Tell the program about the game; it may take its time to get ready."""
        game = view.game
        question = {
            "game": spec_of(game),
            "variant": {f.name: _plain(getattr(game, f.name)) for f in dataclasses.fields(game)},  # type: ignore[arg-type]
            "players": game.players,
            "seats": [view.board.seat(player) for player in range(game.players)],
            "seat": view.player,
            "seed": view.rng.getrandbits(SEED_BITS),
            "move_time": self.move_time,
        }
        self.ask("new_game", self._start_time, self._not_ready, question)
        self._in_game = True

    @property
    def _not_ready(self) -> str:
        return f"was not ready after {self._start_time:g} s"

    def _position(self, view: View) -> dict[str, Any]:
        """The position as the program may know it, and the plies that it has not been told yet."""
        known = len(self._sent) if view.history[: len(self._sent)] == self._sent else 0
        self._sent = view.history
        plies = [
            {"seat": ply.turn, "move": ply.move, "name": name}
            for ply, name in zip(view.history[known:], view.history_names[known:], strict=True)
        ]
        text = {"text": view.text()} if self._wants_text else {}
        return {"known": known, "plies": plies, "position": public_values(view.state), **text}

    def ask(self, what: str, seconds: float, late: str, more: dict[str, Any]) -> dict[str, Any]:
        """Ask the program a question. Raises BotFault if the answer is missing, malformed, or not to this question.

        `late` completes the message about a program that takes longer than `seconds`.
        """
        assert self._channel is not None
        self._asked += 1
        deadline = time.monotonic() + seconds
        with self._blaming(late):
            self._channel.send(_line({"type": what, "id": self._asked, **more}), seconds)
            line = self._channel.receive(deadline - time.monotonic())
        answer = decoded(line)
        if not isinstance(answer, dict):
            shown = printable(line.decode(errors="replace"))[:SHOWN_REPLY]
            raise self._malformed(f"{shown!r} is not a JSON object")
        if type(answer.get("id")) is not int or answer["id"] != self._asked:
            raise self._malformed(f"its id is {answer.get('id')!r:.20}, not {self._asked}, the id of the question")
        if isinstance(error := answer.get("error"), str):
            raise BotFault(f"{self.spec} reported an error: {printable(error)}", kind="exception")
        return answer

    def _malformed(self, why: str) -> BotFault:
        self._end_process()
        return BotFault(f"{self.spec} crashed: its process sent a malformed reply: {why}.", kind="crash")


def find_program(command: Sequence[str]) -> str:
    """The path of a program; SpecError if there is none that can be run."""
    if path := shutil.which(command[0]):
        return path
    raise SpecError(
        f"There is no program {command[0]!r} that can be run; give its path, as in 'cmd:./bot', and make it executable."
    )


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, enum.Enum) else value


def _line(question: dict[str, Any]) -> bytes:
    try:
        text = _encode(question)
    except ValueError:  # JSON knows neither NaN nor infinity
        text = _encode(_finite(question))
    return text.encode() + b"\n"


def _finite(value: Any) -> Any:
    """A value in which numbers that are not finite are None."""
    match value:
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
