"""`kibitz play`: people at the keyboard against bots, or each other."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.columns import Columns
from rich.markup import escape

from kibitz.arena.isolation import ready_player
from kibitz.arena.match import take_turn, tell_end
from kibitz.board import board_of
from kibitz.bots import Player, Searcher, bot
from kibitz.cli.narration import about, line_names, result, seat, told
from kibitz.cli.screen import GameArgument, screen, waiting, words
from kibitz.errors import IllegalMove, KibitzError
from kibitz.game import CHANCE, Game
from kibitz.games import game as find_game
from kibitz.table import Table

HUMAN = "human"
COMMANDS = {
    "undo": "take back your last move, and what came after it",
    "hint": "ask a bot what it would play, and why",
    "moves": "list the legal moves",
    "board": "show the board again",
    "position": "print the position as text, for kibitz analyse --position",
    "help": "show this",
    "quit": "leave the game",
}


def play(
    game: GameArgument,
    seats: Annotated[
        list[str] | None,
        typer.Option(
            "--seat", metavar="SEAT", help="Your seat, by number or name; several for several people.", show_default="1"
        ),
    ] = None,
    versus: Annotated[
        list[str] | None,
        typer.Option(
            "--vs", metavar="SPEC", help="Who takes the next free seat: a bot, or human.", show_default="best"
        ),
    ] = None,
    hint: Annotated[str, typer.Option(metavar="SPEC", help="The bot that gives hints.")] = "best",
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same luck.", show_default="any")] = None,
) -> None:
    """Play a game in the terminal, against bots or other people.

    Each `--vs` takes the next free seat, the last one all that are left.

    Examples: `kibitz play connect_four`, `kibitz play connect_four --seat yellow --vs uct:ms=1000`,
    `kibitz play connect_four --vs human`
    """
    rules = find_game(game)
    line_up = seating(rules, seats or ["1"], versus or ["best"])
    bot(hint, rules)  # an impossible spec is refused before the game begins
    TerminalGame(rules, line_up, hint, random.randrange(1_000_000) if seed is None else seed).run()


def seating(game: Game, seats: Sequence[str], versus: Sequence[str]) -> list[str]:
    """Who sits where, as specs: people in the seats they chose, the others in order, the last one repeated."""
    people = {_seat_number(game, text) for text in seats}
    free = [player for player in range(game.players) if player not in people]
    if len(versus) > max(len(free), 1):
        raise KibitzError(f"{len(versus)} opponents are too many; {len(free)} seats are free.")
    opponents = dict(zip(free, [*versus, *[versus[-1]] * len(free)], strict=False))
    return [opponents.get(player, HUMAN) for player in range(game.players)]


def _seat_number(game: Game, text: str) -> int:
    names = [board_of(game).seat(player) for player in range(game.players)]
    for player, name in enumerate(names):
        if text.lower() in (str(player + 1), name.lower()):
            return player
    raise KibitzError(
        f"There is no seat {text!r}; there are: {', '.join(f'{i} ({n})' for i, n in enumerate(names, 1))}."
    )


class Quit(Exception):
    """A person leaves the game."""


class TerminalGame:
    """One game in the terminal. People see what their seat may see, and are told what happened as it saw it."""

    def __init__(self, game: Game, line_up: Sequence[str], hint: str, seed: int) -> None:
        self.table = Table(game, seed, seats=line_up)
        self.line_up = line_up
        self.hint_spec = hint
        self.humans = [player for player, spec in enumerate(line_up) if spec == HUMAN]
        self.viewer = self.humans[0]  # whose eyes the screen is meant for
        self.thought: dict[int, float] = {}  # seconds by ply
        self._seat_bots()
        self._tell_from_here()

    def _seat_bots(self) -> None:
        """Fresh bots: at the start, and after an undo, of which they must not know."""
        game = self.table.game
        seats = [player for player, spec in enumerate(self.line_up) if spec != HUMAN]
        self.bots: dict[int, Player] = {player: ready_player(self.line_up[player], game) for player in seats}

    def _tell_from_here(self) -> None:
        """What happened so far is not told again; the opening's chance is, once."""
        played = any(turn != CHANCE for turn, _ in self.table.history)
        self.told = {player: len(told(self.table, player)) if played else 0 for player in self.humans}

    def run(self) -> None:
        """Play until the end, or until somebody leaves."""
        self._welcome()
        try:
            while not self.table.over:
                if self.table.turn in self.humans:
                    self._person_moves(self.table.turn)
                else:
                    self._bot_moves(self.table.turn)
        except (Quit, EOFError):
            screen.print(f"Goodbye. [dim](seed {self.table.seed})[/]")
            return
        except KeyboardInterrupt:
            screen.print(f"\nGoodbye. [dim](seed {self.table.seed})[/]")
            raise
        tell_end(self.table, self.bots, self.table.payoff())
        self._tell_news()
        self._show_board()
        screen.print(f"\n{result(self.table)} [dim](seed {self.table.seed})[/]")

    def _welcome(self) -> None:
        table = self.table
        screen.print(f"[bold]{escape(about(table.game))}[/]")
        for player, spec in enumerate(self.line_up):
            who = "you" if self.humans == [player] else "a person" if spec == HUMAN else escape(spec)
            screen.print(f"  {seat(table, player)}: {who}")
        screen.print(f"{escape(table.board.how_to_move)} [dim]Or: {', '.join(COMMANDS)}.[/]")

    def _bot_moves(self, player: int) -> None:
        started = time.perf_counter()
        ply = len(self.table.history)
        with waiting(f"{self.table.board.seat(player)} is thinking …"):
            take_turn(self.table, self.bots[player], self.line_up[player])
        self.thought[ply] = time.perf_counter() - started
        if len(self.humans) == 1:
            self._tell_news()

    def _person_moves(self, player: int) -> None:
        self._hand_over(player)
        self._tell_news()
        self._show_board()
        ply = len(self.table.history)
        while self.table.turn == player and len(self.table.history) == ply:
            self._answer(player, self._ask(f"\n{seat(self.table, player)} to move: "))

    def _hand_over(self, player: int) -> None:
        """Where hands are hidden, nobody's is shown before its owner sits at the keyboard."""
        if player != self.viewer and self.table.game.has_hidden_information:
            self._ask(f"\nHand the keyboard to {seat(self.table, player)}, who presses Enter. ")
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
            screen.print(escape(text))  # so that a scripted game reads like a typed one
        return text

    def _answer(self, player: int, text: str) -> None:
        """Do what a person typed: a move, a command, or a word about what is possible."""
        try:
            move = self.table.parse(text)
        except IllegalMove as error:
            command = self._command(text)
            if command is None:
                screen.print(f"[yellow]{escape(str(error))}[/]" if text else escape(self.table.board.how_to_move))
            else:
                getattr(self, f"_{command}")(player)
        else:
            self.table.play(move, player)

    def _command(self, text: str) -> str | None:
        """The command that a text begins, if any: `u` is undo, `?` is help."""
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
        self._tell_from_here()
        screen.print("[dim]Taken back.[/]")

    def _hint(self, player: int) -> None:
        view = self.table.view(player)
        adviser = bot(self.hint_spec, self.table.game)
        with waiting("Thinking about a hint …"):
            report = adviser.analyse(view) if isinstance(adviser, Searcher) else None
            move = report.best.move if report else adviser.choose(view)
        sentence = f"{escape(self.hint_spec)} would play [bold]{escape(view.name(move))}[/]"
        if report:
            sure = "proven" if report.best.exact else f"after {report.work:,} {report.unit}".replace(",", " ")
            sentence += f": {report.value:.0%} of the win, {sure}"
            line = line_names(view, report.line)
            if len(line) > 1:
                sentence += f"; it expects {escape(' '.join(line))}"
        screen.print(f"[cyan]{sentence}.[/]")

    def _moves(self, player: int) -> None:
        screen.print(Columns([words(self.table.name(move)) for move in self.table.moves()], padding=(0, 2)))

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

    def _tell_news(self) -> None:
        """Tell the viewer what bots, chance, and people whose moves it could not watch did since it was last told."""
        plies = told(self.table, self.viewer)
        chance: list[str] = []
        for ply, turn, name in plies[self.told[self.viewer] :]:
            if turn == CHANCE:
                chance.append(name)
                continue
            self._tell_chance(chance)
            if turn in self.bots or (turn != self.viewer and self.table.game.has_hidden_information):
                took = f"  [dim]{self.thought[ply]:.2f} s[/]" if ply in self.thought else ""
                screen.print(f"{seat(self.table, turn)} plays [bold]{escape(name)}[/]{took}")
        self._tell_chance(chance)
        self.told[self.viewer] = len(plies)

    def _tell_chance(self, outcomes: list[str]) -> None:
        if outcomes:
            screen.print(f"Chance: [bold]{escape(', '.join(outcomes))}[/]")
            outcomes.clear()
