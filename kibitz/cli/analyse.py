"""`kibitz analyse`: what a position is worth, every legal move ranked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from kibitz.bots import Ranked, Report, Searcher, bot
from kibitz.cli.narration import line_names, result, seat
from kibitz.cli.review import show_review
from kibitz.cli.screen import GameArgument, JsonOption, print_json, screen, waiting, words
from kibitz.errors import IllegalMove, KibitzError
from kibitz.game import CHANCE, OVER, Game
from kibitz.games import game as find_game
from kibitz.games import spec_of
from kibitz.state import State
from kibitz.table import Table, View

LINE_SHOWN = 8  # moves of the expected line in the table; below it, the best one is printed in full


def analyse(
    game: GameArgument,
    moves: Annotated[
        str, typer.Option(help='The moves so far, as in "4 4 3"; chance outcomes too, unless --seed is given.')
    ] = "",
    position: Annotated[
        str | None, typer.Option(help="A position as text, to start from instead of the opening.")
    ] = None,
    spec: Annotated[str, typer.Option("--bot", metavar="SPEC", help="The bot that searches.")] = "best",
    seed: Annotated[int | None, typer.Option(help="Let chance fall by this seed.", show_default=False)] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Instead, judge the moves of a game in this log or record.")
    ] = None,
    number: Annotated[int | None, typer.Option("--game", metavar="N", help="Which game of the log.")] = None,
    json: JsonOption = False,
) -> None:
    """Search a position and rank every legal move; or judge a recorded game and say where it was lost.

    Where a game is solved, as Ur is, `best` knows the exact win chance of every move.

    Examples: `kibitz analyse connect_four --moves "4 4 3" --bot uct:sims=100000`,
    `kibitz analyse ur --log runs/first --game 17`
    """
    rules = find_game(game)
    searcher = bot(spec, rules)
    if not isinstance(searcher, Searcher):
        raise KibitzError(f"{spec} cannot say what it thinks of a position; try --bot best.")
    if log is not None:
        if moves or position is not None or seed is not None:
            raise KibitzError("A recorded game has its own moves; leave out --moves, --position and --seed.")
        return show_review(rules, log, number, searcher, spec, json)
    if number is not None:
        raise KibitzError("Say in which log the game is: --log DIR.")
    table = set_up(rules, moves, position, seed)
    if table.over:
        raise KibitzError(f"The game is over in this position: {Text.from_markup(result(table), emoji=False).plain}")
    view = table.view(table.turn)
    with waiting("Searching …"):
        report = searcher.analyse(view)
    if json:
        return print_json(_document(table, view, spec, report))
    screen.print(table.markup(view.player))
    screen.print()
    screen.print(f"{seat(table, view.player)} to move.")
    screen.print(_ranking(view, report))
    best = " ".join(line_names(view, report.line))
    screen.print(f"Best line: [bold]{escape(best)}[/]", soft_wrap=True)
    work = f"{report.work:,}".replace(",", " ")
    screen.print(f"[dim]{escape(spec)}: {work} {report.unit} in {report.seconds:.2f} s, depth {report.depth}.[/]")
    return None


def set_up(game: Game, moves: str, position: str | None, seed: int | None) -> Table:
    """The table at the position to analyse."""
    start = None
    if position is not None:
        start = State.from_text(position, game.dtype)
        if not OVER <= start.turn < game.players:
            raise KibitzError(f"In this position it is the turn of {start.turn}, who does not exist.")
    dealt = seed is not None or not moves
    table = Table(game, seed or 0, deal=dealt, position=start)
    words = moves.split()
    while words:
        words = words[_play_next(table, words) :]
    if table.turn == CHANCE:
        raise KibitzError("After these moves chance is to act; add its outcome to --moves, or give a --seed.")
    return table


def _play_next(table: Table, words: list[str]) -> int:
    """Play the longest legal name that the words begin with (names may hold spaces); return its length in words."""
    longest = max((len(table.name(move).split()) for move in table.moves()), default=1)
    for length in range(min(longest, len(words)), 0, -1):
        try:
            move = table.parse(" ".join(words[:length]))
        except IllegalMove:
            if length == 1:
                raise
            continue
        table.play(move)
        return length
    raise AssertionError("the last length tried either plays or raises")


def _ranking(view: View, report: Report) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("", justify="right", style="dim")
    grid.add_column("Move", style="bold")
    grid.add_column("Value", justify="right")
    grid.add_column("")
    grid.add_column("Proven")
    grid.add_column("Visits", justify="right")
    grid.add_column("Expected line", style="dim")
    for place, ranked in enumerate(report.moves, 1):
        line = line_names(view, ranked.line)
        shown = " ".join(line[:LINE_SHOWN]) + (" …" if len(line) > LINE_SHOWN else "")
        grid.add_row(
            str(place),
            words(view.name(ranked.move)),
            f"{ranked.value:.1%}",
            _bar(ranked.value),
            _proof(ranked, view.game.players),
            f"{ranked.visits:,}".replace(",", " ") if ranked.visits else "–",
            words(shown),
        )
    return grid


def _bar(value: float, width: int = 12) -> Text:
    """A value drawn as a bar."""
    filled = round(value * width)
    colour = "red" if value < 1 / 3 else "green" if value > 2 / 3 else "yellow"
    return Text.assemble(("━" * filled, colour), ("─" * (width - filled), "bright_black"))


def _proof(ranked: Ranked, players: int) -> RenderableType:
    if not ranked.exact:
        return words("–", "dim")
    if ranked.value in (0.0, 1.0):
        return words("win", "bold green") if ranked.value else words("loss", "bold red")
    return words("draw", "bold yellow") if players == 2 and ranked.value == 0.5 else words("exact", "bold")


def _document(table: Table, view: View, spec: str, report: Report) -> dict[str, Any]:
    return {
        "game": spec_of(table.game),
        "bot": spec,
        "moves": table.names(),
        "position": view.state.to_text(),
        "player": view.player,
        "value": report.value,
        "line": line_names(view, report.line),
        "work": report.work,
        "unit": report.unit,
        "depth": report.depth,
        "seconds": report.seconds,
        "ranking": [
            {
                "move": view.name(ranked.move),
                "value": ranked.value,
                "visits": ranked.visits,
                "exact": ranked.exact,
                "line": line_names(view, ranked.line),
            }
            for ranked in report.moves
        ],
    }
