"""Alpha-beta: what a position of a two-player game without chance is worth, looked at deeper and deeper.

It keeps a table of positions already searched, with what their value was found to be, or a bound on it.
It searches to depth 1, 2, 3 …, each time the moves first that did best before: the table's move, the killers of the
same ply, then those that most often refuted something (history). The first move gets the full window, the
others only have to be shown to be no better (principal variation search).
It backs up the best child's score. What was searched to the end of the game, rather than to the horizon, is marked as
proven and never searched again; the search stops when the root is, or the budget is spent.
Knuth and Moore (1975); Schaeffer (1989) on ordering; Reinefeld (1989) on the scouts; Breuker (1998) on the table.

A score is a whole number, seen by the player to move: the share of the win from −WIN to WIN, less a point for each
ply that a win is away, plus one for each ply that a loss is: faster wins and slower losses are better.
The stack of the search lives in arrays, so that it can be worked off in slices of any size with the same result.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import OVER, Game
from kibitz.rng import WORD
from kibitz.search.budget import spend
from kibitz.state import Cells, State
from kibitz.table import Ply, View

DEFAULT_NODES = 100_000  # when no budget is given
DEEPEST = 500  # plies from the root; below half a STEP, so that distances and shares never mix
STEP = 1 << 10  # what the smallest difference between two shares is worth
STEPS = 1 << 20  # from an even position to a won one
WIN = STEPS * STEP
INFINITE = WIN + STEP
PROVEN = 1 << 14  # the depth of what was searched to the end of the game
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
FROM_TABLE, KILLER, SECOND_KILLER = 1 << 42, 1 << 41, 1 << 40  # priorities, all above HISTORY
HISTORY = 1 << 39

FRAME = np.dtype(
    [
        ("key", "u8"),
        ("alpha", "i8"),  # what the mover has for sure, here or higher up
        ("beta", "i8"),  # what the opponent has: a score of beta or more will not be allowed
        ("floor", "i8"),  # alpha at the beginning
        ("best", "i8"),  # the highest score so far
        ("move", "i8"),  # and the move that had it
        ("depth", "i8"),  # plies left to the horizon
        ("count", "i8"),  # legal moves
        ("next", "i8"),  # of them searched or being searched
        ("scouting", "i8"),  # the current move is only tested against alpha
        ("again", "i8"),  # the test said that the current move is better: search it with the full window
        ("proven", "i8"),  # whether the best score was searched to the end of the game
        ("unproven", "i8"),  # how many of the scores were not
        ("began", "i8"),  # the node count when it was opened
    ]
)
ENTRY = np.dtype(
    [("key", "u8"), ("score", "i4"), ("move", "i4"), ("effort", "i4"), ("depth", "i2"), ("bound", "i1"), ("age", "i1")]
)


class Stack(NamedTuple):
    """All that a search works on. Row i of states, frames, moves and killers is the position i plies from the root."""

    states: Any
    words: Any  # the same memory in words, to hash
    public: int  # how many words of a row are the position
    keyed: Any  # None when the game has no key of its own (numba drops the branch that would ask for it)
    guesses: Any  # None when the game has no evaluation
    shares: Any
    frames: Any
    moves: Any
    priority: Any  # the higher, the earlier a move is searched
    killers: Any
    history: Any  # how often a player's move was a refutation, deeper ones counting more
    table: Any  # pairs of entries: the first keeps what took most effort, the second what is newest
    place: Any  # the current ply, the nodes so far, the number of the search


PLY, NODES, AGE = 0, 1, 2


@compiled
def work(game: Any, stack: Stack, limit: int) -> int:
    """Work off up to `limit` nodes, one for each move played; return how many. Back at ply 0, the search is done."""
    frames = stack.frames
    ply = stack.place[PLY]
    nodes = 0
    while True:
        f = frames[ply]
        exact = False
        if f.best >= f.beta or (f.next == f.count and f.again == 0):
            if ply == 0:
                break
            proven = close(stack, ply, nodes)
            score = f.best
            ply -= 1
            f = frames[ply]
            if stack.states[ply].turn != stack.states[ply + 1].turn:
                score = -score
        else:
            if nodes == limit:
                break
            mover = stack.states[ply].turn
            if f.again == 0:
                nodes += 1
                bring_best_forward(stack.moves[ply], stack.priority[ply], f.next, f.count)
                stack.states[ply + 1] = stack.states[ply]
                game.play(stack.states[ply + 1], stack.moves[ply, f.next])
                f.next += 1
            s = stack.states[ply + 1]
            if s.turn == OVER:
                game.payoff(s, stack.shares)
                score = final_score(stack.shares[mover], ply + 1)
                exact = proven = True
            elif f.depth == 1:
                score = guess(game, s, mover, stack.guesses)
                exact = True
                proven = False
            else:
                f.scouting = 1 if f.best > -INFINITE and f.again == 0 else 0
                f.again = 0
                low = f.alpha
                high = f.alpha + 1 if f.scouting else f.beta
                sign = 1 if s.turn == mover else -1
                if sign < 0:
                    low, high = -high, -low
                key = key_of(game, stack, ply + 1)
                at = find(stack.table, key)
                usable = at >= 0 and stack.table[at].depth >= f.depth - 1
                if usable:
                    e = stack.table[at]
                    score = moved(e.score, ply + 1)
                    exact = e.bound == EXACT
                    usable = exact or (score >= high if e.bound == AT_LEAST else score <= low)
                    proven = e.depth == PROVEN
                    score *= sign
                if not usable:
                    ply += 1
                    open_frame(game, stack, ply, key, low, high, f.depth - 1, stack.table[at].move if at >= 0 else -1)
                    frames[ply].began = stack.place[NODES] + nodes
                    continue
        if f.scouting and not exact and f.alpha < score < f.beta:
            f.again = 1
            continue
        f.scouting = 0
        if not proven:
            f.unproven += 1
        if score > f.best:
            f.best = score
            f.move = stack.moves[ply, f.next - 1]
            f.proven = proven
            f.alpha = max(f.alpha, score)
    stack.place[PLY] = ply
    stack.place[NODES] += nodes
    return nodes


@compiled
def open_frame(game: Any, stack: Stack, ply: int, key: int, alpha: int, beta: int, depth: int, first: int) -> None:
    """Begin the search of states[ply]: its moves, and the order to search them in."""
    f = stack.frames[ply]
    f.key = key
    f.alpha = f.floor = alpha
    f.beta = beta
    f.best = -INFINITE
    f.move = -1
    f.depth = depth
    f.next = f.scouting = f.again = f.proven = f.unproven = 0
    s = stack.states[ply]
    moves = stack.moves[ply]
    f.count = game.moves(s, moves)
    for i in range(f.count):
        move = moves[i]
        if move == first:
            stack.priority[ply, i] = FROM_TABLE
        elif move == stack.killers[ply, 0]:
            stack.priority[ply, i] = KILLER
        elif move == stack.killers[ply, 1]:
            stack.priority[ply, i] = SECOND_KILLER
        else:
            stack.priority[ply, i] = stack.history[s.turn, move]


@compiled
def close(stack: Stack, ply: int, nodes: int) -> bool:
    """End the search of states[ply]: remember what it found; return whether that is proven."""
    f = stack.frames[ply]
    # One proven answer is enough for a refutation and for a win; every other value needs all moves proven.
    proven = bool(f.proven) if f.best >= f.beta or f.best > WIN - STEP else f.unproven == 0
    bound = AT_LEAST if f.best >= f.beta else EXACT if f.best > f.floor else AT_MOST
    if f.best >= f.beta:
        mover = stack.states[ply].turn
        if stack.killers[ply, 0] != f.move:
            stack.killers[ply, 1] = stack.killers[ply, 0]
            stack.killers[ply, 0] = f.move
        if stack.history[mover, f.move] < HISTORY:
            stack.history[mover, f.move] += f.depth * f.depth
    effort = min(stack.place[NODES] + nodes - f.began, 1 << 30)
    at = place_for(stack.table, f.key, effort, stack.place[AGE])
    e = stack.table[at]
    e.key = f.key
    e.score = moved(f.best, -ply)
    e.move = f.move
    e.effort = effort
    e.depth = PROVEN if proven else f.depth
    e.bound = bound
    e.age = stack.place[AGE]
    return proven


@compiled
def bring_best_forward(moves: Any, priority: Any, first: int, count: int) -> None:
    """Swap the move of the highest priority from `first` on to that place."""
    best = first
    for i in range(first + 1, count):
        if priority[i] > priority[best]:
            best = i
    if best != first:
        moves[first], moves[best] = moves[best], moves[first]
        priority[first], priority[best] = priority[best], priority[first]


@compiled
def final_score(share: float, plies: int) -> int:
    """The score of a share of the win, that far from the root."""
    worth = (int(share * (2 * STEPS) + 0.5) - STEPS) * STEP
    return worth - plies if worth > 0 else worth + plies if worth < 0 else 0


@compiled
def guess(game: Any, s: Any, mover: int, guesses: Any) -> int:
    """The score of a position at the horizon, for the player who moved there: never as good as a win."""
    if guesses is None:
        return 0
    game.evaluate(s, guesses)
    worth = int(guesses[mover] * (2 * STEPS) + 0.5) - STEPS
    return max(1 - STEPS, min(STEPS - 1, worth)) * STEP


@compiled
def moved(score: int, plies: int) -> int:
    """A score as seen from so many plies further up: a win or loss is that much further away."""
    away = ((score + STEP // 2) // STEP) * STEP - score  # guesses and draws are whole steps
    return score - plies if away > 0 else score + plies if away < 0 else score


@compiled
def key_of(game: Any, stack: Stack, ply: int) -> int:
    """64 well-mixed bits of a position."""
    return mixed(raw_key(game, stack, ply, stack.keyed))


@compiled
def raw_key(game: Any, stack: Stack, ply: int, keyed: Any) -> int:
    if keyed is not None:
        return int(np.uint64(game.key(stack.states[ply]) & WORD >> 1))
    key = stack.words[ply, 0]
    for i in range(1, stack.public):
        key = mixed(key) ^ stack.words[ply, i]
    return key


@compiled
def mixed(key: int) -> int:
    key = key * 0x9E37_79B9_7F4A_7C15 & WORD
    return key ^ key >> 32


@compiled
def find(table: Any, key: int) -> int:
    """The place of a position's entry, −1 when there is none."""
    at = int(np.int64(key & WORD >> 1)) & (len(table) - 2)
    if table[at].key == key and table[at].bound:
        return at
    if table[at + 1].key == key and table[at + 1].bound:
        return at + 1
    return -1


