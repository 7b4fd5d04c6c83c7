"""`policy`: plays by the move probabilities of a network, without search.

It is a compiled player: whole games run in machine code, and other searches use it in their playouts, as in
`mc:by=policy:temperature=1`. The weights are passed at run time, so that all networks of a game share the machine code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.compiler import compiled, native, numbers
from kibitz.learn.zero.evaluator import Evaluator, judge_moves
from kibitz.learn.zero.network_bot import NetworkBot
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.limit import LimitLike
from kibitz.players.options import FILE, option
from kibitz.rules.contract import Game
from kibitz.rules.rng import pick
from kibitz.table import View


@dataclass(frozen=True)
class NetworkPolicy(NetworkBot, CompiledPlayer):
    """Plays by a network's probabilities of moves, without search."""

    name: ClassVar[str] = "policy"

    net: str = option("", names=FILE)  # written by `kibitz train --method zero`; by default it ships with the game
    temperature: float = option(0.0, low=0.0, public=100.0)  # 0: the most probable move; 1: by the probabilities

    def memory(self, game: Game) -> tuple[Any, ...]:
        return self.evaluator(game), numbers(game.max_moves, "f8")

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return pick_move(game, memory[0], s, moves, count, self.temperature, memory[1], rng)

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        # Networks with different features have different types, but CompiledPlayer expects one type per class.
        moves, (evaluator, odds) = _legal_moves(view), self.memory(view.game)
        s, rng = native(view.state), view.rng.words
        return int(pick_move(view.game, evaluator, s, moves, len(moves), self.temperature, odds, rng))


@compiled
def pick_move(game: Any, by: Evaluator, s: Any, moves: Any, count: int, temperature: float, odds: Any, rng: Any) -> int:
    """The most probable move, the first of equals; at a temperature T above 0, one drawn with odds of p^(1/T)."""
    if count == 1:
        return moves[0]
    judge_moves(game, by, s, moves, count)
    best = 0
    for i in range(1, count):
        if by.priors[i] > by.priors[best]:
            best = i
    if temperature == 0.0:
        return moves[best]
    total = 0.0
    for i in range(count):
        odds[i] = (float(by.priors[i]) / float(by.priors[best])) ** (1.0 / temperature)
        total += odds[i]
    for i in range(count):
        odds[i] /= total
    return moves[pick(rng, odds, count)]


def move_probabilities(view: View, net: str = "") -> dict[int, float]:
    """The probability of each legal move, according to a network: the one that ships with the game unless one is named.

    It sees only what the view shows.
    """
    evaluator, moves = NetworkPolicy(net).evaluator(view.game), _legal_moves(view)
    judge_moves(view.game, evaluator, native(view.state), moves, len(moves))
    return {move: float(evaluator.priors[i]) for i, move in enumerate(view.moves)}


def _legal_moves(view: View) -> Any:
    moves = numbers(len(view.moves), "i8")
    moves[:] = view.moves
    return moves
