"""Expectimax: what a position of a two-player game with chance is worth, looked at to a fixed depth.

It keeps nothing but the path to the position it looks at.
It tries every move and every outcome of chance. Depth is counted in moves; chance takes none.
It backs up the best for who is to move, and the average by the exact odds where chance acts; at the horizon it asks the
game's evaluation. It leaves out what no longer matters: as in alpha-beta where a player moves, and where chance acts
when the outcomes still to come, be they won or lost, cannot bring the average back into the window (Star1). Probing one
answer to each outcome first (Star2) pays where there are many; in Ur, with two or three, it doubles the work.
It stops when the depth is searched.
Michie 1966; Ballard 1983 (Star1 and Star2).

The search itself, for any number of players, is in coalition.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from kibitz.bots import WOULD_PEEK, Report, Searcher
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.search.budget import spend
from kibitz.search.coalition import kernel
from kibitz.search.lookahead import DEEPEST, Search, World
from kibitz.table import View


@dataclass
class Expectimax(Searcher):
    """Looks a number of moves ahead, all outcomes of chance with their exact odds; for two players, nothing hidden."""

    depth: int = 2  # moves to look ahead, one's own first

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise SpecError(f"expectimax needs a depth from 1 to {DEEPEST}.")
        self._search: Search | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        if game.players != 2:
            return f"it is for two players, and here are {game.players}; use uct."
        return None

    def best(self, view: View) -> Report:
        """The best move alone: the others are only shown to be no better, which is faster than to rank them."""
        return self._report(view, ranking=False)

    def analyse(self, view: View) -> Report:
        return self._report(view, ranking=True)

    def _report(self, view: View, ranking: bool) -> Report:
        start = time.perf_counter()
        search = self._search
        if search is None or not search.fits(view):
            every = view.game.max_outcomes
            search = self._search = Search(view.game, kernel(view.game, replies=None), every)
        search.begin(view)
        world = World(0, view.state, list(view.moves))
        nodes = spend(search.runner(search.look(world, self.depth, ranking)))
        moves = search.ranked([world], view.moves if ranking else world.moves[:1])
        return Report(moves, nodes, "nodes", self.depth, time.perf_counter() - start)
