"""Flat Monte Carlo: every legal move gets the same number of random playouts; the best average is played.

It keeps no tree: only the sum of the payoffs and the number of playouts of each move. Where information is hidden, each
playout first deals the hidden part anew, consistently with what the player has seen. The moves take turns, so that the
budget can end anywhere. (Abramson, 1990; for hidden information Ginsberg's GIB, 1999.)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, native, numbers, records
from kibitz.errors import SpecError
from kibitz.search.budget import allowance, spend
from kibitz.search.playout import playout, urgency_of
from kibitz.table import View


class Tally(NamedTuple):
    """The position, its legal moves and what their playouts came to."""

    states: Any  # [the position as the player sees it, the position of the playout]
    legal: Any
    worth: Any
    visits: Any
    moves: Any
    chances: Any
    payoff: Any


@compiled
def sample_moves(
    game: Any, tally: Tally, player: int, rng: Any, done: int, count: int, urgent: Any, draws: bool
) -> int:
    """Run `count` more playouts after the first `done`, one move after the other."""
    for i in range(done, done + count):
        choice = i % len(tally.legal)
        tally.states[1] = tally.states[0]
        s = tally.states[1]
        game.redeal(s, player, rng)
        game.play(s, tally.legal[choice])
        playout(game, s, tally.moves, tally.chances, rng, urgent, game.max_plies)
        game.payoff(s, tally.payoff)
        if draws or tally.payoff[player] == 1.0:
            tally.worth[choice] += tally.payoff[player]
        tally.visits[choice] += 1
    return count


@dataclass
class FlatMonteCarlo(Searcher):
    """Flat Monte Carlo: random playouts after every move, the best average wins."""

    sims: int = 0  # playouts a move, all moves together; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    urgent: bool = False  # playouts draw two moves and play the one that the game calls more urgent
    draws: bool = True  # whether a shared win counts; no: as a loss

    def __post_init__(self) -> None:
        if min(self.sims, self.ms) < 0:
            raise SpecError("mc needs sims and ms of at least 0.")

    def choose(self, view: View) -> int:
        return view.moves[0] if len(view.moves) == 1 else super().choose(view)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        game = view.game
        urgent = urgency_of(game, self.urgent)
        tally = Tally(
            states=records(2, game.dtype),
            legal=numbers(len(view.moves), "i8"),
            worth=numbers(len(view.moves), "f8"),
            visits=numbers(len(view.moves), "i8"),
            moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
        )
        tally.states[0] = native(view.state)
        tally.legal[:] = view.moves

        def run(count: int) -> int:
            done = sum(tally.visits)
            return sample_moves(game, tally, view.player, view.rng.words, done, count, urgent, self.draws)

        work = spend(run, *allowance(self.sims, self.ms, view.time, usual=1000))
        moves = [
            Ranked(move, float(tally.worth[i] / max(tally.visits[i], 1)), int(tally.visits[i]), line=(move,))
            for i, move in enumerate(view.moves)
        ]
        best_first = tuple(sorted(moves, key=lambda ranked: -ranked.value))
        return Report(best_first, work, "simulations", 1, time.perf_counter() - start)
