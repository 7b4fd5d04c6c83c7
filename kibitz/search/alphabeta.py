"""Alpha-beta: what a position of a two-player game without chance is worth, looked at deeper and deeper.

It keeps what it has learnt from one iteration to the next, and from one move of a game to the next: a table of
positions, and how often each move was a refutation.
Each iteration searches the root's moves one by one (kibitz/search/negamax.py), the best so far first, the others only
to show that they are no better.
It stops when the root is proven or the budget is spent.
Knuth and Moore 1975; Schaeffer 1989 (history); Breuker 1998 (which entries to keep).
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass

from kibitz.bots import WOULD_PEEK, Ranked, Report, Searcher
from kibitz.compiled import mode, native, numbers
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import OVER, Game
from kibitz.search.budget import allowance, spend
from kibitz.search.negamax import AGE, NODES, PLY, follow, new_stack, work
from kibitz.search.scores import DEEPEST, INFINITE, STEP, WIN, share_of
from kibitz.state import State
from kibitz.table import View

DEFAULT_NODES = 100_000  # when no budget is given
EVALUATION, SCORE, HISTORY = "evaluation", "score", "history"


@dataclass(frozen=True)
class _Found:
    """What the last iteration found about a root move; only a bound when it was no more than tested."""

    move: int
    score: int = 0
    proven: bool = False
    nodes: int = 0
    line: tuple[int, ...] = ()


class _Search:
    """The search of one game's positions: its stack, and what it has learnt from the moves before."""

    def __init__(self, game: Game, deepest: int, entries: int, by_points: bool, by_history: bool, late: int) -> None:
        self.game = game
        self.mode = mode()
        self.deepest = deepest
        rows = deepest + 3
        # Next to the horizon, to look at a move would take as long as to search it.
        self.stack = new_stack(game, rows, entries, by_points, late, looking=rows if by_history else 2)
        self.question = State(self.stack.frames[0]).record
        self.killers = State(self.stack.frames[1]).record["killers"]
        self.line = numbers(rows, "i8")
        self.work = work.bind(game, self.stack, 1)  # type: ignore[attr-defined]
        self.left = 0  # nodes it may still search before it yields

    def begin(self, view: View) -> None:
        """Take a position as the root."""
        self.plies = view.history
        self.stack.states[0] = native(view.state)
        self.killers[:] = -1
        self.stack.place[PLY] = 0  # the last search may have been broken off
        self.stack.place[AGE] = (self.stack.place[AGE] + 1) % 100
        self.depth = 0
        self.found = [_Found(move) for move in view.moves]
        self.choice = self.found[0]

    def continues(self, view: View) -> bool:
        """Whether a position comes later in the game of the last root."""
        known = len(self.plies)
        if view.game is not self.game or mode() != self.mode:
            return False
        if len(view.history) <= known or view.history[:known] != self.plies:
            return False
        engine, state = Engine(self.game), State(self.stack.states[0]).copy()
        for _, move in view.history[known:]:
            if state.turn == OVER or move not in engine.moves(state):
                return False
            engine.play(state, move)
        return state == view.state

    def deepen(self, ranking: bool, hasty: bool) -> Generator[None]:
        """Search ever deeper until all is proven: every move for itself when ranking, else just for the best.

        Yields when `left` nodes are searched; it is to be filled up before it goes on. Where only the last iteration
        counts, a hasty search doubles the depth from one to the next.
        """
        depth = 1
        while True:
            found: list[_Found] = []
            best = -INFINITE
            for move, nodes in [(f.move, f.nodes) for f in self.found]:
                before = int(self.stack.place[NODES])
                low = -INFINITE if ranking else best
                high = INFINITE if ranking or not found else best + 1
                score, proven = yield from self._worth(move, depth, low, high)
                if score >= high:
                    score, proven = yield from self._worth(move, depth, low, INFINITE)
                line = self._line(move, score, depth) if ranking or score > best else ()
                found.append(_Found(move, score, proven, nodes + int(self.stack.place[NODES]) - before, line))
                if score > best:
                    best, self.choice = score, found[-1]
            self.depth, self.found = depth, sorted(found, key=lambda f: -f.score)
            won = best > WIN - STEP and not ranking
            if won or depth == self.deepest or all(f.proven for f in found):
                return
            depth = min(2 * depth if hasty else depth + 1, self.deepest)

    def _worth(self, move: int, depth: int, alpha: int, beta: int) -> Generator[None, None, tuple[int, bool]]:
        """The score of a root move, exact within the window, else a bound; and whether it is proven."""
        root = self.question
        root["alpha"], root["beta"], root["best"], root["depth"] = alpha, beta, -INFINITE, depth
        root["moves"][0], root["count"], root["next"], root["scouting"], root["again"] = move, 1, 0, 0, 0
        while root["best"] == -INFINITE:
            if depth == 1:  # is always completed, so that there is an answer
                self.left -= self.work(self.game, self.stack, 1)
            elif self.left > 0:
                self.left -= self.work(self.game, self.stack, self.left)
            else:
                yield
        return int(root["best"]), bool(root["proven"])

    def _line(self, move: int, score: int, depth: int) -> tuple[int, ...]:
        length = follow(self.game, self.stack, move, score, depth, self.line)
        return tuple(self.line[:length].tolist())


