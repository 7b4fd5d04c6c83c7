"""Games put into words: who did what, as a viewer saw it; how it ended; what a search expects."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import NamedTuple

from rich.markup import escape

from kibitz.engine import Engine
from kibitz.game import CHANCE, OVER, Game
from kibitz.table import Table, View


class Told(NamedTuple):
    """A ply as a viewer was told of it."""

    ply: int  # its place in the table's history
    turn: int
    name: str


def about(game: Game) -> str:
    """What a game is: the first line of its class's docstring, else of its file's."""
    cls = type(game)
    text = inspect.getdoc(cls) or ""
    if not text or text.startswith(f"{cls.__name__}("):  # what a dataclass writes where nobody did
        text = inspect.getdoc(inspect.getmodule(cls)) or cls.__name__
    return text.partition("\n")[0]


def seat(table: Table, player: int) -> str:
    """A seat's name in its colour, in markup."""
    return f"[{table.board.colour(player)}]{escape(table.board.seat(player))}[/]"


def told(table: Table, viewer: int) -> list[Told]:
    """The history as `viewer` saw it, in the game's notation. The table must have begun with the opening."""
    replay = Table(table.game, table.seed, number=table.number, deal=False)
    plies = []
    for index, (_, move) in enumerate(table.history):
        before = replay.view(viewer)
        replay.play(move)
        after = replay.view(viewer).history
        if len(after) > len(before.history):
            turn, seen = after[-1]
            plies.append(Told(index, turn, table.board.name(table.game, before.state, seen)))
    return plies


def result(table: Table) -> str:
    """How a finished game ended, in markup: who won, and the score where the game counts one."""
    payoff = table.payoff()
    best = max(payoff)
    winners = [player for player, share in enumerate(payoff) if share == best]
    names = [seat(table, player) for player in winners]
    if len(winners) == 1:
        sentence = f"[bold]{names[0]} wins.[/]"
    elif len(winners) == len(payoff):
        sentence = "[bold]A draw.[/]"
    else:
        sentence = f"[bold]{', '.join(names[:-1])} and {names[-1]} share the win.[/]"
    if type(table.game).defines("score"):
        scores = [f"{seat(table, player)} {score:g}" for player, score in enumerate(table.score())]
        sentence += f"  Score: {', '.join(scores)}."
    return sentence


def line_names(view: View, line: Sequence[int]) -> list[str]:
    """A line of play in the game's notation, as far as it can be followed from what the viewer knows."""
    if view.game.has_hidden_information:
        return [view.name(move) for move in line[:1]]
    engine, state, names = Engine(view.game), view.state.copy(), []
    for move in line:
        if state.turn == OVER:
            break
        legal = [o for o, _ in engine.outcomes(state)] if state.turn == CHANCE else engine.moves(state)
        if move not in legal:
            break
        names.append(view.board.name(view.game, state, move))
        engine.play(state, move)
    return names
