"""Greedy: look one move ahead and take the position that the game's own evaluation likes best.

Where information is hidden, the evaluation is averaged over `worlds` deals of the hidden part. A move that ends the
game counts what it pays. The first of equally good moves is played.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, native, numbers, records
from kibitz.errors import SpecError
from kibitz.game import OVER, Game
from kibitz.player import CompiledPlayer, best_of
from kibitz.table import View


class Outlook(NamedTuple):
    """The work space of one look ahead, and what it found."""

    states: Any  # [the position as the player sees it, one deal of it, the position after a move]
    worth: Any  # of each move, summed over the deals
    shares: Any


@compiled
def look_ahead(game: Any, outlook: Outlook, moves: Any, count: int, player: int, worlds: int, rng: Any) -> None:
    """Sum up what each move from states[0] leads to for the player, over so many deals of the hidden part."""
    for i in range(count):
        outlook.worth[i] = 0.0
    for _ in range(worlds):
        outlook.states[1] = outlook.states[0]
        game.redeal(outlook.states[1], player, rng)
        for i in range(count):
            outlook.states[2] = outlook.states[1]
            s = outlook.states[2]
            game.play(s, moves[i])
            if s.turn == OVER:
                game.payoff(s, outlook.shares)
            else:
                game.evaluate(s, outlook.shares)
            outlook.worth[i] += outlook.shares[player]


@dataclass(frozen=True)
class Greedy(CompiledPlayer, Searcher):
    """Takes the move after which the position looks best, one ply deep."""

    worlds: int = 10  # deals of the hidden part to average over, where there is one

    def __post_init__(self) -> None:
        if self.worlds < 1:
            raise SpecError("greedy needs worlds of at least 1.")

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if not type(game).defines("evaluate"):
            return "its rules have no evaluate(s, out); use uct, mc or random."
        return None

    def memory(self, game: Game) -> tuple[Any, ...]:
        outlook = Outlook(records(3, game.dtype), numbers(game.max_moves, "f8"), numbers(game.players, "f8"))
        return outlook, self.worlds if game.has_hidden_information else 1

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        outlook, worlds = memory
        outlook.states[0] = s
        look_ahead(game, outlook, moves, count, player, worlds, rng)
        return best_of(moves, count, outlook.worth)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        count = len(view.moves)
        outlook, worlds = self.memory(view.game)[:2]
        outlook.states[0] = native(view.state)
        legal = numbers(count, "i8")
        legal[:] = view.moves
        look_ahead(view.game, outlook, legal, count, view.player, worlds, view.rng.words)
        moves = [
            Ranked(move, float(outlook.worth[i]) / worlds, worlds, line=(move,)) for i, move in enumerate(view.moves)
        ]
        best_first = tuple(sorted(moves, key=lambda ranked: -ranked.value))
        return Report(best_first, count * worlds, "nodes", 1, time.perf_counter() - start)
