"""Perfect-information Monte Carlo: deal the hidden part, search as if all were laid open, and count the votes.

It keeps one tree at a time. Each of `deals` deals, all consistent with what the player has seen, is searched by UCT in
which everybody sees everything, with playouts at random or by another bot; then the visits of each move are added up
over the deals. So a tree looks deeper into a deal than flat Monte Carlo does, but it believes that it will know then
what is hidden now, and that the others do, too: strategy fusion. (Ginsberg, "GIB", 1999; Long, Sturtevant, Buro and
Furtak, "Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree Search", 2010; determinized
UCT in Cowling, Powley and Whitehouse, 2012.) The simulations are those of ismcts.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from kibitz.bots import Ranked, Report, Searcher
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.search.budget import allowance, spend
from kibitz.search.ismcts import EVERYTHING, ROOT, found_at, new_trees, plant, simulate
from kibitz.search.mc import policy_of, policy_refusal
from kibitz.table import View


@dataclass
class PIMC(Searcher):
    """Perfect-information Monte Carlo: deals the hidden part, searches each deal as if it were laid open, adds up."""

    sims: int = 0  # simulations a move, all deals together; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    deals: int = 20  # how many deals to search
    c: float = 0.7  # how much to explore
    by: str = ""  # the compiled player that makes the moves of the playouts; none: they are random
    nodes: int = 1_000_000  # the most a tree may hold; a full one goes on without growing

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.c) < 0 or self.deals < 1 or self.nodes < 2:
            raise SpecError("pimc needs sims, ms and c of at least 0, deals of at least 1, and nodes of at least 2.")

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return None if game.has_hidden_information else "nothing is hidden in it; use uct."

    def unfit(self, game: Game) -> str | None:
        return policy_refusal(self.by, game)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        game, engine = view.game, Engine(view.game)
        sims, ms = allowance(self.sims, self.ms, view.time, usual=1000)
        deals = min(self.deals, sims) if sims else self.deals
        trees = new_trees(game, min(self.nodes, sims // deals + 3) if sims else self.nodes, trees=1)
        trees.observers[0] = EVERYTHING
        policy, memory = policy_of(self.by, game)

        def run(count: int) -> int:
            return simulate(game, trees, view.player, self.c, view.rng.words, count, policy, memory)

        plant(trees, view.state)
        run(0)  # compiles or loads the code, which is not thinking time
        visits = dict.fromkeys(view.moves, 0)
        worth = dict.fromkeys(view.moves, 0.0)
        work = 0
        for left in range(deals, 0, -1):
            state = view.state.copy()
            engine.redeal(state, view.player, view.rng)
            plant(trees, state)
            work += spend(run, (sims - work) // left if sims else 0, ms / deals)
            for move, (count, paid) in found_at(trees, ROOT).items():
                visits[move] += count
                worth[move] += paid
        moves = [Ranked(m, worth[m] / max(visits[m], 1), visits[m], line=(m,)) for m in view.moves]
        moves.sort(key=lambda ranked: (-ranked.visits, -ranked.value))
        return Report(tuple(moves), work, "simulations", 1, time.perf_counter() - start)