@compiled
def place_for(table: Any, key: int, effort: int, age: int) -> int:
    """Where to put an entry: over itself, over what took less effort or is of an earlier search, else over the newest."""
    at = int(np.int64(key & WORD >> 1)) & (len(table) - 2)
    e = table[at]
    if e.key == key or e.age != age or e.effort <= effort:
        return at
    return at + 1


@compiled
def follow(game: Any, stack: Stack, move: int, score: int, depth: int, line: Any) -> int:
    """Write the line on which a root move's exact score rests, as far as the table knows it; return its length.

    Each reply is one whose own exact score is that of the line. Works in rows 1 and 2 of an idle stack.
    """
    s, after = stack.states[1], stack.states[2]
    stack.states[1] = stack.states[0]
    mover = s.turn
    plies = 0
    while True:
        game.play(s, move)
        line[plies] = move
        plies += 1
        depth -= 1
        if s.turn == OVER or depth <= 0 or plies == len(line):
            return plies
        if s.turn != mover:
            score = -score
        mover = s.turn
        count = game.moves(s, stack.moves[1])
        move = -1
        for i in range(count):
            stack.states[2] = stack.states[1]
            game.play(after, stack.moves[1, i])
            if after.turn == OVER:
                game.payoff(after, stack.shares)
                matches = final_score(stack.shares[mover], plies + 1) == score
                deeper = depth
            else:
                at = find(stack.table, key_of(game, stack, 2))
                deeper = stack.table[at].depth + 1 if at >= 0 and stack.table[at].bound == EXACT else 0
                if deeper >= depth:
                    known = moved(stack.table[at].score, plies + 1)
                    matches = (known if after.turn == mover else -known) == score
                else:
                    matches = depth == 1 and guess(game, after, mover, stack.guesses) == score
                    deeper = depth
            if matches:
                move = stack.moves[1, i]
                depth = deeper
                break
        if move < 0:
            return plies


