"""The effects of a move in Mexican Train, in sentences: trains that open and close, gates, and how rounds end."""

from __future__ import annotations

from typing import Any

from kibitz.display.board import Board
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import COUNTING, TRAINS
from kibitz.games.mexican_train.tiles import HALVES
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State


def describe_move(board: Board, game: Any, before: State, move: int, after: State) -> list[str]:
    """Sentences about a move or a chance outcome, as far as the states show it."""
    if before.turn == CHANCE:
        return _count(board, game, before, move, after) if before.phase == COUNTING else []
    if move == game.draw_move:
        return []
    me = board.seat(before.turn)
    own = 1 << before.turn
    sentences = []
    if move == game.pass_move:
        if after.open & ~before.open & own:
            sentences.append(f"{_capital(me)}'s train is now open.")
        if after.phase == COUNTING:
            sentences.append("Nobody can play any more.")
        return sentences
    low, high = HALVES[move // TRAINS].tolist()
    if before.open & ~after.open & own:
        sentences.append(f"{_capital(me)}'s train is closed again.")
    if before.gate != NONE:
        sentences.append("The gate is open again.")
    if after.size[before.turn] == 0:
        sentences.append(f"{_capital(me)} has laid their last tile.")
    elif low == high:
        sentences.append(f"A double shuts the gate: only a {low} may follow.")
    return sentences


def _count(board: Board, game: Any, before: State, pips: int, after: State) -> list[str]:
    """The pips a player is left with at the end of a round."""
    sentences = [f"{_capital(board.seat(before.served))} is left with {pips} pip{'' if pips == 1 else 's'}."]
    if after.turn == OVER:
        sentences.append("The game is over.")
    elif after.round != before.round:
        sentences.append(f"Round {after.round + 1} begins.")
    return sentences


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
