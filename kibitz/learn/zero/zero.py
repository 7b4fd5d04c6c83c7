"""`zero`: plays by a network that `kibitz train --method zero` wrote, and a tree search guided by it.

Without `net=FILE`, that is the network that ships with the game, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.compiler import native, running_time
from kibitz.learn.zero.guided_search import GuidedSearch, bound_simulate, forget, new_guided_search
from kibitz.learn.zero.network_bot import NetworkBot
from kibitz.learn.zero.network_file import network_for
from kibitz.learn.zero.puct import GUIDED_NODE, guidance
from kibitz.learn.zero.ranking import ranked_branches, ranked_children
from kibitz.players.bot import Ranked, Report
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import FILE, option
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.option_bounds import MOST_NODES
from kibitz.search.search_tree import FIRST_NODES, RootedTree
from kibitz.table import View


class GuidedTree(RootedTree):
    """A tree grown by PUCT, which follows the game."""

    kind = GUIDED_NODE

    def __init__(self, game: Game, limit: int, search: GuidedSearch) -> None:
        super().__init__(game, limit)
        self._search = search

    def begin(self, view: View) -> None:
        """Make a position the root."""
        self.set_root(view.state, view.since)
        self._search.descent.states[0] = self.root[0]

    def simulate(self, rng: Any, count: int) -> int:
        """Run simulations, with room for the nodes they may add."""
        self.make_room(count)
        search = self._search._replace(tree=self.tree)
        run = bound_simulate(self.game, search, rng)
        return run(self.game, search, search.is_open, search.sets, rng, count, 0)

    def ranked(self, view: View, with_lines: bool) -> tuple[Ranked, ...]:
        """The moves, best first."""
        return ranked_children(self, view.player, with_lines)


class GuidedSets:
    """A tree over information sets, which is planted anew for every move."""

    def __init__(self, game: Game, search: GuidedSearch) -> None:
        self.game = game
        self._search = search

    def begin(self, view: View) -> None:
        """Make a position the root."""
        search = self._search
        forget(search.tree, search.is_open, search.sets)
        search.descent.states[0] = native(view.state)

    def simulate(self, rng: Any, count: int) -> int:
        """Run simulations."""
        search = self._search
        run = bound_simulate(self.game, search, rng)
        return run(self.game, search, search.is_open, search.sets, rng, count, 0)

    def ranked(self, view: View, with_lines: bool) -> tuple[Ranked, ...]:
        """The moves, best first."""
        return ranked_branches(self._search.tree)


@dataclass
class Zero(NetworkBot, MonteCarloSearch):
    """Plays by a network that learned from self-play, with a tree search guided by it."""

    name: ClassVar[str] = "zero"
    default_limit: ClassVar[Limit] = Limit(simulations=400)

    net: str = option("", names=FILE)  # written by `kibitz train --method zero`; by default it ships with the game
    c: float = option(1.0, low=0.0, public=100.0)  # exploration constant
    mix: float = option(0.0, low=0.0, high=1.0)  # the weight of a playout beside the network's value
    habit: float = option(0.0, low=0.0, high=1.0)  # how often a playout plays the move that did best so far (MAST)
    # The capacity of a tree; when full, it stops growing.
    nodes: int = option(4_000_000, low=1, high=MOST_NODES, public=5_000_000)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._tree: GuidedTree | GuidedSets | None = None

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        if self._tree is None or self._tree.game is not view.game:
            self._tree = self._planted(view.game)
        tree = self._tree
        tree.begin(view)
        rng = Stream(view.rng.getrandbits(64), "zero").words
        tree.simulate(rng, 0)  # compile or load the code before the clock starts
        work = spend(lambda count: tree.simulate(rng, count), limit.simulations, Clock(limit))
        moves = tree.ranked(view, with_lines=ranking)
        return Report(moves, work, "simulations", len(moves[0].line), running_time() - start)

    def _planted(self, game: Game) -> GuidedTree | GuidedSets:
        trained = network_for(game, self.net, self.name)
        hidden = game.has_hidden_information
        nodes = max(self.nodes if hidden else FIRST_NODES, 2 * game.max_moves + 2)
        guide = guidance(game, self.c, self.mix, self.habit)
        search = new_guided_search(game, trained.features_in(game), trained.network, nodes, guide)
        return GuidedSets(game, search) if hidden else GuidedTree(game, self.nodes, search)
