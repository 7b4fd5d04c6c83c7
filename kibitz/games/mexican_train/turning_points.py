"""The end of a round of Mexican Train: who went out, and what the pips left in hand cost everyone."""

from __future__ import annotations

from typing import Any

from kibitz.display.board import Board
from kibitz.display.turning_point import TurningPoint
from kibitz.games.mexican_train.rules import COUNTING
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State


def is_last_count(game: Any, s: State) -> bool:
    """Whether the last hand of a round is about to be counted."""
    return bool(s.turn == CHANCE and s.phase == COUNTING and s.served == game.players - 1)


def with_pips(s: State, pips: int) -> State:
    """A copy of the position, after the hand being counted has been counted, and before the next round is dealt."""
    after = s.copy()
    after.points[s.served] += pips
    return after


def round_end(board: Board, game: Any, began: State, before: State, pips: int, after: State) -> TurningPoint | None:
    """What a round has cost each player, once all hands are counted."""
    if not is_last_count(game, before):
        return None
    points = with_pips(before, pips).points.tolist()[: game.players]
    had, sizes = began.points.tolist(), before.size.tolist()
    rows = tuple(
        (str(sizes[player]), f"+{points[player] - had[player]}", str(points[player])) for player in range(game.players)
    )
    out = next((player for player in range(game.players) if not sizes[player]), None)
    reason = "Nobody can play any more." if out is None else f"{board.does(out, 'has')} no tiles left."
    return TurningPoint(
        f"Round {before.round + 1} is over",
        (reason, _outlook(game, after, max(points))),
        ("Tiles left", "Their pips", "Points"),
        rows,
        tuple(player for player in range(game.players) if points[player] == min(points)),
    )


def _outlook(game: Any, after: State, most: int) -> str:
    """How the game goes on."""
    if after.turn == OVER:
        why = f"Somebody has {game.target} points or more" if most >= game.target else "It was the last round"
        return f"{why}: the fewest points win."
    return f"The fewest points win; the game ends when somebody has {game.target}."
