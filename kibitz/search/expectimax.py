"""Expectimax: what a position of a two-player game with chance is worth, looked at to a fixed depth.

It keeps nothing but the path to the position it looks at.
It tries every move and every outcome of chance. Depth is counted in moves; chance takes none.
It backs up the best for who is to move, and the average by the exact odds where chance acts; at the horizon it asks the
game's evaluation. It leaves out what no longer matters: as in alpha-beta where a player moves, and where chance acts
when the outcomes still to come, be they won or lost, cannot bring the average back into the window (Star1). Probing one
answer to each outcome first (Star2) pays where there are many; in Ur, with two or three, it doubles the work.
It stops when the depth is searched.
Michie 1966; Ballard 1983 (Star1 and Star2).

Values are player 0's share of the win, which player 0 wants high and player 1 low. So it makes no difference who moves
next, and a player may move twice. The stack lives in arrays, to be worked off in slices of any size.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import WOULD_PEEK, Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, mode, native, numbers, records
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.search.budget import spend
from kibitz.state import Cells
from kibitz.table import View

LOWEST, HIGHEST = 0.0, 1.0  # no value is beyond these …
BELOW, ABOVE = -1.0, 2.0  # … and these are
EVEN = 0.5  # at the horizon of a game without an evaluation
DEEPEST = 100


def frame(game: Game) -> np.dtype:
    """The record of one position on the way to the one being looked at."""
    widest = max(game.max_moves, game.max_outcomes)
    return np.dtype(
        [
            ("alpha", "f8"),  # player 0 has so much for sure, here or higher up
            ("beta", "f8"),  # player 1 will not let it be more
            ("value", "f8"),  # the best so far; where chance acts, the sum so far
            ("left", "f8"),  # where chance acts, the probability of the outcomes still to come
            ("depth", "i8"),  # moves left to the horizon
            ("count", "i8"),  # moves or outcomes …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("moves", "i8", widest),
            ("odds", "f8", max(game.max_outcomes, 1)),
        ]
    )


class Stack(NamedTuple):
    """All that a search works on. Row i of states and frames is the position i steps from the root."""

    states: Any
    frames: Any
    shares: Any
    guesses: Any  # None when the game has no evaluation
    place: Any  # [the current row, the positions looked at, how many of them were guessed at]


ROW, NODES, GUESSES = 0, 1, 2


@compiled
def begin(stack: Stack, move: int, depth: int, alpha: float, beta: float) -> None:
    """Set out to value one move in states[0]."""
    root = stack.frames[0]
    root.alpha, root.beta = alpha, beta
    root.value = BELOW if stack.states[0].turn == 0 else ABOVE
    root.depth = depth
    root.moves[0] = move
    root.count = 1
    root.next = 0
    stack.place[:] = 0


@compiled
def work(game: Any, stack: Stack, limit: int) -> int:
    """Look at up to `limit` positions; return at how many. Back at row 0, its frame done, the search is over."""
    states, frames, place = stack.states, stack.frames, stack.place
    row = place[ROW]
    before = place[NODES]
    while True:
        f = frames[row]
        if f.next == f.count or is_decided(f, states[row].turn):
            if row == 0:
                break
            value = bound(f) if states[row].turn == CHANCE else f.value
            row -= 1
            take_in(frames[row], states[row].turn, value)
            continue
        if place[NODES] - before == limit:
            break
        place[NODES] += 1
        states[row + 1] = states[row]
        s = states[row + 1]
        game.play(s, f.moves[f.next])
        f.next += 1
        depth = f.depth if states[row].turn == CHANCE else f.depth - 1
        if s.turn == OVER:
            game.payoff(s, stack.shares)
            take_in(f, states[row].turn, stack.shares[0])
        elif depth == 0:
            place[GUESSES] += 1
            take_in(f, states[row].turn, guess(game, s, stack.guesses))
        else:
            open_frame(game, s, frames[row + 1], f, states[row].turn, depth)
            row += 1
    place[ROW] = row
    return place[NODES] - before


@compiled
def open_frame(game: Any, s: Any, child: Any, f: Any, turn: int, depth: int) -> None:
    """Begin with a position, whose parent's frame is f."""
    child.alpha, child.beta = f.alpha, f.beta
    if turn == CHANCE:  # the window in which this outcome still can bring the average into that of its parent
        p = f.odds[f.next - 1]
        rest = f.left - p
        child.alpha = max(LOWEST, (f.alpha - f.value - rest * HIGHEST) / p)
        child.beta = min(HIGHEST, (f.beta - f.value - rest * LOWEST) / p)
    child.depth = depth
    child.next = 0
    if s.turn == CHANCE:
        child.count = game.chances(s, child.moves, child.odds)
        child.value = 0.0
        child.left = 1.0
    else:
        child.count = game.moves(s, child.moves)
        child.value = BELOW if s.turn == 0 else ABOVE


