"""`kibitz replay`: show a recorded game, move by move."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.cli.narration import result, seat
from kibitz.cli.screen import DelayOption, screen
from kibitz.cli.trust import TrustOption, agree, trusted_log
from kibitz.cli.watch import announce
from kibitz.display.board import board_of
from kibitz.errors import KibitzError
from kibitz.records.games import Outcome
from kibitz.records.trust import foreign_file
from kibitz.rules.contract import CHANCE
from kibitz.rules.registry import find_game
from kibitz.table import Record
from kibitz.table.replay import names_of, opening, steps
from kibitz.tournament.again import logged_game


def replay(
    path: Annotated[
        Path,
        typer.Argument(metavar="FILE|DIR", help="The log of a tournament (a folder or Parquet file), or a record."),
    ],
    number: Annotated[
        int | None, typer.Option("--game", metavar="N", help="The game of the log to show.", show_default="the first")
    ] = None,
    delay: DelayOption = 0,
    moves_only: Annotated[bool, typer.Option("--moves-only", help="Show only the moves, not the boards.")] = False,
    trust: TrustOption = False,
) -> None:
    """Show a recorded game, move by move.

    A record is a JSON file with one game, as returned by `table.record().to_json()`.

    Example: `kibitz replay runs/first --game 17 --delay 0.5`
    """
    record, ending = find_record(path, number, trust)
    names_of(record)  # fail before anything is shown if the game cannot be replayed
    table = opening(record)
    screen.print(" · ".join(f"{seat(table.board, player)} {escape(spec)}" for player, spec in enumerate(record.seats)))
    announced = 0
    for position, _ in steps(record):
        table = position
        announced = announce(table, announced, "")
        if table.turn != CHANCE:
            if not moves_only:
                screen.print(table.markup())
            time.sleep(delay)
    screen.print()
    screen.print(result(table) if table.over else escape(ending), soft_wrap=True)
    screen.print(f"[dim]Moves: {escape(' '.join(table.history_names))}[/]", soft_wrap=True)


def find_record(path: Path, number: int | None, trust: bool) -> tuple[Record, str]:
    """The record to show, and how the game ended if it is not over by the rules.

    Unless the user trusts it, they are asked before a file is run that somebody else's record names as its game.
    """
    if path.is_file() and _is_record(path):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise KibitzError(f"Cannot read {path}: {error}.") from None
        if number is not None:
            raise KibitzError(f"{path} is the record of a single game; omit --game.")
        record = Record.from_json(text)
        agree(f"The record {path}", foreign_file(record.game), trust)
        return record, "The game was not finished."
    log = trusted_log(path, trust)
    if number is None:
        games, numbers = log.span()
        if not games:
            raise KibitzError(f"No game of the log {path} is finished yet.")
        number = numbers[0]
        screen.print(f"[dim]Game {number} of {games:,}; --game N shows another.[/]")
    row = logged_game(log, number)
    record = log.record_of(row)
    if record.over:
        return record, ""
    at_fault = f"{board_of(find_game(record.game)).seat(int(row.fault_seat[0]))} lost"
    return record, f"{at_fault} by {Outcome(row.outcome[0]).words}: {row.fault[0]}"


def _is_record(path: Path) -> bool:
    """Whether a file is a single game in JSON and not a log in Parquet."""
    try:
        with path.open("rb") as file:
            return file.read(100).lstrip()[:1] == b"{"
    except OSError as error:
        raise KibitzError(f"Cannot read {path}: {error.strerror}.") from None
