"""Playouts: games played to the end at random, with a preference for urgent moves, or by the policy of another bot.

Also the bot that plays at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.compiler import compiled
from kibitz.errors import SpecError
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import bot
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import below


def urgency_of(game: Game, asked: bool) -> Any:
    """The value of `urgent` below: True if requested, else None; an error if the game defines no urgency."""
    if asked and not type(game).defines("urgency"):
        raise SpecError(f"urgent=yes needs rules with urgency(s, move), which {type(game).__name__} lacks.")
    return True if asked else None


@compiled
def playout(game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, limit: int) -> int:
    """Play on from s with moves drawn by `draw_move`; return the number of plies, at most `limit`.

    With a limit of max_plies that is to the end of the game. Rules that break their promise to end by then are cut
    off, because compiled code cannot be interrupted.
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
    """A random legal move; unless `urgent` is None, the more urgent of two."""
    move = moves[below(rng, count)]
    if urgent is None:
        return move
    other = moves[below(rng, count)]
    return other if game.urgency(s, other) > game.urgency(s, move) else move


@compiled
def play_out_by(
    game: Any, s: Any, moves: Any, p: Any, rng: Any, urgent: Any, policy: Any, memory: Any, limit: int
) -> int:
    """Play on from s: at random if the policy is None, else with the policy moving for all players.

    Returns the number of plies, at most `limit`.
    """
    plies = 0
    if policy is None:
        plies = playout(game, s, moves, p, rng, urgent, limit)
    else:
        while s.turn != OVER and plies < limit:
            if s.turn == CHANCE:
                game.play(s, game.draw(s, moves, p, rng))
            else:
                game.play(s, policy.pick(game, s, moves, game.moves(s, moves), s.turn, memory, rng))
            plies += 1
    return plies


def policy_of(spec: str, game: Game) -> tuple[CompiledPlayer | None, Any]:
    """The player that moves in playouts, and its memory; None for random playouts."""
    if not spec:
        return None, None
    player: CompiledPlayer = bot(spec, game)
    return player, player.memory(game)


def policy_misfit(spec: str, game: Game) -> str | None:
    """Why a bot cannot move in playouts; None if it can."""
    if spec and not isinstance(bot(spec, game), CompiledPlayer):
        return f"by={spec} is not a compiled player; see `kibitz bots`."
    return None


def no_draws_misfit(game: Game) -> str | None:
    """Why a search cannot ignore shared wins in a game, as with draws=no; None if it can."""
    return "its payoffs are utilities, not wins; leave out draws=no." if game.has_utilities else None


@compiled
def playouts(game: Any, states: Any, count: int, moves: Any, p: Any, rng: Any, payoff: Any, totals: Any) -> int:
    """Add up the payoffs of `count` playouts from states[0]; return the number of plies. states[1] is workspace."""
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

    compiles_rules: ClassVar[bool] = False  # it does not need them

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[below(rng, count)]
