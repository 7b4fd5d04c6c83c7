"""`kibitz play`: play against bots or other people in the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from rich.columns import Columns
from rich.markup import escape

from kibitz.cli.completion import complete_bot
from kibitz.cli.narration import result, seat, seed_words
from kibitz.cli.screen import FreshSeedOption, GameArgument, SandboxOption, SecretOption, screen, waiting, words
from kibitz.compiler import running_time
from kibitz.display.board import board_of, find_move
from kibitz.display.wording import about, counted, value_words
from kibitz.errors import IllegalMove, KibitzError
from kibitz.players.bot import Player, Searcher
from kibitz.players.roster import resolve
from kibitz.players.seating import TERMINAL, Players, check_strangers, terms_for
from kibitz.players.turns import ask, take_turn, tell_end, view_for
from kibitz.rules.contract import CHANCE, Game
from kibitz.rules.registry import find_game
from kibitz.rules.rng import as_secret
from kibitz.sandbox.levels import AUTO
from kibitz.table import Table

HUMAN = "human"
COMMANDS = {
    "undo": "take back your last move and everything after it",
    "hint": "ask a bot what it would play, and why",
    "moves": "list the legal moves",
    "board": "show the board again",
    "position": "print the position as text, for kibitz analyse --position",
    "help": "show this help",
    "quit": "leave the game",
}


def play(
    game: GameArgument,
    seats: Annotated[
        list[str] | None,
        typer.Option(
            "--seat", metavar="SEAT", help="Your seat, by number or name; repeat it for more people.", show_default="1"
        ),
    ] = None,
    versus: Annotated[
        list[str] | None,
        typer.Option(
            "--vs",
            metavar="SPEC",
            help="The player in the next free seat: a bot, or human.",
            show_default="best",
            autocompletion=complete_bot,
        ),
    ] = None,
    hint: Annotated[
        str, typer.Option(metavar="SPEC", help="The bot that gives hints.", autocompletion=complete_bot)
    ] = "best",
    seed: FreshSeedOption = None,
    secret: SecretOption = None,
    sandbox: SandboxOption = AUTO,
) -> None:
    """Play a game in the terminal, against bots or other people.

    Each `--vs` takes the next free seat; the last one takes all remaining seats.

    Examples: `kibitz play connect_four`, `kibitz play connect_four --seat yellow --vs uct:ms=1000`,
    `kibitz play connect_four --vs human`
    """
    rules = find_game(game)
    line_up = seating(rules, seats or ["1"], versus or ["best"])
    with contextlib.closing(TerminalGame(rules, line_up, hint, seed, secret, sandbox)) as terminal_game:
        terminal_game.run()


def seating(game: Game, seats: Sequence[str], versus: Sequence[str]) -> list[str]:
    """The line-up as specs: people in the seats they chose, the others in order, the last one repeated."""
    people = {_seat_number(game, text) for text in seats}
    free = [player for player in range(game.players) if player not in people]
    if len(versus) > max(len(free), 1):
        raise KibitzError(f"{len(versus)} opponents are too many for {counted(len(free), 'free seat')}.")
    opponents = dict(zip(free, [*versus, *[versus[-1]] * len(free)], strict=False))
    return [opponents.get(player, HUMAN) for player in range(game.players)]


def _seat_number(game: Game, text: str) -> int:
    names = [board_of(game).seat(player) for player in range(game.players)]
    for player, name in enumerate(names):
        if text.lower() in (str(player + 1), name.lower()):
            return player
    raise KibitzError(
        f"There is no seat {text!r}; the seats are {', '.join(f'{i} ({n})' for i, n in enumerate(names, 1))}."
    )


class Quit(Exception):
    """A person leaves the game."""


class TerminalGame:
    """A game in the terminal. People see only what their seat may see, including the news since their last turn."""

    def __init__(
        self,
        game: Game,
        line_up: Sequence[str],
        hint: str,
        seed: int | None,
        secret: str | None = None,
        sandbox: str = AUTO,
    ) -> None:
        self._entrants = {player: resolve(spec, game) for player, spec in enumerate(line_up) if spec != HUMAN}
        self._adviser = resolve(hint, game)
        everyone = [self._adviser, *self._entrants.values()]
        terms = replace(terms_for(everyone, sandbox), stderr=TERMINAL)
        check_strangers(everyone, terms)
        if not self._adviser.is_stranger:
            self._adviser.make()  # fail before the game begins if the spec is invalid
        self._players, self._advisers = (Players(game, terms, everyone) for _ in range(2))
        has_strangers = any(entrant.is_stranger for entrant in everyone)
        self.table = Table(game, seed, seats=line_up, secret=as_secret(secret, has_strangers))
        self.line_up = line_up
        self.hint_spec = hint
        self.humans = [player for player, spec in enumerate(line_up) if spec == HUMAN]
        self.viewer = self.humans[0]  # the person looking at the screen
        self.table.board = self.table.board.with_players([], self.viewer if len(self.humans) == 1 else None)
        self.thought: dict[int, float] = {}  # seconds by ply
        self._seat_bots()
        self._skip_news()

    def _seat_bots(self) -> None:
        """Create new bots: at the start, and after an undo, which they must not know about."""
        players = self._players.seat(list(self._entrants.values()))
        self.bots: dict[int, Player] = dict(zip(self._entrants, players, strict=True))

    def close(self) -> None:
        """Send the bots away."""
        self._players.close()
        self._advisers.close()

    def _skip_news(self) -> None:
        """Do not announce the plies so far again; chance outcomes in the opening are still announced once."""
        played = any(turn != CHANCE for turn, _ in self.table.history)
        self.announced = {player: len(self.table.plies_seen(player)) if played else 0 for player in self.humans}

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        self._welcome()
        try:
            while not self.table.over:
                if self.table.turn in self.humans:
                    self._person_moves(self.table.turn)
                else:
                    self._bot_moves(self.table.turn)
        except (Quit, EOFError):
            screen.print(f"Goodbye. [dim]({seed_words(self.table)})[/]")
            return
        except KeyboardInterrupt:
            screen.print(f"\nGoodbye. [dim]({seed_words(self.table)})[/]")
            raise
        tell_end(self.table, self.bots, self.table.payoff())
        self._announce_news()
        self._show_board()
        screen.print(f"\n{result(self.table)} [dim]({seed_words(self.table)})[/]")

    def _welcome(self) -> None:
        table = self.table
        screen.print(f"[bold]{escape(about(table.game))}[/]")
        for player, spec in enumerate(self.line_up):
            who = "you" if self.humans == [player] else "a person" if spec == HUMAN else escape(spec)
            screen.print(f"  {seat(table.board, player)}: {who}")
        screen.print(f"{escape(table.board.how_to_move)} [dim]Or: {', '.join(COMMANDS)}.[/]")

    def _bot_moves(self, player: int) -> None:
        started = running_time()
        ply = len(self.table.history)
        with waiting(f"{self.table.board.seat(player)} is thinking …"):
            take_turn(self.table, self.bots[player], self.line_up[player])
        self.thought[ply] = running_time() - started
        if len(self.humans) == 1:
            self._announce_news()

    def _person_moves(self, player: int) -> None:
        self._hand_over(player)
        self._announce_news()
        self._show_board()
        ply = len(self.table.history)
        while self.table.turn == player and len(self.table.history) == ply:
            self._answer(player, self._ask(f"\n{seat(self.table.board, player)} to move: "))

    def _hand_over(self, player: int) -> None:
        """Let players change places, so that nobody sees the hidden information of another."""
        if player != self.viewer and self.table.game.has_hidden_information:
            self._ask(f"\nHand the keyboard to {seat(self.table.board, player)}, then press Enter. ")
            screen.clear()
        self.viewer = player

    def _ask(self, prompt: str) -> str:
        screen.print(prompt, end="")
        try:
            text = input().strip()
        except EOFError:
            screen.print()
            raise
        if not sys.stdin.isatty():
            screen.print(escape(text))  # echo the input, so that a scripted game reads like a typed one
        return text

    def _answer(self, player: int, text: str) -> None:
        """Execute what a person typed: a move or a command; otherwise explain what is possible."""
        try:
            move = self._find(text)
        except IllegalMove as error:
            command = self._command(text)
            if command is None:
                screen.print(f"[yellow]{escape(str(error))}[/]" if text else escape(self.table.board.how_to_move))
            else:
                getattr(self, f"_{command}")(player)
        else:
            self.table.play(move, player)

    def _find(self, text: str) -> int:
        """The move that a person typed: in words or in notation, or by as many of its words as tell it from others."""
        table = self.table
        words = [table.say(move) for move in table.moves]
        try:
            return find_move(text, table.moves, words, table.name)
        except IllegalMove:
            typed = set(text.lower().split())
            meant = [move for move, said in zip(table.moves, words, strict=True) if typed <= set(said.lower().split())]
            if not typed or self._command(text) or len(meant) != 1:
                raise
            return meant[0]

    def _command(self, text: str) -> str | None:
        """The command that a text abbreviates, if any: `u` is undo, `?` is help."""
        if text == "?":
            return "help"
        return next((name for name in COMMANDS if text and name.startswith(text.lower())), None)

    def _undo(self, player: int) -> None:
        if all(turn != player for turn, _ in self.table.history):
            screen.print("[yellow]You have not moved yet.[/]")
            return
        self.table.undo()
        while self.table.turn != player:
            self.table.undo()
        self._seat_bots()
        self._skip_news()
        screen.print("[dim]Taken back.[/]")

    def _hint(self, player: int) -> None:
        (adviser,) = self._advisers.seat([self._adviser])
        view = view_for(adviser, self.table, player)
        with waiting("Thinking about a hint …"):
            report = adviser.analyse(view) if isinstance(adviser, Searcher) else None
            move = report.best.move if report else ask(view, adviser, self.hint_spec)
        sentence = f"{escape(self.hint_spec)} would play [bold]{escape(view.say(move))}[/]"
        if report:
            sure = "proven" if report.best.exact else f"after {report.work:,} {report.unit}"
            worth = value_words(view.game, report.value, 0)
            worth = f"expected utility {worth}" if view.game.has_utilities else f"{worth} of the win"
            sentence += f": {worth}, {sure}"
            line = view.say_line(report.line)
            if len(line) > 1:
                sentence += f"; expected line: {escape(', '.join(line))}"
        screen.print(f"[cyan]{sentence}.[/]")

    def _moves(self, player: int) -> None:
        screen.print(Columns([words(self.table.say(move)) for move in self.table.moves], padding=(0, 2)))

    def _board(self, player: int) -> None:
        self._show_board()

    def _position(self, player: int) -> None:
        screen.print(words(self.table.view(player).state.to_text()), soft_wrap=True)

    def _help(self, player: int) -> None:
        screen.print(escape(self.table.board.how_to_move))
        for name, meaning in COMMANDS.items():
            screen.print(f"  [bold]{name:9}[/] {meaning}")

    def _quit(self, player: int) -> None:
        raise Quit

    def _show_board(self) -> None:
        screen.print()
        screen.print(self.table.markup(self.viewer))

    def _announce_news(self) -> None:
        """Announce the plies since the last time: of bots, of chance, and of people the viewer could not watch."""
        plies = self.table.plies_seen(self.viewer)
        chance: list[str] = []
        for ply, turn, _, _, say in plies[self.announced[self.viewer] :]:
            if turn == CHANCE:
                chance.append(say)
                continue
            self._announce_chance(chance)
            if turn in self.bots or (turn != self.viewer and self.table.game.has_hidden_information):
                took = f"  [dim]{self.thought[ply]:.2f} s[/]" if ply in self.thought else ""
                screen.print(f"{seat(self.table.board, turn)}: [bold]{escape(say)}[/]{took}")
        self._announce_chance(chance)
        self.announced[self.viewer] = len(plies)

    def _announce_chance(self, outcomes: list[str]) -> None:
        if outcomes:
            screen.print(f"Chance: [bold]{escape(', '.join(outcomes))}[/]")
            outcomes.clear()
