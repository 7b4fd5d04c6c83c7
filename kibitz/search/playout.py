"""Random playouts: the rest of a game played with uniformly random moves; and the bot that plays so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiled import compiled
from kibitz.game import CHANCE, OVER
from kibitz.player import CompiledPlayer
from kibitz.rng import below


@compiled
def playout(game: Any, s: Any, moves: Any, p: Any, rng: Any) -> int:
    """Play s to the end with random moves and chance as it falls; return the number of plies.

    Rules that break their promise to end within max_plies are cut off: compiled code cannot be interrupted.
    """
    plies = 0
    while s.turn != OVER and plies < game.max_plies:
        if s.turn == CHANCE:
            game.play(s, game.draw(s, moves, p, rng))
        else:
            game.play(s, moves[below(rng, game.moves(s, moves))])
        plies += 1
    return plies


@compiled
def playouts(game: Any, states: Any, count: int, moves: Any, p: Any, rng: Any, payoff: Any, totals: Any) -> int:
    """Add up the payoffs of `count` playouts from states[0]; return the number of plies. states[1] is work space."""
    plies = 0
    for _ in range(count):
        states[1] = states[0]
        plies += playout(game, states[1], moves, p, rng)
        game.payoff(states[1], payoff)
        for player in range(len(payoff)):
            totals[player] += payoff[player]
    return plies


@dataclass(frozen=True)
class Random(CompiledPlayer):
    """Plays any legal move, all equally likely."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[below(rng, count)]
