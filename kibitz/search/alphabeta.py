"""Alpha-beta: what a position of a two-player game without chance is worth, looked at deeper and deeper.

It keeps a table of the positions searched so far, each with its value or a bound on it, and its best move.
It searches the table's move first, then moves that win at once, then by the game's evaluation; by killers and history
where there is none and next to the horizon. Later moves are only tested against the best (principal variation search).
It backs up the best child's score; what was searched to the end of the game, not to the horizon, is marked as proven.
It stops when the root is proven or the budget is spent.
Knuth and Moore 1975; Schaeffer 1989 (history); Reinefeld 1989 (scouts); Breuker 1998 (which entries to keep).

A score is a whole number for the player to move: the share of the win from −WIN to WIN, less a point for each
ply that a win is away, plus one for each ply that a loss is: faster wins and slower losses are better.
The stack of the search lives in arrays, so that it can be worked off in slices of any size with the same result.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, mode, native, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import OVER, Game
from kibitz.search.budget import spend
from kibitz.search.transposition import AT_LEAST, AT_MOST, ENTRY, EXACT, find, place_for, position_key
from kibitz.state import Cells, State
from kibitz.table import View

DEFAULT_NODES = 100_000  # when no budget is given
DEEPEST = 500  # plies from the root; below half a STEP, so that distances and shares never mix
STEP = 1 << 10  # what the smallest difference between two shares is worth
STEPS = 1 << 20  # from an even position to a won one
WIN = STEPS * STEP
INFINITE = WIN + STEP
PROVEN = 1 << 14  # the depth of what was searched to the end of the game
FROM_TABLE, KILLER, SECOND_KILLER = 1 << 43, 1 << 42, 1 << 41  # priorities, above history and evaluation


def frame(max_moves: int) -> np.dtype:
    """The record of one position on the way to the one being looked at."""
    return np.dtype(
        [
            ("key", "u8"),
            ("alpha", "i8"),  # what the mover has for sure, here or higher up
            ("beta", "i8"),  # what the opponent has: a score of beta or more will not be allowed
            ("floor", "i8"),  # alpha at the beginning
            ("best", "i8"),  # the highest score so far
            ("move", "i8"),  # and the move that had it
            ("depth", "i8"),  # plies left to the horizon
            ("count", "i8"),  # legal moves …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("scouting", "i8"),  # the current move is only tested against alpha
            ("again", "i8"),  # the test said that it is better: search it with the full window
            ("proven", "i8"),  # whether the best score was searched to the end of the game
            ("unproven", "i8"),  # how many scores were not
            ("began", "i8"),  # the node count when it was opened
            ("killers", "i8", 2),  # the last two refutations among the children of one position
            ("moves", "i8", max_moves),
            ("priority", "i8", max_moves),  # the higher, the earlier a move is searched
        ]
    )


class Stack(NamedTuple):
    """All that a search works on. Row i of states and frames is the position i plies from the root."""

    states: Any
    words: Any  # the same memory in words, to hash
    public: int  # how many words of a row are the position
    keyed: Any  # None when the game has no key of its own
    guesses: Any  # None when the game has no evaluation
    shares: Any
    frames: Any
    history: Any  # how often a player's move was a refutation, deeper ones counting more
    table: Any
    place: Any  # the current ply, the nodes so far, the number of the search


PLY, NODES, AGE = 0, 1, 2


@compiled
def work(game: Any, stack: Stack, limit: int) -> int:
    """Work off up to `limit` nodes, one for each move searched; return how many. Back at ply 0, the search is done."""
    states, frames, table, shares, place = stack.states, stack.frames, stack.table, stack.shares, stack.place
    ply = place[PLY]
    before = place[NODES]
    while True:
        f = frames[ply]
        exact = False
        if f.best >= f.beta or (f.next == f.count and f.again == 0):
            if ply == 0:
                break
            proven = close(f, states[ply].turn, moved(f.best, -ply), table, stack.history, place)
            score = f.best
            ply -= 1
            f = frames[ply]
            if states[ply].turn != states[ply + 1].turn:
                score = -score
        else:
            if place[NODES] - before == limit:
                break
            mover = states[ply].turn
            if f.again == 0:
                place[NODES] += 1
                states[ply + 1] = states[ply]
                game.play(states[ply + 1], next_move(f))
            s = states[ply + 1]
            if s.turn == OVER:
                game.payoff(s, shares)
                score = final_score(shares[mover], ply + 1)
                exact = proven = True
            elif f.depth == 1:
                score = guess(game, s, mover, stack.guesses)
                exact = True
                proven = False
            else:
                f.scouting = 1 if f.best > -INFINITE and f.again == 0 else 0
                f.again = 0
                low, high = f.alpha, f.alpha + 1 if f.scouting else f.beta
                sign = 1
                if s.turn != mover:
                    low, high, sign = -high, -low, -1
                key = position_key(game, s, stack.words, ply + 1, stack.public, stack.keyed)
                at = find(table, key)
                usable = at >= 0 and table[at].depth >= f.depth - 1
                if usable:
                    score = moved(table[at].score, ply + 1)
                    exact = table[at].bound == EXACT
                    usable = exact or (score >= high if table[at].bound == AT_LEAST else score <= low)
                    proven = table[at].depth == PROVEN
                    score *= sign
                if not usable:
                    ply += 1
                    child = frames[ply]
                    open_frame(child, key, low, high, f.depth - 1, place[NODES])
                    child.count = game.moves(s, child.moves)
                    first = table[at].move if at >= 0 else -1
                    put_in_order(game, states, ply, child, first, stack.history, shares, stack.guesses)
                    frames[ply + 1].killers[0] = frames[ply + 1].killers[1] = -1
                    continue
        # The score of the current move is known, or a bound on it.
        if f.scouting and not exact and f.alpha < score < f.beta:
            f.again = 1
            continue
        f.scouting = 0
        f.unproven += not proven
        if score > f.best:
            f.best = score
            f.move = f.moves[f.next - 1]
            f.proven = proven
            f.alpha = max(f.alpha, score)
    place[PLY] = ply
    return place[NODES] - before


@compiled
def open_frame(f: Any, key: Any, alpha: int, beta: int, depth: int, nodes: int) -> None:
    """Begin the search of a position."""
    f.key = key
    f.alpha = f.floor = alpha
    f.beta = beta
    f.best = -INFINITE
    f.move = -1
    f.depth = depth
    f.next = f.scouting = f.again = f.proven = f.unproven = 0
    f.began = nodes


@compiled
def put_in_order(game: Any, states: Any, ply: int, f: Any, first: int, history: Any, shares: Any, guesses: Any) -> None:
    """Say how early to search each move of a position; a move that wins at once leaves no other to search."""
    s, child = states[ply], states[ply + 1]
    for i in range(f.count):
        move = f.moves[i]
        f.priority[i] = history[s.turn, move]
        if move == first:
            f.priority[i] = FROM_TABLE
            continue
        if move == f.killers[0]:
            f.priority[i] = KILLER
        elif move == f.killers[1]:
            f.priority[i] = SECOND_KILLER
        if f.depth == 1:  # to look at a child takes as long as to search it
            continue
        states[ply + 1] = states[ply]
        game.play(child, move)
        if child.turn != OVER:
            if guesses is not None:
                f.priority[i] = guess(game, child, s.turn, guesses)
            continue
        game.payoff(child, shares)
        if shares[s.turn] == 1.0:
            f.moves[0] = move
            f.count = 1
            return


@compiled
def next_move(f: Any) -> int:
    """The move of the highest priority among those not yet searched."""
    first = best = f.next
    for i in range(first + 1, f.count):
        if f.priority[i] > f.priority[best]:
            best = i
    f.moves[first], f.moves[best] = f.moves[best], f.moves[first]
    f.priority[first], f.priority[best] = f.priority[best], f.priority[first]
    f.next += 1
    return f.moves[first]


@compiled
def close(f: Any, mover: int, score: int, table: Any, history: Any, place: Any) -> bool:
    """End the search of a position: remember what it found; return whether that is proven."""
    refuted = f.best >= f.beta
    if refuted:
        if f.killers[0] != f.move:
            f.killers[1] = f.killers[0]
            f.killers[0] = f.move
        history[mover, f.move] = min(history[mover, f.move] + f.depth * f.depth, SECOND_KILLER - 1)
    # One proven answer is enough for a refutation and for a win; every other value needs all moves proven.
    proven = bool(f.proven) if refuted or f.best > WIN - STEP else f.unproven == 0
    effort = min(place[NODES] - f.began, 1 << 30)
    e = table[place_for(table, f.key, effort, place[AGE])]
    e.key = f.key
    e.score = score
    e.move = f.move
    e.effort = effort
    e.depth = PROVEN if proven else f.depth
    e.bound = AT_LEAST if refuted else EXACT if f.best > f.floor else AT_MOST
    e.age = place[AGE]
    return proven


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
def follow(game: Any, stack: Stack, move: int, score: int, depth: int, line: Any) -> int:
    """Write the line on which a root move's exact score rests, as far as the table knows it; return its length.

    A line goes on with a reply of the same score. (The table's move will not do: games may give one key to positions
    that mirror each other.) Works in rows 1 and 2 of an idle stack.
    """
    s, moves = stack.states[1], stack.frames[1].moves
    stack.states[1] = stack.states[0]
    depth -= 1
    plies = 0
    while plies < len(line):
        mover = s.turn
        game.play(s, move)
        line[plies] = move
        plies += 1
        if s.turn == OVER or depth == 0:
            break
        if s.turn != mover:
            score = -score
        count = game.moves(s, moves)
        left = -1
        for i in range(count):
            if left < 0:
                move = moves[i]
                stack.states[2] = stack.states[1]
                game.play(stack.states[2], move)
                left = depth_of(game, stack, score, s.turn, plies + 1, depth - 1)
        if left < 0:
            break
        depth = left
    return plies


@compiled
def depth_of(game: Any, stack: Stack, score: int, mover: int, plies: int, depth: int) -> int:
    """How deep, and at least to `depth`, states[2] was searched with just this score for the mover; −1: it was not."""
    s = stack.states[2]
    if s.turn == OVER:
        game.payoff(s, stack.shares)
        return 0 if final_score(stack.shares[mover], plies) == score else -1
    at = find(stack.table, position_key(game, s, stack.words, 2, stack.public, stack.keyed))
    if at >= 0 and stack.table[at].bound == EXACT and stack.table[at].depth >= depth:
        known = moved(stack.table[at].score, plies)
        return stack.table[at].depth if (known if s.turn == mover else -known) == score else -1
    return 0 if depth == 0 and guess(game, s, mover, stack.guesses) == score else -1


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

    def __init__(self, game: Game, deepest: int, entries: int) -> None:
        self.game = game
        self.mode = mode()
        self.deepest = deepest
        rows, rules = deepest + 3, type(game)
        states = np.zeros(rows, game.dtype)
        frames = np.zeros(rows, frame(game.max_moves))
        face = Cells if is_plain() else np.asarray
        self.stack = Stack(
            states=face(states),
            words=face(states.view("u8").reshape(rows, -1)),
            public=game.public_words,
            keyed=True if rules.defines("key") else None,
            guesses=numbers(2, "f8") if rules.defines("evaluate") else None,
            shares=numbers(2, "f8"),
            frames=face(frames),
            history=numbers((2, game.actions), "i8"),
            table=records(entries, ENTRY),
            place=numbers(3, "i8"),
        )
        self.question, self.killers = frames[0], frames[1]["killers"]
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
    table: int = 20  # the logarithm, to base 2, of the number of positions remembered

    def __post_init__(self) -> None:
        if min(self.depth, self.nodes, self.ms) < 0:
            raise SpecError("alphabeta needs depth, nodes and ms of at least 0.")
        if not 1 <= self.table <= 30:
            raise SpecError("alphabeta needs a table from 1 to 30: it has 2 to that power entries.")
        self._search: _Search | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return "it would search the true state, which it may not see; use mc, which deals the hidden part anew."
        if game.players != 2:
            return f"it is for two players, and here are {game.players}; use uct."
        if game.has_chance:
            return "it takes no account of chance; use uct."
        return None

    def choose(self, view: View) -> int:
        return view.moves[0] if len(view.moves) == 1 else self.best(view).best.move

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
            search = self._search = _Search(view.game, deepest, 1 << self.table)
        search.begin(view)
        ms = min((limit for limit in (self.ms, 900 * (view.time or 0)) if limit), default=0)
        nodes = self.nodes or (0 if self.depth or ms else DEFAULT_NODES)
        deepening = search.deepen(ranking, hasty=not nodes and not ms)

        def run(count: int) -> int:
            search.left = count
            next(deepening, None)
            return count - search.left

        return search, spend(run, nodes, ms)


def share_of(score: int) -> float:
    """The share of the win that a score stands for."""
    steps = (score + STEP // 2) // STEP
    return round(0.5 + steps / (2 * STEPS), 6)
