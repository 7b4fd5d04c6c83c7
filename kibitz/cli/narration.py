"""Describes games in the terminal: seats in their colours, and how a game ended."""

from __future__ import annotations

from rich.markup import escape

from kibitz.display.board import Board
from kibitz.display.wording import payoff_words, result_sentence
from kibitz.table import Table


def seat(board: Board, player: int) -> str:
    """A seat's name in its colour, as markup."""
    return f"[{board.colour(player)}]{escape(board.seat(player))}[/]"


def seed_words(table: Table) -> str:
    """What repeats the chance outcomes of a game, once it is over."""
    return f"seed {table.seed}" if table.secret is None else f"seed {table.seed}, secret {table.secret}"


def result(table: Table) -> str:
    """How a finished game ended, as markup: who won, the utilities, and the score, if the game has these."""
    names = [seat(table.board, player) for player in range(table.game.players)]
    sentence = f"[bold]{result_sentence(table.payoff(), names, table.board.you)}[/]"
    if table.game.has_utilities:
        paid = [
            f"{name} {payoff_words(table.game, utility)}" for name, utility in zip(names, table.payoff(), strict=True)
        ]
        sentence += f"  Utility: {', '.join(paid)}."
    if type(table.game).defines("score"):
        scores = [f"{name} {score:g}" for name, score in zip(names, table.score(), strict=True)]
        sentence += f"  Score: {', '.join(scores)}."
    return sentence
