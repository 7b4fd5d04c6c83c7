"""Alpha-beta with iterative deepening, for two-player constant-sum games without chance or hidden information.

It keeps a transposition table and a history of refutations, from iteration to iteration and from move to move.
Each iteration searches the root moves one by one (kibitz/search/negamax.py), the best so far first; unless all moves
are to be ranked, the others are only tested for being better.
It stops when the root is proven or the budget is spent.
Knuth and Moore 1975; Schaeffer 1989 (history heuristic); Breuker 1998 (replacement scheme of the table).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from kibitz.compiler import mode, native, numbers, running_time
from kibitz.players.bot import NOT_CONSTANT_SUM, WOULD_PEEK, Ranked, Report, Searcher
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import BOT, option
from kibitz.rules.contract import OVER, Game
from kibitz.rules.engine import Engine
from kibitz.search.leaf_values import EVALUATION, leaf_values_misfit, leaf_values_of
from kibitz.search.negamax import AGE, NODES, PLY, new_stack, principal_variation, work
from kibitz.search.option_bounds import PUBLIC_DEPTH, PUBLIC_MS, PUBLIC_NODES
from kibitz.search.scores import DEEPEST, INFINITE, STEP, WIN, Horizon, share_of
from kibitz.state import State
from kibitz.table import View

SCORE, HISTORY, MIXED = "score", "history", "mixed"
# From which depth on moves are tried out to be ordered: at depth 1, that would cost as much as searching them.
TRIED_FROM = {EVALUATION: 2, MIXED: 4, HISTORY: DEEPEST + 1}
MOST_QUIET = 20  # noisy moves in a row


def horizon(game: Game, by: str) -> Horizon:
    """What counts at the horizon of a search: `evaluation`, `score`, or the spec of a bot that judges leaves."""
    shares = numbers(2, "f8")
    if by == EVALUATION:
        return Horizon(shares, evaluation=True if type(game).defines("evaluate") else None)
    if by == SCORE:
        return Horizon(shares, points=numbers(2, "f8"))
    leaf_values, memory = leaf_values_of(by, game)
    return Horizon(shares, leaf_values=leaf_values, memory=memory)


@dataclass(frozen=True)
class _Found:
    """The latest result for a root move; only a bound if the move was merely tested."""

    move: int
    score: int = 0
    proven: bool = False
    nodes: int = 0
    line: tuple[int, ...] = ()


class _Deepening:
    """Iterative deepening over the positions of one game; the table and the history carry over from move to move."""

    def __init__(
        self, game: Game, deepest: int, entries: int, by: Horizon, late: int, quiet: int, tried_from: int
    ) -> None:
        self.game = game
        self.mode = mode()
        self.room = deepest  # plies that fit on the stack
        self.stack = new_stack(game, deepest, entries, by, late, quiet, tried_from)
        self.question = State(self.stack.frames[0]).record
        self.killers = State(self.stack.frames[1]).record["killers"]
        self.line = numbers(deepest + 3, "i8")
        self.work = work.bind(game, self.stack, 1)  # type: ignore[attr-defined]
        self.left = 0  # nodes left in the current slice

    def begin(self, view: View, deepest: int) -> None:
        """Make a position the root, to be searched at most `deepest` plies deep."""
        self.deepest = deepest
        self.plies = view.history
        self.stack.states[0] = native(view.state)
        self.killers[:] = -1
        self.stack.place[PLY] = 0  # the last search may have been cut short
        self.stack.place[AGE] = (self.stack.place[AGE] + 1) % 100
        self.depth = 0
        self.found = [_Found(move) for move in view.moves]
        self.choice = self.found[0]

    def continues(self, view: View, deepest: int) -> bool:
        """Whether a view continues the game of the last root, and `deepest` plies fit on the stack."""
        if deepest > self.room:
            return False
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
        """Deepen until everything is proven: with `ranking` every move gets its exact score, else only the best.

        Yields whenever `left` is used up; the caller refills it before resuming. A `hasty` search, of which only the
        last iteration counts, doubles the depth from one iteration to the next.
        """
        depth = 1
        while True:
            found: list[_Found] = []
            best = -INFINITE
            for move, nodes in [(f.move, f.nodes) for f in self.found]:
                before = int(self.stack.place[NODES])
                low = -INFINITE if ranking else best
                high = INFINITE if ranking or not found else best + 1
                score, proven = yield from self._search_move(move, depth, low, high)
                if score >= high:
                    score, proven = yield from self._search_move(move, depth, low, INFINITE)
                line = self._line(move, score, depth) if ranking or score > best else ()
                found.append(_Found(move, score, proven, nodes + int(self.stack.place[NODES]) - before, line))
                if score > best:
                    best, self.choice = score, found[-1]
            self.depth, self.found = depth, sorted(found, key=lambda f: -f.score)
            won = best > WIN - STEP and not ranking
            if won or depth == self.deepest or all(f.proven for f in found):
                return
            depth = min(2 * depth if hasty else depth + 1, self.deepest)

    def _search_move(self, move: int, depth: int, alpha: int, beta: int) -> Generator[None, None, tuple[int, bool]]:
        """The score of a root move, exact within the window and otherwise a bound; and whether it is proven."""
        root = self.question
        root["alpha"], root["beta"], root["best"], root["depth"] = alpha, beta, -INFINITE, depth
        root["moves"][0], root["count"], root["next"], root["scouting"], root["again"] = move, 1, 0, 0, 0
        while root["best"] == -INFINITE:
            if depth == 1:  # always completed, so that there is a move to play
                self.left -= self.work(self.game, self.stack, 1)
            elif self.left > 0:
                self.left -= self.work(self.game, self.stack, self.left)
            else:
                yield
        return int(root["best"]), bool(root["proven"])

    def _line(self, move: int, score: int, depth: int) -> tuple[int, ...]:
        length = principal_variation(self.game, self.stack, move, score, depth, self.line)
        return tuple(self.line[:length].tolist())


@dataclass
class AlphaBeta(Searcher):
    """Alpha-beta with iterative deepening and a transposition table; two players, no chance, nothing hidden."""

    name: ClassVar[str] = "alphabeta"
    counts: ClassVar[tuple[str, ...]] = ("nodes", "depth")
    default_limit: ClassVar[Limit] = Limit(nodes=100_000)
    by_evaluation: ClassVar[bool] = True

    depth: int = option(0, low=0, limits="depth", public=PUBLIC_DEPTH)  # plies to look ahead; enough solve the game
    nodes: int = option(0, low=0, limits="nodes", public=PUBLIC_NODES)  # per move
    ms: int = option(0, low=0, limits="ms", public=PUBLIC_MS)  # milliseconds per move
    # What counts at the horizon: the evaluation of the rules, the lead in points, or the network of a bot.
    by: str = option(EVALUATION, choices=(EVALUATION, SCORE), names=BOT)
    order: str = option(EVALUATION, choices=(EVALUATION, HISTORY, MIXED))  # what moves are ordered by
    late: int = option(0, low=0, public=100)  # full-depth moves before late move reductions; 0: none
    quiet: int = option(0, low=0, high=MOST_QUIET, public=MOST_QUIET)  # plies of noisy moves beyond the horizon
    table: int = option(20, low=1, high=30, public=22)  # log2 of the number of entries

    def __post_init__(self) -> None:
        super().__post_init__()
        self._search: _Deepening | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return WOULD_PEEK
        if game.players != 2:
            return f"it is for two players, not {game.players}; use uct."
        if game.has_chance_in_play:
            return "it cannot handle chance; use uct."
        return None if game.is_constant_sum else NOT_CONSTANT_SUM

    def option_misfit(self, game: Game) -> str | None:
        if self.by == SCORE and not type(game).defines("score"):
            return f"its rules have no score(s, out); leave out by={SCORE}."
        if self.quiet and not type(game).defines("noisy_moves"):
            return "its rules have no noisy_moves(s, out); leave out quiet."
        return None if self.by in (EVALUATION, SCORE) else leaf_values_misfit(self.by, game)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Rank all moves at the last completed depth; without `ranking` find only the best, which is faster."""
        start = running_time()
        search, nodes = self._run(view, limit, ranking)
        found = search.found if ranking else [search.choice]
        ranked = (Ranked(f.move, share_of(f.score), f.nodes, f.proven, f.line) for f in found)
        return Report(tuple(ranked), nodes, "nodes", search.depth, running_time() - start)

    def _run(self, view: View, limit: Limit, ranking: bool) -> tuple[_Deepening, int]:
        """Search within the limit; return the search and the number of nodes."""
        search = self._search
        deepest = min(limit.depth or DEEPEST, view.game.max_plies, DEEPEST)
        if search is None or not search.continues(view, deepest):  # nothing carries over from another game
            by, entries, tried_from = horizon(view.game, self.by), 1 << self.table, TRIED_FROM[self.order]
            search = self._search = _Deepening(view.game, deepest, entries, by, self.late, self.quiet, tried_from)
        search.begin(view, deepest)
        deepening = search.deepen(ranking, hasty=limit.nodes is None and limit.seconds is None)

        def run(count: int) -> int:
            search.left = count
            next(deepening, None)
            return count - search.left

        return search, spend(run, limit.nodes, Clock(limit))
