"""Checks a program that plays through the protocol of docs/protocol.md, and says what it does wrong.

The program plays short games in all seats against random moves, in a new process each, and the first one once more to
see whether it can be repeated. In the second game, the questions have a field that no version of the protocol has, and
one of the questions is of an unknown type: a program must ignore the one and answer the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kibitz.compiler import running_time
from kibitz.errors import BotFault, KibitzError
from kibitz.players.command import CommandBot, find_program
from kibitz.players.process_bot import START_SECONDS, Channel, decoded
from kibitz.players.roster import bot, resolve
from kibitz.players.seating import MOVE_SECONDS, terms_for, warden_for
from kibitz.players.turns import ask, view_for
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.spec import parse_spec
from kibitz.sandbox.levels import AUTO
from kibitz.sandbox.pipes import ProcessEnding
from kibitz.table import Table

LISTEN_SECONDS = 0.2  # how long to listen for output that nobody asked for
UNKNOWN = "from_the_future"  # a field and a type of question that the protocol does not have
ONLY_ANSWERS = "Only answers belong on stdout, one line each; print everything else to stderr."
FLUSH = "Does it end every answer with a newline, and flush its output?"
ANSWER_ALL = "Answer whatever you do not know with its id alone, so that later versions can ask more."


@dataclass(frozen=True)
class Problem:
    """What a program does wrong, with the last question and what the program sent since, if anything."""

    sentence: str
    sent: str
    received: str


@dataclass
class CheckedProgram:
    """What was found out about a program."""

    spec: str
    game: str
    name: str = ""  # what the program calls itself
    games: int = 0  # finished
    moves: int = 0
    slowest: float = 0.0  # the seconds of the slowest move
    is_repeatable: bool = True  # whether it made the same moves again in the same game with the same seed
    problems: list[Problem] = field(default_factory=list)


def check_program(
    spec: str,
    game: GameLike = "connect_four",
    games: int | None = None,
    seed: int = 0,
    move_time: float = MOVE_SECONDS,
    start_time: float = START_SECONDS,
    sandbox: str = AUTO,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> CheckedProgram:
    """Check a program: `check_program("cmd:./bot --depth 3")`.

    By default, it plays one game in each seat and two more.
    """
    command = parse_spec(spec).command
    if not command:
        raise KibitzError(f"{spec} is not a program; write 'cmd:PROGRAM ARGS', as in 'cmd:./bot --depth 3'.")
    find_program(command)
    trial = _Trial(spec, as_game(game), move_time, start_time, sandbox)
    total = games or trial.game.players + 2
    numbers = [*range(total - 1), 0]
    played: list[list[int] | None] = []
    for done, number in enumerate(numbers):
        progress(done, total)
        played.append(trial.play(seed, number, strange=done == 1))
        if not trial.report.name:  # it would fail in the same way again
            break
    if None not in (played[0], played[-1]):
        trial.report.is_repeatable = played[0] == played[-1]
    return trial.report


class _Trial:
    """A program under test."""

    def __init__(self, spec: str, game: Game, move_time: float, start_time: float, sandbox: str) -> None:
        self.game = game
        self.report = CheckedProgram(spec, spec_of(game))
        entrant = resolve(spec, game)
        self._warden = warden_for(entrant, terms_for([entrant], sandbox))
        command = entrant.parsed.command
        self._program = CommandBot(spec, command, game, self._start, move_time, start_time, self._warden.close)
        self._channel: Recorder | None = None
        self._strange = False

    def _start(self) -> Channel:
        self._channel = Recorder(self._warden.start(), self._strange)
        return self._channel

    def play(self, seed: int, number: int, strange: bool) -> list[int] | None:
        """Play a game; the program's moves, or None if it failed. A strange one is full of what it does not know."""
        self._channel, self._strange = None, strange
        with self._program:
            try:
                moves = self._play(seed, number)
                self._listen()
                self.report.games += 1
                return moves
            except BotFault as fault:
                self._note(f"{fault}{_advice(fault, self._channel)}")
                return None

    def _play(self, seed: int, number: int) -> list[int]:
        program, report, moves = self._program, self.report, []
        seat, opponent = number % self.game.players, bot("random", self.game)
        program.ready()
        report.name = program.name
        if self._strange:
            program.ask(UNKNOWN, program.move_time, "did not answer a question of an unknown type", {})
        table = Table(self.game, seed, number=number, seats=[report.spec] * self.game.players)
        while not table.over:
            if table.turn != seat:
                table.play(ask(table.view(table.turn), opponent, "random"))
                continue
            began = running_time()
            moves.append(ask(view_for(program, table, seat), program, report.spec))
            if len(moves) > 1:  # the first one includes getting ready for the game, for which no clock runs
                report.slowest = max(report.slowest, running_time() - began)
            report.moves += 1
            table.play(moves[-1])
        if moves:
            program.tell_result(view_for(program, table, seat), table.payoff(), table.score(), table.seats)
        return moves

    def _listen(self) -> None:
        """Whether the program falls silent, or ends in order, after its last answer."""
        assert self._channel is not None
        try:
            self._channel.receive(LISTEN_SECONDS)
            self._note(f"{self.report.spec} wrote a line that answers no question. {ONLY_ANSWERS}")
        except TimeoutError:
            pass
        except ConnectionError as error:
            if str(error) != "exited with code 0":
                self._note(f"After the result, {self.report.spec} crashed: its process {error}.")

    def _note(self, sentence: str) -> None:
        if sentence not in {problem.sentence for problem in self.report.problems}:
            sent, received = (self._channel.sent, self._channel.received) if self._channel else (b"", b"")
            lines = (line.decode(errors="replace").strip() for line in (sent, received))
            self.report.problems.append(Problem(sentence, *lines))


class Recorder:
    """A channel that keeps the last question and the last line received since; it can add a field to the questions."""

    def __init__(self, channel: Channel, adds_field: bool) -> None:
        self.sent = self.received = b""
        self._channel = channel
        self._adds_field = adds_field

    def send(self, line: bytes, seconds: float) -> None:
        if self._adds_field:
            line = line.removesuffix(b"}\n") + f',"{UNKNOWN}":[{{"id":-1}}]}}\n'.encode()
        self.sent, self.received = line, b""
        self._channel.send(line, seconds)

    def receive(self, seconds: float) -> bytes:
        self.received = self._channel.receive(seconds)
        return self.received

    def close(self) -> None:
        self._channel.close()

    @property
    def ending(self) -> ProcessEnding:
        return self._channel.ending


def _advice(fault: BotFault, channel: Recorder | None) -> str:
    """What the author may have overlooked."""
    if channel is None:
        return ""
    if f'"type":"{UNKNOWN}"' in channel.sent.decode():
        return f" {ANSWER_ALL}"
    if fault.kind == "timeout" and not channel.received:
        return f" {FLUSH}"
    if channel.received and not isinstance(decoded(channel.received), dict):
        return f" {ONLY_ANSWERS}"
    return ""
