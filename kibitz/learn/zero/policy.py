"""`policy`: plays by the move probabilities of a network, without search; also what guides other searches by one.

It is a compiled player: whole games run in machine code, and searches use it in their playouts, as in
`mc:by=policy:temperature=1`, or as an opinion on moves, as in `uct:prior=policy`. The weights are passed at run time,
so that all networks of a game share the machine code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kibitz.compiler import compiled, native, numbers
from kibitz.errors import KibitzError
from kibitz.learn.zero.evaluator import Evaluator, judge, new_evaluator
from kibitz.learn.zero.network_file import network_for
from kibitz.players.limit import LimitLike
from kibitz.players.options import FILE, option
from kibitz.rules.contract import Game
from kibitz.rules.rng import pick
from kibitz.search.guide import Guide
from kibitz.table import View


class Opinion(NamedTuple):
    """A network and the workspace of a choice."""

    evaluator: Evaluator
    odds: Any  # of the legal moves, at the temperature
    values: Any


def new_opinion(game: Game, net: str, bot: str) -> Opinion:
    """The opinion of a network in a file, or of the one that ships with the game."""
    trained = network_for(game, net, bot)
    evaluator = new_evaluator(game, trained.features_in(game), trained.network)
    return Opinion(evaluator, numbers(game.max_moves, "f8"), numbers(game.players, "f8"))


@dataclass(frozen=True)
class NetworkPolicy(Guide):
    """Plays by a network's probabilities of moves, without search."""

    name: ClassVar[str] = "policy"

    net: str = option("", names=FILE)  # written by `kibitz train --method zero`; by default it ships with the game
    temperature: float = option(0.0, low=0.0, public=100.0)  # 0: the most probable move; 1: by the probabilities

    def option_misfit(self, game: Game) -> str | None:
        try:
            network_for(game, self.net, self.name)
        except KibitzError as error:
            return str(error)
        return None

    def guide(self) -> Guide:
        return self

    def memory(self, game: Game) -> tuple[Any, ...]:
        return (new_opinion(game, self.net, self.name),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return pick_move(game, memory[0], s, moves, count, self.temperature, rng)

    def judge(self, game: Any, s: Any, moves: Any, count: int, memory: Any, priors: Any, values: Any) -> None:
        evaluator = memory[0].evaluator
        judge(game, evaluator, s, moves, count, values)
        for i in range(count):
            priors[i] = evaluator.priors[i]

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        # Networks with different features have different types, but CompiledPlayer expects one type per class.
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        opinion, s = self.memory(view.game)[0], native(view.state)
        return int(pick_move(view.game, opinion, s, moves, len(view.moves), self.temperature, view.rng.words))


@compiled
def pick_move(game: Any, opinion: Opinion, s: Any, moves: Any, count: int, temperature: float, rng: Any) -> int:
    """The most probable move, the first of equals; at a temperature T above 0, one drawn with odds of p^(1/T)."""
    if count == 1:
        return moves[0]
    judge(game, opinion.evaluator, s, moves, count, opinion.values)
    priors, odds = opinion.evaluator.priors, opinion.odds
    best = 0
    for i in range(1, count):
        if priors[i] > priors[best]:
            best = i
    if temperature == 0.0:
        return moves[best]
    total = 0.0
    for i in range(count):
        odds[i] = (float(priors[i]) / float(priors[best])) ** (1.0 / temperature)
        total += odds[i]
    for i in range(count):
        odds[i] /= total
    return moves[pick(rng, odds, count)]


def move_probabilities(view: View, net: str = "") -> dict[int, float]:
    """The probability of each legal move, according to a network: the one that ships with the game unless one is named.

    It sees only what the view shows.
    """
    game, count = view.game, len(view.moves)
    opinion = new_opinion(game, net, NetworkPolicy.name)
    moves = numbers(count, "i8")
    moves[:] = view.moves
    judge(game, opinion.evaluator, native(view.state), moves, count, opinion.values)
    return {move: float(opinion.evaluator.priors[i]) for i, move in enumerate(view.moves)}
