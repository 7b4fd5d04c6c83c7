"""Expectimax: minimax with chance nodes to a fixed depth, for two players.

It keeps only the path to the current position.
It searches every move and every chance outcome. Depth is counted in moves; chance events do not count.
It backs up the best value for the player to move, and the expectation at chance nodes; at the horizon it uses the
game's evaluation. It prunes as alpha-beta does where a player moves, and at a chance node as soon as the outcomes still
to come, whether won or lost, cannot bring the average back into the window (Star1). Probing one reply to each outcome
first (Star2) pays off where replies are many; in Ur, with two or three, it doubles the work.
It stops at the given depth; with a limit on time or nodes it deepens move by move until that is used up.
Michie 1966; Ballard 1983 (Star1 and Star2).

The search itself, for any number of players, is in minimax.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.compiler import running_time
from kibitz.players.bot import NOT_CONSTANT_SUM, WOULD_PEEK, Report, Searcher
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import BOT, option
from kibitz.rules.contract import Game
from kibitz.search.leaf_values import EVALUATION, leaf_values_misfit, leaf_values_of
from kibitz.search.minimax import kernel
from kibitz.search.multiplayer import DEEPEST, World, WorldSearch
from kibitz.table import View


@dataclass
class Expectimax(Searcher):
    """Looks a few moves ahead, with the exact odds of all chance outcomes; two players, nothing hidden."""

    name: ClassVar[str] = "expectimax"
    counts: ClassVar[tuple[str, ...]] = ("depth", "nodes")
    by_evaluation: ClassVar[bool] = True

    depth: int = option(2, low=1, high=DEEPEST, limits="depth", public=4)  # moves to look ahead, its own first
    by: str = option(EVALUATION, choices=(EVALUATION,), names=BOT)  # what counts at the horizon

    def __post_init__(self) -> None:
        super().__post_init__()
        self._search: WorldSearch | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        if game.players != 2:
            return f"it is for two players, not {game.players}; use uct."
        return None if game.is_constant_sum else NOT_CONSTANT_SUM

    def option_misfit(self, game: Game) -> str | None:
        return None if self.by == EVALUATION else leaf_values_misfit(self.by, game)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Search straight to the depth, or deepen until the depth, time or node limit is reached."""
        start = running_time()
        search = self._search
        if search is None or not search.fits(view):
            every = view.game.max_outcomes
            by = (None, None) if self.by == EVALUATION else leaf_values_of(self.by, view.game)
            search = self._search = WorldSearch(view.game, kernel(view.game, replies=None), every, *by)
        search.begin(view)
        world = World(0, view.state, list(view.moves))
        deepest = min(limit.depth or DEEPEST, DEEPEST, view.game.max_plies)
        at_once = limit.seconds is None and limit.nodes is None and limit.stop is None
        steps = search.look(world, deepest, ranking) if at_once else search.deepen([world], deepest, ranking)
        run = search.runner(steps)
        nodes = spend(run, limit.nodes, Clock(limit))
        while not world.depth:  # depth 1 is always completed, so that there is a move to play
            nodes += run(1)
        moves = search.ranked([world], view.moves if ranking else world.moves[:1])
        return Report(moves, nodes, "nodes", world.depth, running_time() - start)
