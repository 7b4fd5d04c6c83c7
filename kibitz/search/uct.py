"""UCT: Monte Carlo tree search with the UCB1 rule (Kocsis and Szepesvári, 2006), for any number of players and chance.

It keeps a tree of visited positions; each node counts visits and what they were worth to the player who moved there.
A simulation descends by w/n + c·√(ln N / n) (chance by its odds), grows the leaf it reaches once that has been visited
`expand` times, plays on at random to the end, and adds the payoff to every node on the way back. Won, lost and drawn
ends are proven backwards (Winands, Björnsson and Saito, 2008): proven moves are not explored again, and a proven root
ends the search. The tree is kept between moves. `threads=` grows own trees from own streams and merges them at the
root, which is repeatable; with `shared=yes` they grow one tree, which is stronger and not repeatable.

The simulations are in simulation.py, the nodes in tree.py, what Python sees of them in grove.py, playouts that learn in
habits.py.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from kibitz.bots import WOULD_PEEK, Ranked, Report, Searcher
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.rng import Stream
from kibitz.search.budget import allowance, spend
from kibitz.search.grove import Grove, by_value, merged
from kibitz.search.playout import urgency_of
from kibitz.search.simulation import Style
from kibitz.table import View


@dataclass
class UCT(Searcher):
    """Monte Carlo tree search: samples games and follows what has gone well (UCB1)."""

    sims: int = 0  # simulations a move; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    c: float = 0.7  # how much to explore
    expand: int = 1  # visits before a leaf grows children
    habit: float = 0.0  # how often a playout plays the move that went best in earlier ones (MAST)
    urgent: bool = False  # playouts draw two moves and play the one that the game calls more urgent
    playout: int = -1  # plies of a playout before the game's evaluation is asked; −1: play to the end
    draws: bool = True  # whether a shared win counts on the way down; no: only whole ones do
    bonus: str = "parent"  # whose visits N is: of the parent, or of the root at every depth
    final: str = "visits"  # the move to play: that with the most visits, or with the best value
    threads: int = 1  # how many simulate side by side
    shared: bool = False  # on one tree rather than on trees of their own that are merged at the root; not repeatable
    nodes: int = 4_000_000  # the most a tree may hold; a full one goes on without growing

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.c) < 0 or min(self.expand, self.threads, self.nodes) < 1:
            raise SpecError("uct needs sims, ms and c of at least 0, and expand, threads and nodes of at least 1.")
        if self.playout < -1:
            raise SpecError("uct needs a playout of at least 0 plies, or −1: to the end of the game.")
        if not 0.0 <= self.habit <= 1.0:
            raise SpecError("uct needs a habit from 0 to 1: it is a probability.")
        if self.bonus not in ("parent", "root"):
            raise SpecError("uct needs a bonus of parent or root.")
        if self.final not in ("visits", "value"):
            raise SpecError("uct needs a final of visits or value.")
        self._groves: list[Grove] = []

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        return None

    def is_reproducible(self) -> bool:
        return super().is_reproducible() and not (self.shared and self.threads > 1)

    def choose(self, view: View) -> int:
        if len(view.moves) == 1:
            return view.moves[0]
        return self._ranked(view, with_lines=False)[0][0].move

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        moves, work = self._ranked(view, with_lines=True)
        return Report(moves, work, "simulations", len(moves[0].line), time.perf_counter() - start)

    def _ranked(self, view: View, with_lines: bool) -> tuple[tuple[Ranked, ...], int]:
        """The legal moves, best first, and the number of simulations it took."""
        work = self._search(view)
        moves = merged(self._groves, view.player, with_lines)
        return (by_value(moves) if self.final == "value" else moves), work

    def _search(self, view: View) -> int:
        """Grow the trees from a position; return the number of simulations."""
        sims, ms = allowance(self.sims, self.ms, view.time, usual=1000)
        if not self._groves or self._groves[0].game is not view.game:
            trees = 1 if self.shared else self.threads
            self._groves = [Grove(view.game, self.nodes, not self.draws, self.habit) for _ in range(trees)]
        for grove in self._groves:
            grove.stand_at(view.state, view.since)
        groves = self._groves
        if self.shared:  # the tree cannot move while others work on it
            groves[0].make_room(sims or self.nodes)
            groves = [groves[0], *groves[0].others(self.threads - 1)]
        shares = [sims // self.threads + (i < sims % self.threads) for i in range(self.threads)]
        streams = [Stream(view.rng.getrandbits(64), "tree", i) for i in range(self.threads)]
        style = self._style(view.game)
        stopped = threading.Event()

        def grow(grove: Grove, share: int, stream: Stream) -> int:
            def run(count: int) -> int:
                return 0 if stopped.is_set() else grove.simulate(style, stream.words, count)

            run(0)  # compiles or loads the code, which is not thinking time
            return spend(run, share, ms)

        if self.threads == 1:
            return grow(groves[0], shares[0], streams[0])
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(grow, *job) for job in zip(groves, shares, streams, strict=True)]
            try:
                return sum(future.result() for future in futures)
            finally:
                stopped.set()  # on Ctrl-C the trees stop after the slice they are in

    def _style(self, game: Game) -> Style:
        cut = self.playout >= 0
        if cut and not type(game).defines("evaluate"):
            raise SpecError(
                f"uct:playout={self.playout} needs rules with evaluate(s, out), which {type(game).__name__} lacks."
            )
        return Style(
            c=self.c,
            expand=self.expand,
            by_root=True if self.bonus == "root" else None,
            urgent=urgency_of(game, self.urgent),
            limit=self.playout if cut else game.max_plies,
            guess=True if cut else None,
            ahead=True if self.shared and self.threads > 1 else None,
        )