@dataclass(frozen=True)
class _Found:
    """What the last iteration found about a root move; only a bound when it was no more than tested."""

    move: int
    score: int = 0
    proven: bool = False
    nodes: int = 0
    line: tuple[int, ...] = ()


class _Search:
    """The search of one game's positions: its stack, and what it knows from the moves before."""

    def __init__(self, game: Game, deepest: int, entries: int) -> None:
        self.game = game
        self.plain = is_plain()
        self.deepest = deepest
        rows, rules = deepest + 3, type(game)
        raw = np.zeros(rows, game.dtype)
        words = raw.view("u8").reshape(rows, -1)
        self.stack = Stack(
            states=Cells(raw) if self.plain else raw,
            words=Cells(words) if self.plain else words,
            public=game.public_words,
            keyed=True if rules.defines("key") else None,
            guesses=numbers(2, "f8") if rules.defines("evaluate") else None,
            shares=numbers(2, "f8"),
            frames=records(rows, FRAME),
            moves=numbers((rows, game.max_moves), "i8"),
            priority=numbers((rows, game.max_moves), "i8"),
            killers=numbers((rows, 2), "i8"),
            history=numbers((2, game.actions), "i8"),
            table=records(entries, ENTRY),
            place=numbers(3, "i8"),
        )
        self.line = numbers(rows, "i8")
        self.history: tuple[Ply, ...] = ()
        self.root: State | None = None

    def begin(self, view: View) -> None:
        """Take a position as the root. What is known is kept within one game, and forgotten in another."""
        if not self._continues(view):
            for array in (self.stack.killers, self.stack.history, self.stack.table):
                np.asarray(array._array if self.plain else array).fill(0)
        self.root, self.history = view.state.copy(), view.history
        self.stack.states[0] = view.state if self.plain else view.state.record
        self.stack.place[AGE] = (self.stack.place[AGE] + 1) % 100
        self.stack.place[PLY] = 0  # the last search may have been cut off within its tree
        self.found = [_Found(move) for move in view.moves]
        self.choice = view.moves[0]
        self.depth = 0

    def _continues(self, view: View) -> bool:
        """Whether a view comes later in the game of the last root."""
        seen = len(self.history)
        if self.root is None or len(view.history) <= seen or view.history[:seen] != self.history:
            return False
        engine, state = Engine(self.game), self.root
        for ply in view.history[seen:]:
            if ply.move not in engine.moves(state):
                return False
            engine.play(state, ply.move)
        return state == view.state

    def deepen(self, ranking: bool) -> Generator[None]:
        """Search ever deeper until all is proven: every move for itself when ranking, else just for the best.

        Yields whenever the nodes in `self.left` are used up; they are to be filled up before it goes on.
        """
        for depth in range(1, self.deepest + 1):
            found: list[_Found] = []
            best = -INFINITE
            for move, nodes in [(f.move, f.nodes) for f in self.found]:
                before = self.stack.place[NODES]
                if ranking:
                    score, proven = yield from self._worth(move, depth, -INFINITE, INFINITE)
                    line = self._line(move, score, depth)
                else:
                    scout = best + 1 if found else INFINITE
                    score, proven = yield from self._worth(move, depth, best, scout)
                    if scout <= score:
                        score, proven = yield from self._worth(move, depth, best, INFINITE)
                    line = ()
                found.append(_Found(move, score, proven, nodes + self.stack.place[NODES] - before, line))
                if score > best:
                    best, self.choice = score, move
            self.found = sorted(found, key=lambda f: -f.score)
            self.depth = depth
            if all(f.proven for f in found) or (best > WIN - STEP and not ranking):
                return

    def _worth(self, move: int, depth: int, alpha: int, beta: int) -> Generator[None, None, tuple[int, bool]]:
        """The score of a root move, exact within the window; and whether that is proven."""
        root = self.stack.frames[0]
        root["alpha"], root["beta"], root["best"], root["depth"] = alpha, beta, -INFINITE, depth
        root["count"], root["next"], root["unproven"], root["again"] = 1, 0, 0, 0
        self.stack.moves[0, 0] = move
        while True:
            # The first iteration is always completed, so that there is something to answer.
            self.left -= work(self.game, self.stack, self.left if depth > 1 else self.game.max_moves)
            if root["best"] > -INFINITE and self.stack.place[PLY] == 0:
                return int(root["best"]), bool(root["proven"])
            yield

    def _line(self, move: int, score: int, depth: int) -> tuple[int, ...]:
        length = follow(self.game, self.stack, move, score, depth, self.line)
        return tuple(int(m) for m in self.line[:length])


