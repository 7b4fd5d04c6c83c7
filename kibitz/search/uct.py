"""UCT: Monte Carlo tree search with the UCB1 rule (Kocsis and Szepesvári, 2006), for any number of players and chance.

It keeps a tree of positions; each node counts its visits and their total payoff to the player who moved there.
A simulation descends by w/n + c·√(ln N / n) (at chance nodes by the odds), expands the leaf it reaches once that has
been visited `expand` times, plays on at random to the end, and adds the payoff to every node on the way back. Won, lost
and drawn ends are proven backwards (Winands, Björnsson and Saito, 2008): proven moves are not explored again, and a
proven root ends the search. (With utilities, a win is the maximum; any other value of a position is proven only once
all its moves are.) The tree is kept between moves. With `threads=`, each thread grows its own tree from its own stream,
and the trees are merged at the root, which is reproducible; with `shared=yes` all grow one tree, which is stronger but
not reproducible.

Playouts can be played by another bot (`by=`). With `prior=`, a bot with a network gives each new node the probability P
of its move, and bias·P / (1 + n) is added to the formula: a progressive bias, which fades as visits accumulate
(Chaslot et al., 2008). Children are then tried in the order of their priors.

The simulations are in simulation.py, the nodes in tree_arrays.py, the Python side of a tree in search_tree.py, and
playouts that learn in mast.py.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

from kibitz.compiler import running_time
from kibitz.errors import SpecError
from kibitz.players.bot import WOULD_PEEK, Report
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import BOT, option
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.move_priors import BIAS, advice_misfit
from kibitz.search.option_bounds import MOST_NODES
from kibitz.search.playout import no_draws_misfit, policy_misfit, urgency_of
from kibitz.search.search_tree import SearchTree, by_value, merged
from kibitz.search.simulation import Style
from kibitz.table import View


@dataclass
class UCT(MonteCarloSearch):
    """Monte Carlo tree search: samples games and favours the moves that have done well (UCB1)."""

    name: ClassVar[str] = "uct"

    c: float = option(0.7, low=0.0, public=100.0)  # exploration constant
    prior: str = option("", names=BOT)  # a bot with a network, whose probability of a move counts in selection …
    bias: float = option(BIAS, low=0.0, public=1000.0)  # … with this weight
    expand: int = option(1, low=1, public=1000)  # visits before a leaf is expanded
    by: str = option("", names=BOT)  # the compiled player that moves in playouts; by default they are random
    habit: float = option(0.0, low=0.0, high=1.0)  # how often a playout plays the move that did best so far (MAST)
    urgent: bool = option(False)  # playouts draw two moves and play the more urgent one
    playout: int = option(-1, low=-1, public=1000)  # plies of a playout before evaluating; −1: play to the end
    draws: bool = option(True)  # whether shared wins count in selection; if not, only whole ones do
    bonus: str = option("parent", choices=("parent", "root"))  # whose visits N counts, at every depth
    final: str = option("visits", choices=("visits", "value"))  # what decides which move is played
    threads: int = option(1, low=1, high=256, public=2)  # threads that simulate in parallel
    shared: bool = option(False)  # one tree for all threads, not merged at the root; not reproducible
    # The capacity of a tree; when full, it stops growing.
    nodes: int = option(4_000_000, low=1, high=MOST_NODES, public=5_000_000)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by and (self.habit or self.urgent):
            raise SpecError("uct: habit= and urgent=yes are for random playouts only; leave them out, or by=.")
        self._trees: list[SearchTree] = []

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        return None

    def option_misfit(self, game: Game) -> str | None:
        misfit = policy_misfit(self.by, game) or advice_misfit(self.prior, game)
        return misfit or (None if self.draws else no_draws_misfit(game))

    def is_reproducible(self) -> bool:
        return super().is_reproducible() and not (self.shared and self.threads > 1)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        work = self._grow_trees(view, limit)
        moves = merged(self._trees, view.player, with_lines=ranking)
        if self.final == "value":
            moves = by_value(moves)
        return Report(moves, work, "simulations", len(moves[0].line), running_time() - start)

    def _grow_trees(self, view: View, limit: Limit) -> int:
        """Grow the trees from a position; return the number of simulations."""
        sims = limit.simulations
        if not self._trees or self._trees[0].game is not view.game:
            count = 1 if self.shared else self.threads
            how = not self.draws, self.habit, self.by, self.prior
            self._trees = [SearchTree(view.game, self.nodes, *how) for _ in range(count)]
        for tree in self._trees:
            tree.set_root(view.state, view.since)
        trees = self._trees
        if self.shared:  # the tree cannot be moved while several threads work on it
            trees[0].make_room(sims or self.nodes)
            trees = [trees[0], *trees[0].others(self.threads - 1)]
        shares: list[int | None] = [None] * self.threads
        if sims is not None:
            shares = [sims // self.threads + (i < sims % self.threads) for i in range(self.threads)]
        streams = [Stream(view.rng.getrandbits(64), "tree", i) for i in range(self.threads)]
        style = self._style(view.game)
        trees[0].simulate(style, streams[0].words, 0)  # compile or load the code here, once for all threads
        stopped = threading.Event()

        def grow(tree: SearchTree, share: int | None, stream: Stream) -> int:
            def run(count: int) -> int:
                return 0 if stopped.is_set() else tree.simulate(style, stream.words, count)

            return spend(run, share, Clock(limit))

        if self.threads == 1:
            return grow(trees[0], shares[0], streams[0])
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(grow, *job) for job in zip(trees, shares, streams, strict=True)]
            try:
                return sum(future.result() for future in futures)
            finally:
                stopped.set()  # on Ctrl-C the threads stop after their current slice

    def _style(self, game: Game) -> Style:
        cut = self.playout >= 0
        if cut and not type(game).defines("evaluate"):
            raise SpecError(
                f"uct:playout={self.playout} needs rules with evaluate(s, out), which {type(game).__name__} lacks."
            )
        return Style(
            c=self.c,
            bias=self.bias if self.prior else None,
            expand=self.expand,
            by_root=True if self.bonus == "root" else None,
            urgent=urgency_of(game, self.urgent),
            limit=self.playout if cut else game.max_plies,
            guess=True if cut else None,
            ahead=True if self.shared and self.threads > 1 else None,
        )
