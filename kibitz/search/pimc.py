"""Perfect-information Monte Carlo: search many determinizations as if nothing were hidden, and count the votes.

It keeps one tree at a time. Each of `deals` determinizations, consistent with what the player has seen, is searched by
UCT with everything visible to everybody, with playouts at random or by another bot; the visits of each move are summed
over the deals. A tree looks deeper into a deal than flat Monte Carlo does, but assumes that what is hidden now will be
known later, to the opponents as well: strategy fusion. (Ginsberg, "GIB", 1999; Long, Sturtevant, Buro and Furtak,
"Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree Search", 2010; determinized UCT in
Cowling, Powley and Whitehouse, 2012.) The simulations are those of ismcts.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.compiler import running_time
from kibitz.players.bot import Ranked, Report
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import BOT, option
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.search.ismcts import EVERYTHING, ROOT, Stop, found_at, new_trees, plant, simulate
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.option_bounds import MOST_DEALS, MOST_NODES, PUBLIC_DEALS
from kibitz.search.playout import policy_misfit, policy_of
from kibitz.table import View


@dataclass
class PIMC(MonteCarloSearch):
    """Perfect-information Monte Carlo: searches many deals as if nothing were hidden, and adds up the visits."""

    name: ClassVar[str] = "pimc"

    deals: int = option(20, low=1, high=MOST_DEALS, public=PUBLIC_DEALS)  # number of deals to search
    c: float = option(0.7, low=0.0, public=100.0)  # exploration constant
    by: str = option("", names=BOT)  # the compiled player that moves in playouts; by default they are random
    # The capacity of a tree; when full, it stops growing.
    nodes: int = option(1_000_000, low=2, high=MOST_NODES, public=5_000_000)

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return None if game.has_hidden_information else "the game has no hidden information; use uct."

    def option_misfit(self, game: Game) -> str | None:
        return policy_misfit(self.by, game)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        game, engine = view.game, Engine(view.game)
        sims = limit.simulations
        deals = min(self.deals, sims) if sims else self.deals
        trees = new_trees(game, min(self.nodes, sims // deals + 3) if sims else self.nodes, trees=1)
        trees.observers[0] = EVERYTHING
        policy, memory = policy_of(self.by, game)
        to_the_end = Stop(game.max_plies)

        def run(count: int) -> int:
            rng = view.rng.words
            return simulate(game, trees, view.player, self.c, rng, count, policy, memory, None, None, to_the_end)

        plant(trees, view.state)
        run(0)  # compile or load the code before the clock starts
        visits = dict.fromkeys(view.moves, 0)
        worth = dict.fromkeys(view.moves, 0.0)
        work, clock = 0, Clock(limit)
        for left in range(deals, 0, -1):
            state = view.state.copy()
            engine.redeal(state, view.player, view.rng)
            plant(trees, state)
            work += spend(run, (sims - work) // left if sims else None, clock.part(left))
            for move, (count, paid) in found_at(trees, ROOT).items():
                visits[move] += count
                worth[move] += paid
        moves = [Ranked(m, worth[m] / max(visits[m], 1), visits[m], line=(m,)) for m in view.moves]
        moves.sort(key=lambda ranked: (-ranked.visits, -ranked.value))
        return Report(tuple(moves), work, "simulations", 1, running_time() - start)
