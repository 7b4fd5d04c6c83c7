"""`kibitz analyse`: the value of a position, and a ranking of its legal moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.completion import complete_bot
from kibitz.cli.narration import result, seat
from kibitz.cli.replay import find_record
from kibitz.cli.review import show_review
from kibitz.cli.screen import JsonOption, LimitOption, OptionalGame, print_json, screen, utility_entry, waiting, words
from kibitz.cli.trust import TrustOption
from kibitz.display.wording import probability_words, utility_bounds, value_words
from kibitz.errors import KibitzError
from kibitz.players.bot import Ranked, Report, Searcher
from kibitz.players.limit import Limit
from kibitz.players.roster import bot
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.state import State
from kibitz.table import Table, View
from kibitz.table.typed_moves import play_typed

LINE_SHOWN = 8  # moves of an expected line shown in the table; the best line is printed in full below it


def analyse(
    game: OptionalGame = None,
    moves: Annotated[
        str, typer.Option(help='The moves so far, such as "4 4 3"; including chance outcomes, unless --seed is given.')
    ] = "",
    position: Annotated[str | None, typer.Option(help="The starting position as text, instead of the opening.")] = None,
    spec: Annotated[
        str, typer.Option("--bot", metavar="SPEC", help="The bot that searches.", autocompletion=complete_bot)
    ] = "best",
    limit: LimitOption = None,
    seed: Annotated[int | None, typer.Option(help="The seed of chance.", show_default=False)] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Review a game from this log or record instead.")
    ] = None,
    number: Annotated[int | None, typer.Option("--game", metavar="N", help="The game to review.")] = None,
    json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Rank the legal moves in a position, or review a recorded game and say where it was lost.

    If a game is solved, as Ur is, `best` knows the exact winning probability of every move.

    Examples: `kibitz analyse connect_four --moves "4 4 3" --bot uct:sims=100000`,
    `kibitz analyse --log runs/first --game 17`
    """
    if log is not None and number is None and log.suffix != ".json":
        raise KibitzError("Choose a game of the log: --game N.")
    if game is None:
        if log is None:
            raise KibitzError("Name a game (kibitz analyse GAME), or a recorded one (--log DIR --game N).")
        game = find_record(log, number, trust)[0].game
    rules = find_game(game)
    given = Limit.parse(limit) if limit else None
    searcher = bot(spec, rules)
    if not isinstance(searcher, Searcher):
        raise KibitzError(f"{spec} cannot evaluate a position; try --bot best.")
    if log is not None:
        if moves or position is not None or seed is not None:
            raise KibitzError("A recorded game has its own moves; leave out --moves, --position and --seed.")
        return show_review(rules, log, number, searcher, spec, given, json)
    if number is not None:
        raise KibitzError("--game needs a log: --log DIR.")
    table = set_up(rules, moves, position, seed)
    if table.over:
        raise KibitzError(f"The game is already over: {Text.from_markup(result(table), emoji=False).plain}")
    view = table.view(table.turn)
    with waiting("Searching …"):
        report = searcher.analyse(view, given)
    if json:
        return print_json(_document(table, view, spec, report))
    screen.print(table.markup(view.player))
    screen.print()
    screen.print(f"{seat(table.board, view.player)} to move.")
    screen.print(_ranking(view, report))
    best = ", ".join(view.say_line(report.line))
    screen.print(f"Best line: [bold]{escape(best)}[/]", soft_wrap=True)
    if rules.has_utilities:
        screen.print(f"[dim]Utility is what the player to move can expect, from {utility_bounds(rules)}.[/]")
    screen.print(
        f"[dim]{escape(spec)}: {report.work:,} {report.unit} in {report.seconds:.2f} s, depth {report.depth}.[/]"
    )
    return None


def set_up(game: Game, moves: str, position: str | None, seed: int | None) -> Table:
    """The table at the position to analyse."""
    start = None
    if position is not None:
        start = State.from_text(position, game.dtype)
        if not OVER <= start.turn < game.players:
            raise KibitzError(f"In this position it is the turn of player {start.turn}, who does not exist.")
    dealt = seed is not None or not moves
    table = Table(game, seed or 0, deal=dealt, position=start)
    play_typed(table, moves)
    if table.turn == CHANCE:
        raise KibitzError("After these moves, it is chance's turn; add its outcome to --moves, or give --seed.")
    return table


def _ranking(view: View, report: Report) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("", justify="right", style="dim")
    grid.add_column("Move", style="bold")
    grid.add_column("Utility" if view.game.has_utilities else "Value", justify="right")
    grid.add_column("")
    grid.add_column("Proven")
    grid.add_column("Visits", justify="right")
    with_network = any(ranked.prior is not None for ranked in report.moves)
    if with_network:
        grid.add_column("Network", justify="right")
    grid.add_column("Expected line", style="dim")
    for place, ranked in enumerate(report.moves, 1):
        line = view.say_line(ranked.line)
        shown = ", ".join(line[:LINE_SHOWN]) + (" …" if len(line) > LINE_SHOWN else "")
        grid.add_row(
            str(place),
            words(view.say(ranked.move)),
            value_words(view.game, ranked.value),
            _bar(ranked.value),
            _proof(ranked, view.game),
            f"{ranked.visits:,}" if ranked.visits else "–",
            *([probability_words(ranked.prior or 0.0)] if with_network else ()),
            words(shown),
        )
    return grid


def _bar(value: float, width: int = 12) -> Text:
    """A value drawn as a bar."""
    filled = round(value * width)
    colour = "red" if value < 1 / 3 else "green" if value > 2 / 3 else "yellow"
    return Text.assemble(("━" * filled, colour), ("─" * (width - filled), "bright_black"))


def _proof(ranked: Ranked, game: Game) -> RenderableType:
    if not ranked.exact:
        return words("–", "dim")
    if game.has_utilities:
        return words("exact", "bold")
    if ranked.value in (0.0, 1.0):
        return words("win", "bold green") if ranked.value else words("loss", "bold red")
    return words("draw", "bold yellow") if game.players == 2 and ranked.value == 0.5 else words("exact", "bold")


def _document(table: Table, view: View, spec: str, report: Report) -> dict[str, Any]:
    return {
        "game": spec_of(table.game),
        "bot": spec,
        "moves": table.history_names,
        "position": view.state.to_text(),
        "player": view.player,
        "value": report.value,
        **utility_entry(table.game, report.value),
        "line": view.line_names(report.line),
        "work": report.work,
        "unit": report.unit,
        "depth": report.depth,
        "seconds": report.seconds,
        "ranking": [
            {
                "move": view.name(ranked.move),
                "value": ranked.value,
                **utility_entry(table.game, ranked.value),
                "visits": ranked.visits,
                "exact": ranked.exact,
                **({} if ranked.prior is None else {"network": ranked.prior}),
                "line": view.line_names(ranked.line),
            }
            for ranked in report.moves
        ],
    }
