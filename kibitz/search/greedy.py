"""Greedy: look one move ahead and take the position that the game's own evaluation likes best.

Where information is hidden, the evaluation is averaged over `worlds` deals of the hidden part. A move that ends the
game counts what it pays. The first of equally good moves is played.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, numbers, records
from kibitz.errors import SpecError
from kibitz.game import OVER, Game
from kibitz.table import View


@compiled
def evaluate_moves(game: Any, states: Any, player: int, legal: Any, worth: Any, shares: Any, rng: Any) -> None:
    """Add to worth[i] what move i leads to for the player, in one deal of the hidden part of states[0]."""
    states[1] = states[0]
    game.redeal(states[1], player, rng)
    for i in range(len(legal)):
        states[2] = states[1]
        s = states[2]
        game.play(s, legal[i])
        if s.turn == OVER:
            game.payoff(s, shares)
        else:
            game.evaluate(s, shares)
        worth[i] += shares[player]


@dataclass
class Greedy(Searcher):
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

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        game = view.game
        count = len(view.moves)
        states, legal = records(3, game.dtype), numbers(count, "i8")
        worth, shares = numbers(count, "f8"), numbers(game.players, "f8")
        states[0] = view.state if is_plain() else view.state.record
        for i, move in enumerate(view.moves):
            legal[i] = move
        worlds = self.worlds if game.has_hidden_information else 1
        for _ in range(worlds):
            evaluate_moves(game, states, view.player, legal, worth, shares, view.rng.words)
        moves = [Ranked(move, float(worth[i]) / worlds, worlds, line=(move,)) for i, move in enumerate(view.moves)]
        best_first = tuple(sorted(moves, key=lambda ranked: -ranked.value))
        return Report(best_first, count * worlds, "nodes", 1, time.perf_counter() - start)