@dataclass
class AlphaBeta(Searcher):
    """Alpha-beta with iterative deepening and a transposition table; for two players, without chance or secrets."""

    depth: int = 0
    nodes: int = 0
    ms: int = 0
    table: int = 20
    _search: _Search | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if min(self.depth, self.nodes, self.ms) < 0:
            raise SpecError("alphabeta: depth, nodes and ms cannot be negative.")
        if not 1 <= self.table <= 30:
            raise SpecError("alphabeta: table is the logarithm of the number of entries, from 1 to 30.")

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.players != 2:
            return f"it has {game.players} players, alphabeta is for two; use uct or mc."
        if game.has_hidden_information:
            return "alphabeta needs to see everything; use mc."
        if game.has_chance:
            return "alphabeta does not reckon with chance; use uct or mc."
        return None

    def choose(self, view: View) -> int:
        if len(view.moves) == 1:
            return view.moves[0]
        return self._run(view, ranking=False)[0].choice

    def analyse(self, view: View) -> Report:
        """Every legal move searched for itself to the same depth, which takes longer than finding the best."""
        search, nodes, seconds = self._run(view, ranking=True)
        ranked = (Ranked(f.move, share_of(f.score), f.nodes, f.proven, f.line) for f in search.found)
        return Report(tuple(ranked), nodes, "nodes", search.depth, seconds)

    def _run(self, view: View, ranking: bool) -> tuple[_Search, int, float]:
        """Search within the budget; the search that did it, its nodes and seconds."""
        start = time.perf_counter()
        search = self._search
        if search is None or search.game != view.game or search.plain != is_plain():
            deepest = min(self.depth or DEEPEST, view.game.max_plies, DEEPEST)
            search = self._search = _Search(view.game, deepest, 1 << self.table)
        search.begin(view)
        deepening = search.deepen(ranking)

        def run(nodes: int) -> int:
            search.left = nodes
            for _ in deepening:
                break
            return nodes - search.left

        ms = min(self.ms or float("inf"), 1000 * view.time if view.time is not None else float("inf"))
        limited = self.depth or ms < float("inf")
        nodes = spend(run, self.nodes or (0 if limited else DEFAULT_NODES), ms if ms < float("inf") else 0)
        return search, nodes, time.perf_counter() - start


def share_of(score: int) -> float:
    """The share of the win that a score stands for."""
    steps = (score + STEP // 2) // STEP
    return round(0.5 + steps / (2 * STEPS), 6)
