"""Playouts with habits: moves that went well in earlier simulations are played more often (MAST).

It keeps, for every player and move, in how many simulations the move was played, wherever in the game, and what they
paid. In a playout the legal move with the best average is played with a fixed probability, one that was never tried
counting as the best; otherwise a move is drawn as in any playout. Finnsson and Björnsson, 2008 (the
move-average sampling technique); Tak, Winands and Björnsson, 2012 (with a fixed probability).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, numbers
from kibitz.game import CHANCE, OVER, Game
from kibitz.rng import below, uniform
from kibitz.search.playout import draw_move

RECORD = np.dtype([("games", "f8"), ("won", "f8")])


class Habits(NamedTuple):
    """What playouts have learnt, and the playout of now."""

    strength: float  # the probability of the move with the best average
    records: Any  # by player and move
    movers: Any  # who acted at each ply of the playout …
    played: Any  # … and what they played


def new_habits(game: Game, strength: float) -> Habits:
    """No habits yet."""
    return Habits(
        strength=strength,
        records=numbers((game.players, game.actions), RECORD),
        movers=numbers(game.max_plies, "i8"),
        played=numbers(game.max_plies, "i8"),
    )


@compiled
def playout_by_habit(game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, limit: int, habits: Habits) -> int:
    """Play s on as habits have it and chance as it falls; return the number of plies, at most `limit`."""
    records, movers, played, strength = habits.records, habits.movers, habits.played, habits.strength
    plies = 0
    while s.turn != OVER and plies < limit:
        movers[plies] = s.turn
        if s.turn == CHANCE:
            move = game.draw(s, moves, p, rng)
        else:
            count = game.moves(s, moves)
            if uniform(rng) < strength:
                move = usual_move(records[s.turn], moves, count, rng)
            else:
                move = draw_move(game, s, moves, count, rng, urgent)
        played[plies] = move
        game.play(s, move)
        plies += 1
    return plies


@compiled
def usual_move(records: Any, moves: Any, count: int, rng: Any) -> int:
    """The move with the best average; of equal ones, any."""
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
def learn(habits: Habits, plies: int, payoff: Any) -> None:
    """Add a playout of so many plies to the records of its moves."""
    records, movers, played = habits.records, habits.movers, habits.played
    for ply in range(plies):
        if movers[ply] != CHANCE:
            add_game(records[movers[ply]], played[ply], payoff[movers[ply]])


@compiled
def add_game(records: Any, move: int, share: float) -> None:
    """Add a game in which a player made a move to its record."""
    records[move].games += 1.0
    records[move].won += share
