"""`kibitz analyse --log DIR --game N`: review a recorded game move by move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table as Grid

from kibitz.analysis.grades import Grade, accuracy
from kibitz.analysis.review import Judged, review
from kibitz.cli.narration import seat
from kibitz.cli.replay import find_record
from kibitz.cli.screen import print_json, progress_bar, screen, words
from kibitz.display.board import board_of
from kibitz.display.wording import loss_words, value_words
from kibitz.errors import KibitzError
from kibitz.players.bot import Searcher
from kibitz.players.limit import Limit
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.table import Record

STYLES = {Grade.INACCURACY: "yellow", Grade.MISTAKE: "bold yellow", Grade.BLUNDER: "bold red"}


def show_review(
    game: Game, path: Path, number: int | None, judge: Searcher, spec: str, limit: Limit | None, json: bool
) -> None:
    """Review a game from a log or a record, and say where it was lost."""
    record, _ = find_record(path, number, trust=True)  # the game has been named, or agreed to
    if record.game != spec_of(game):
        raise KibitzError(f"{path} is a log of {record.game}; run `kibitz analyse {record.game} --log {path}`.")
    with progress_bar("Analysing") as show:
        judged = review(record, judge, game, limit, show)
    if json:
        return print_json(_document(record, spec, judged))
    board = board_of(game)
    screen.print(" · ".join(f"{seat(board, player)} {escape(bot)}" for player, bot in enumerate(record.seats)))
    screen.print(_moves(game, judged))
    screen.print(_sums(game, record, judged))
    if not all(move.exact for move in judged):
        screen.print(f"[dim]Estimated by {escape(spec)}.[/]")
    for line in verdicts(game, record, judged):
        screen.print(line, soft_wrap=True)
    return None


def _moves(game: Game, judged: Sequence[Judged]) -> Grid:
    board = board_of(game)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("Ply", justify="right", style="dim")
    grid.add_column("Player")
    grid.add_column("Move", style="bold")
    grid.add_column("Utility" if game.has_utilities else "Chance", justify="right")
    grid.add_column("Regret", justify="right")
    grid.add_column("Best")
    grid.add_column("Grade")
    for move in judged:
        style = STYLES.get(move.grade, "")
        better = words(move.say_best, "green") if move.best != move.move else words("")
        regret = words(loss_words(game, move.regret, 2) if move.best != move.move else "–", style or "dim")
        chance = value_words(game, move.chance)
        grid.add_row(
            str(move.ply),
            seat(board, move.player),
            words(move.say),
            chance,
            regret,
            better,
            words(move.grade.value, style or "dim"),
        )
    return grid


def _sums(game: Game, record: Record, judged: Sequence[Judged]) -> Grid:
    board = board_of(game)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("Player")
    for title in ("Choices", "Best moves", "Accuracy", "Mean regret", "Given away"):
        grid.add_column(title, justify="right")
    for player in range(len(record.seats)):
        own = [move for move in judged if move.player == player]
        best, regret = sum(move.best == move.move for move in own), sum(move.regret for move in own)
        mean = loss_words(game, regret / len(own), 2) if own else "–"
        kept = accuracy(own)
        accurate = "–" if kept is None else f"{kept:.0%}"
        grid.add_row(seat(board, player), str(len(own)), str(best), accurate, mean, loss_words(game, regret))
    return grid


def verdicts(game: Game, record: Record, judged: Sequence[Judged]) -> list[str]:
    """Where the game was lost, as markup: one sentence for each player who did not win."""
    board, sentences = board_of(game), []
    for player, share in enumerate(record.payoff):
        own = [move for move in judged if move.player == player and move.regret > 0]
        if share == max(record.payoff):
            continue
        if not own:
            sentences.append(f"{seat(board, player)} lost without an error.")
            continue
        worst = max(own, key=lambda move: move.regret)
        sentences.append(
            f"{seat(board, player)} lost most at ply {worst.ply}: [bold]{escape(worst.say)}[/] gave away "
            f"[bold]{loss_words(game, worst.regret)}[/]{'' if game.has_utilities else ' of the win'}; "
            f"[bold]{escape(worst.say_best)}[/] was best "
            f"(total of all errors: {loss_words(game, sum(move.regret for move in own))})."
        )
    return sentences


def _document(record: Record, spec: str, judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "game": record.game,
        "number": record.number,
        "seats": record.seats,
        "payoff": record.payoff,
        "bot": spec,
        "exact": all(move.exact for move in judged),
        "regret": [sum(m.regret for m in judged if m.player == player) for player in range(len(record.seats))],
        "accuracy": [accuracy([m for m in judged if m.player == player]) for player in range(len(record.seats))],
        "choices": [sum(m.player == player for m in judged) for player in range(len(record.seats))],
        "moves": [
            {
                "ply": move.ply,
                "player": move.player,
                "move": move.move,
                "best": move.best,
                "chance": move.chance,
                "regret": move.regret,
                "grade": move.grade.value,
                "exact": move.exact,
            }
            for move in judged
        ],
    }
