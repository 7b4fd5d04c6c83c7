"""Perft: the number of move sequences of a given length. The best test of rules against another implementation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kibitz.compiler import compiled, numbers, records
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.registry import GameLike, as_game
from kibitz.rules.spec import whole_number

SLICE = 1_000_000  # positions per compiled call; between calls, Ctrl-C is noticed


def perft(game: GameLike, depth: int) -> int:
    """The number of sequences of exactly `depth` moves from the opening; chance outcomes count as moves.

    Examples:
        >>> import kibitz
        >>> kibitz.perft("connect_four", 4)
        2401
    """
    game, depth = as_game(game), whole_number(depth, "The depth of perft", 0)
    if depth == 0:
        return 1
    return sum(counted for _, counted in divide(game, depth))


def divide(game: Game, depth: int) -> Iterator[tuple[int, int]]:
    """The first moves, each with its number of sequences of `depth` moves, at least 1; their sum is perft."""
    states = records(depth, game.dtype)
    widest = max(game.max_moves, game.max_outcomes)
    moves = numbers((depth, widest), "i8")
    chances = numbers(max(game.max_outcomes, 1), "f8")
    left = numbers(depth, "i8")
    place = numbers(1, "i8")
    firsts = [int(moves[0, i]) for i in range(begin(game, states, moves, chances))]
    for first in firsts:
        moves[0, 0], left[0], total = first, depth > 1, int(depth == 1)
        while left[0] > 0 or place[0] > 0:
            total += count(game, states, moves, chances, left, place, depth, SLICE)
        yield first, int(total)


@compiled
def begin(game: Any, states: Any, moves: Any, chances: Any) -> int:
    """Push the opening position onto the stack; return the number of its moves."""
    game.start(states[0])
    return branches(game, states[0], moves[0], chances)


@compiled
def count(game: Any, states: Any, moves: Any, chances: Any, left: Any, place: Any, depth: int, limit: int) -> int:
    """Continue counting for `limit` positions. left[i] moves of states[i] have not been played yet, last ones first."""
    total = 0
    ply = place[0]
    for _ in range(limit):
        while ply > 0 and left[ply] == 0:
            ply -= 1
        if left[ply] == 0:
            break
        left[ply] -= 1
        states[ply + 1] = states[ply]
        game.play(states[ply + 1], moves[ply, left[ply]])
        # The last move of a sequence need not be played, only counted.
        more = branches(game, states[ply + 1], moves[ply + 1], chances)
        if ply + 2 == depth:
            total += more
        else:
            ply += 1
            left[ply] = more
    place[0] = ply
    return total


@compiled
def branches(game: Any, s: Any, moves: Any, chances: Any) -> int:
    """Write the legal moves or chance outcomes; return their number."""
    if s.turn == OVER:
        return 0
    return game.chances(s, moves, chances) if s.turn == CHANCE else game.moves(s, moves)
