"""Playouts: a game played on at random, or with a preference for urgent moves; and the bot that plays at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiled import compiled
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.player import CompiledPlayer
from kibitz.rng import below


def urgency_of(game: Game, asked: bool) -> Any:
    """What `urgent` is below: True when urgent moves are asked for, else None; an error where the game names none."""
    if asked and not type(game).defines("urgency"):
        raise SpecError(f"urgent=yes needs rules with urgency(s, move), which {type(game).__name__} lacks.")
    return True if asked else None


@compiled
def playout(game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, limit: int) -> int:
    """Play s on with moves drawn by `draw_move` and chance as it falls; return the number of plies, at most `limit`.

    With a limit of max_plies that is to the end of the game. Rules that break their promise to end by then are cut
    off: compiled code cannot be interrupted.
    """
    plies = 0
    while s.turn != OVER and plies < limit:
        if s.turn == CHANCE:
            game.play(s, game.draw(s, moves, p, rng))
        else:
            game.play(s, draw_move(game, s, moves, game.moves(s, moves), rng, urgent))
        plies += 1
    return plies


@compiled
def draw_move(game: Any, s: Any, moves: Any, count: int, rng: Any, urgent: Any) -> int:
    """Any of the legal moves; the more urgent of two, by the game's own word, unless `urgent` is None."""
    move = moves[below(rng, count)]
    if urgent is None:
        return move
    other = moves[below(rng, count)]
    return other if game.urgency(s, other) > game.urgency(s, move) else move


@compiled
def playouts(game: Any, states: Any, count: int, moves: Any, p: Any, rng: Any, payoff: Any, totals: Any) -> int:
    """Add up the payoffs of `count` playouts from states[0]; return the number of plies. states[1] is work space."""
    plies = 0
    for _ in range(count):
        states[1] = states[0]
        plies += playout(game, states[1], moves, p, rng, None, game.max_plies)
        game.payoff(states[1], payoff)
        for player in range(len(payoff)):
            totals[player] += payoff[player]
    return plies


@dataclass(frozen=True)
class Random(CompiledPlayer):
    """Plays any legal move, all equally likely."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[below(rng, count)]
