"""MAST, the move-average sampling technique: playouts prefer moves that did well in earlier simulations.

It keeps, for every player and move, the number of simulations in which the move was played, anywhere in the game, and
their total payoff. With a fixed probability a playout plays the legal move with the best average, an untried move
counting as the best; otherwise it draws a move like any playout. Finnsson and Björnsson, 2008; Tak, Winands and
Björnsson, 2012 (with a fixed probability).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import below, uniform
from kibitz.search.playout import draw_move

RECORD = np.dtype([("games", "f8"), ("won", "f8")])


class Mast(NamedTuple):
    """The statistics of all moves, and the current playout."""

    strength: float  # the probability of playing the move with the best average
    records: Any  # by player and move
    movers: Any  # who acted at each ply of the playout …
    played: Any  # … and what they played


def new_mast(game: Game, strength: float) -> Mast:
    """Empty statistics."""
    return Mast(
        strength=strength,
        records=numbers((game.players, game.actions), RECORD),
        movers=numbers(game.max_plies, "i8"),
        played=numbers(game.max_plies, "i8"),
    )


@compiled
def playout_by_mast(game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, limit: int, mast: Mast) -> int:
    """Play on from s by the averages; return the number of plies, at most `limit`."""
    records, movers, played, strength = mast.records, mast.movers, mast.played, mast.strength
    plies = 0
    while s.turn != OVER and plies < limit:
        movers[plies] = s.turn
        if s.turn == CHANCE:
            move = game.draw(s, moves, p, rng)
        else:
            count = game.moves(s, moves)
            if uniform(rng) < strength:
                move = best_on_average(records[s.turn], moves, count, rng)
            else:
                move = draw_move(game, s, moves, count, rng, urgent)
        played[plies] = move
        game.play(s, move)
        plies += 1
    return plies


@compiled
def best_on_average(records: Any, moves: Any, count: int, rng: Any) -> int:
    """The move with the best average; ties are broken at random."""
    choice, best = moves[0], -1.0
    first = below(rng, count)
    for i in range(count):
        move = moves[first + i if first + i < count else first + i - count]
        games = records[move].games
        average = records[move].won / games if games > 0.0 else 1.0
        if average > best:
            choice, best = move, average
    return choice


@compiled
def learn(mast: Mast, plies: int, payoff: Any) -> None:
    """Add a playout of `plies` plies to the records of its moves."""
    records, movers, played = mast.records, mast.movers, mast.played
    for ply in range(plies):
        if movers[ply] != CHANCE:
            add_game(records[movers[ply]], played[ply], payoff[movers[ply]])


@compiled
def add_game(records: Any, move: int, share: float) -> None:
    """Add a game in which a move was played to the record of the move."""
    records[move].games += 1.0
    records[move].won += share