@compiled
def take_in(f: Any, turn: int, value: float) -> None:
    """Add the value of the child just searched to what is known of its parent."""
    if turn == CHANCE:
        p = f.odds[f.next - 1]
        f.value += p * value
        f.left -= p
        if f.next == f.count:
            f.left = 0.0
    elif turn == 0:
        f.value = max(f.value, value)
        f.alpha = max(f.alpha, value)
    else:
        f.value = min(f.value, value)
        f.beta = min(f.beta, value)


@compiled
def is_decided(f: Any, turn: int) -> bool:
    """Whether the rest cannot matter."""
    if turn == CHANCE:
        return f.value + f.left * HIGHEST <= f.alpha or f.value + f.left * LOWEST >= f.beta
    return f.next > 0 and f.alpha >= f.beta


@compiled
def bound(f: Any) -> float:
    """The average where chance acts; where it was left undecided, the bound that is beyond the window."""
    return f.value + f.left * (HIGHEST if f.value + f.left * HIGHEST <= f.alpha else LOWEST)


@compiled
def guess(game: Any, s: Any, guesses: Any) -> float:
    """The value of a position at the horizon."""
    if guesses is None:
        return EVEN
    game.evaluate(s, guesses)
    return guesses[0]


@dataclass
class Expectimax(Searcher):
    """Looks a number of moves ahead, all outcomes of chance with their exact odds; for two players, nothing hidden."""

    depth: int = 2  # moves to look ahead, one's own first

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise SpecError(f"expectimax needs a depth from 1 to {DEEPEST}.")
        self._search: _Search | None = None

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
        if search is None or search.game is not view.game or search.mode != mode():
            search = self._search = _Search(view.game)
        search.stack.states[0] = native(view.state)
        found: list[Ranked] = []
        alpha, beta = BELOW, ABOVE
        for move in view.moves:
            value, nodes, exact = search.value(move, self.depth, alpha, beta)
            found.append(Ranked(move, value if view.player == 0 else 1 - value, nodes, exact, line=(move,)))
            if not ranking:
                alpha, beta = (max(alpha, value), beta) if view.player == 0 else (alpha, min(beta, value))
        best_first = sorted(found, key=lambda ranked: -ranked.value)
        ranked = tuple(best_first if ranking else best_first[:1])  # of the others only bounds are known
        nodes = sum(r.visits for r in found)
        return Report(ranked, nodes, "nodes", self.depth, time.perf_counter() - start)


class _Search:
    """The work space of a search."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.mode = mode()
        rows = game.max_plies + 2  # chance may act any number of times between two moves
        frames = np.zeros(rows, frame(game))
        self.root = frames[0]
        self.stack = Stack(
            states=records(rows, game.dtype),
            frames=Cells(frames) if is_plain() else frames,
            shares=numbers(2, "f8"),
            guesses=numbers(2, "f8") if type(game).defines("evaluate") else None,
            place=numbers(3, "i8"),
        )
        self.work = work.bind(game, self.stack, 1)  # type: ignore[attr-defined]

    def value(self, move: int, depth: int, alpha: float, beta: float) -> tuple[float, int, bool]:
        """What a move in states[0] is worth, a bound when that is outside the window; the nodes; if it is proven."""
        begin(self.stack, move, depth, alpha, beta)
        nodes = spend(lambda limit: self.work(self.game, self.stack, limit))
        return float(self.root["value"]), nodes, not self.stack.place[GUESSES]