@dataclass
class AlphaBeta(Searcher):
    """Alpha-beta with iterative deepening and a transposition table; for two players, no chance, nothing hidden."""

    depth: int = 0  # plies to look ahead; as many as the game has solve it
    nodes: int = 0  # positions a move; 100,000 when neither depth, nodes nor ms is given
    ms: int = 0  # milliseconds a move
    by: str = EVALUATION  # what counts at the horizon; or score: the lead in points
    order: str = EVALUATION  # which moves are searched first: by what they lead to; or history: what refuted others
    late: int = 0  # after so many moves of a position, others are searched less deep at first; 0: all alike
    table: int = 20  # the logarithm, to base 2, of the number of positions remembered

    def __post_init__(self) -> None:
        if self.by not in (EVALUATION, SCORE):
            raise SpecError(f"alphabeta needs by={EVALUATION} or by={SCORE}, not {self.by!r}.")
        if self.order not in (EVALUATION, HISTORY):
            raise SpecError(f"alphabeta needs order={EVALUATION} or order={HISTORY}, not {self.order!r}.")
        if min(self.depth, self.nodes, self.ms, self.late) < 0:
            raise SpecError("alphabeta needs depth, nodes, ms and late of at least 0.")
        if not 1 <= self.table <= 30:
            raise SpecError("alphabeta needs a table from 1 to 30: it has 2 to that power entries.")
        self._search: _Search | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        if game.players != 2:
            return f"it is for two players, and here are {game.players}; use uct."
        if game.has_chance_in_play:
            return "it takes no account of chance; use uct."
        return None

    def unfit(self, game: Game) -> str | None:
        if self.by == SCORE and not type(game).defines("score"):
            return f"its rules have no score(s, out); leave out by={SCORE}."
        return None

    def best(self, view: View) -> Report:
        """The best move alone: the others are only shown to be no better, which is faster than to rank them."""
        return self._report(view, ranking=False)

    def analyse(self, view: View) -> Report:
        """Every legal move searched for itself, all to the depth of the last completed iteration."""
        return self._report(view, ranking=True)

    def _report(self, view: View, ranking: bool) -> Report:
        start = time.perf_counter()
        search, nodes = self._run(view, ranking)
        found = search.found if ranking else [search.choice]
        ranked = (Ranked(f.move, share_of(f.score), f.nodes, f.proven, f.line) for f in found)
        return Report(tuple(ranked), nodes, "nodes", search.depth, time.perf_counter() - start)

    def _run(self, view: View, ranking: bool) -> tuple[_Search, int]:
        """Search within the budget: the search that did it, and its nodes."""
        search = self._search
        if search is None or not search.continues(view):  # what was learnt in another game is forgotten
            deepest = min(self.depth or DEEPEST, view.game.max_plies, DEEPEST)
            by_points, by_history = self.by == SCORE, self.order == HISTORY
            search = self._search = _Search(view.game, deepest, 1 << self.table, by_points, by_history, self.late)
        search.begin(view)
        nodes, ms = allowance(self.nodes, self.ms, view.time, usual=0 if self.depth else DEFAULT_NODES)
        deepening = search.deepen(ranking, hasty=not nodes and not ms)

        def run(count: int) -> int:
            search.left = count
            next(deepening, None)
            return count - search.left

        return search, spend(run, nodes, ms)
