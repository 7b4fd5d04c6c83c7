"""The effects of a move in Mexican Train, in sentences: trains that open and close, gates, and how rounds end."""

from __future__ import annotations

from typing import Any

from kibitz.display.board import Board
from kibitz.display.wording import capital
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import COUNTING, TRAINS
from kibitz.games.mexican_train.tiles import HALVES
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State


def describe_move(board: Board, game: Any, before: State, move: int, after: State) -> list[str]:
    """Sentences about a move or a chance outcome, as far as the states show it."""
    if before.turn == CHANCE:
        return _count(before, after) if before.phase == COUNTING else []
    if move == game.draw_move:
        return []
    me = before.turn
    own = 1 << before.turn
    sentences = []
    if move == game.pass_move:
        if after.open & ~before.open & own:
            sentences.append(f"{capital(board.whose(me))} train is now open.")
        if after.phase == COUNTING:
            sentences.append("Nobody can play any more.")
        return sentences
    low, high = HALVES[move // TRAINS].tolist()
    if before.open & ~after.open & own:
        sentences.append(f"{capital(board.whose(me))} train is closed again.")
    if before.gate != NONE:
        sentences.append("The gate is open again.")
    if after.size[before.turn] == 0:
        sentences.append(f"{board.does(me, 'has')} no tiles left.")
    elif low == high:
        sentences.append(f"A double shuts the gate: only a {low} may follow.")
    return sentences


def _count(before: State, after: State) -> list[str]:
    """What follows when a player's pips at the end of a round are counted."""
    if after.turn == OVER:
        return ["The game is over."]
    return [f"Round {after.round + 1} begins."] if after.round != before.round else []
