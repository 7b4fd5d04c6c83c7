"""MaxN: lookahead for any number of players, each of whom maximizes their own share.

It keeps the path to the current position and, for each position on it, the best vector of shares so far.
The player to move takes the move with the highest share for themselves (Luckhardt and Irani, "An Algorithmic Solution
of N-Person Games", 1986). Ties go to the move that leaves the root player least, then to the one with the lowest
number. At chance nodes the expectation is backed up.
It deepens iteratively until the budget is spent or every line ends the game. Chance, worlds and evaluations are handled
as in multiplayer.py.

Plain MaxN searches everything. If shares always sum to the same total (1, unless a game declares other utilities),
bounds on the shares of some players bound those of the others:

- `speculative`: on a path on which all movers differ, each is guaranteed their best share so far. Once these shares sum
  to more than the total, no value below will be accepted by all of them, and the last position is cut off. That may be
  premature: if the best value of a position in between turns out to be acceptable to all movers above it, what was cut
  off below is searched again (Sturtevant, "Last-Branch and Speculative Pruning Algorithms for Max^n", 2003; here for
  paths of any length). It finds the same values as plain MaxN with fewer nodes.
- `deep`: a position is cut off as soon as its mover and any player above are together guaranteed more than the total.
  With three or more players that can be wrong: the value cut off might never reach the player above, yet change what is
  chosen in between (Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games", 2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kibitz.compiler import compiled
from kibitz.players.options import option
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.search.multiplayer import (
    DONE,
    HERO,
    NODES,
    RANKING,
    ROW,
    SEATS,
    LineStack,
    MultiplayerSearch,
    SearchKernel,
    draw_unseen,
    note,
    value_leaf,
)
from kibitz.search.negamax import bring_forward

ROUNDING = 1e-9  # of sums of shares
NONE = -1


def frame(game: Game) -> np.dtype:
    """The record of one position on the current path."""
    seats = max(game.players, SEATS)
    return np.dtype(
        [
            ("best", "f8", seats),  # the shares after the best move so far; at a chance node, the sum so far
            ("move", "i8"),  # that move
            ("known", "i8"),  # whether there is one
            ("depth", "i8"),  # moves left to the horizon
            ("events", "i8"),  # outcomes drawn on the path to here
            ("killer", "i8"),  # the last move in this row that caused a cutoff
            ("count", "i8"),  # moves or outcomes …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("at", "i8"),  # the one being searched
            ("moves", "i8", max(game.max_moves, game.max_outcomes)),
            ("odds", "f8", max(game.max_outcomes, 1)),
            ("top", "i8"),  # the first of the rows above whose movers all differ and may refuse the value found here
            ("verdict", "i8"),  # NONE, or a row: some mover from there to here will refuse the value found here
            ("left", "i8", game.max_moves),  # moves postponed because a row above would refuse them …
            ("verdicts", "i8", game.max_moves),  # … these rows …
            ("postponed", "i8"),  # … their number …
            ("again", "i8"),  # … and how many of them have been, or are being, re-searched
            ("sure", "f8", seats),  # the share that each player is guaranteed higher up
        ]
    )


class Pruning(NamedTuple):
    """The kinds of pruning that are on: True, or None, so that numba compiles nothing for it."""

    speculative: Any
    deep: Any


@compiled
def work(game: Any, stack: LineStack, pruning: Pruning, limit: int) -> int:
    """Search up to `limit` nodes; return how many."""
    states, frames, place = stack.states, stack.frames, stack.place
    row = place[ROW]
    before = place[NODES]
    while True:
        f = frames[row]
        if f.next == f.count and not must_re_search(stack, row):
            if row == 0:
                place[DONE] = 1
                break
            row -= 1
            back_up(stack, row, f.best, f.verdict, pruning)
            continue
        if place[NODES] - before == limit:
            break
        place[NODES] += 1
        if f.next < f.count:
            f.at = f.next
            f.next += 1
        else:
            f.at = f.left[f.again]
            f.again += 1
        turn = states[row].turn
        states[row + 1] = states[row]
        s = states[row + 1]
        game.play(s, f.moves[f.at])
        child = frames[row + 1]
        child.events = draw_unseen(game, s, stack, f.events)
        child.depth = f.depth if turn == CHANCE else f.depth - 1
        if s.turn == OVER or child.depth == 0 or row + 2 == len(frames):
            value_leaf(game, s, stack)
            back_up(stack, row, stack.shares, NONE, pruning)
        else:
            row += 1
            open_frame(game, stack, row, pruning)
    place[ROW] = row
    return place[NODES] - before


@compiled
def open_frame(game: Any, stack: LineStack, row: int, pruning: Pruning) -> None:
    """Start the search of the position in a row."""
    f, s = stack.frames[row], stack.states[row]
    f.next = f.known = f.postponed = f.again = 0
    f.verdict = NONE
    f.best[:] = 0.0
    if s.turn == CHANCE:
        f.count = game.chances(s, f.moves, f.odds)
        f.known = 1
    else:
        f.count = game.moves(s, f.moves)
        bring_forward(f, f.killer)
    f.top = row
    find_top(stack, row, pruning.speculative)
    inherit(stack, row, pruning.deep)


# ------------------------------------------------------------------ backing up


@compiled
def back_up(stack: LineStack, row: int, shares: Any, verdict: int, pruning: Pruning) -> None:
    """Back up the value of the move being searched."""
    f, turn, place = stack.frames[row], stack.states[row].turn, stack.place
    if turn == CHANCE:
        for player in range(len(stack.shares)):
            f.best[player] += f.odds[f.at] * shares[player]
        return
    if row == 0:
        better = f.known == 0 or shares[turn] > f.best[turn]
        note(stack, f.at, shares[turn] if place[RANKING] or (verdict == NONE and better) else -1.0)
    if verdict != NONE:
        if verdict < row:  # a move that this row itself refuses is never chosen
            f.left[f.postponed] = f.at
            f.verdicts[f.postponed] = verdict
            f.postponed += 1
    elif f.known == 0 or is_better(shares, f.moves[f.at], f, turn, place[HERO]):
        f.known = 1
        f.move = f.moves[f.at]
        for player in range(len(stack.shares)):
            f.best[player] = shares[player]
        speculate(stack, row, pruning.speculative)
        prune_deep(stack, row, pruning.deep)


@compiled
def is_better(shares: Any, move: int, f: Any, turn: int, hero: int) -> bool:
    """Whether the mover prefers a move to the best so far."""
    if shares[turn] != f.best[turn]:
        return shares[turn] > f.best[turn]
    if shares[hero] != f.best[hero]:
        return shares[hero] < f.best[hero]
    return move < f.move


# ------------------------------------------------------------------ speculative pruning


@compiled
def find_top(stack: LineStack, row: int, speculative: Any) -> None:
    """Find the rows above that can refuse the value of this one: consecutive, with all movers different."""
    if speculative is not None:
        frames, states = stack.frames, stack.states
        parent, turn = frames[row - 1], states[row].turn
        if turn == CHANCE or states[row - 1].turn == CHANCE or (row == 1 and stack.place[RANKING]):
            return
        # A cutoff for the sake of rows above the parent does not pay if the position would be searched again.
        is_free = parent.again == 0 and not is_acceptable(stack, row - 1, parent.top)
        lowest = parent.top if is_free else row - 1
        f = frames[row]
        while f.top > lowest and states[f.top - 1].turn != turn:
            f.top -= 1


@compiled
def is_acceptable(stack: LineStack, row: int, top: int) -> bool:
    """Whether all movers from row `top` to the parent would accept the best value of a row."""
    f = stack.frames[row]
    if f.known == 0:
        return False
    for i in range(top, row):
        mover = stack.states[i].turn
        if f.best[mover] < guaranteed(stack.frames[i], mover):
            return False
    return True


@compiled
def guaranteed(f: Any, mover: int) -> float:
    """The share that a position guarantees its mover so far."""
    return f.best[mover] if f.known else 0.0


@compiled
def speculate(stack: LineStack, row: int, speculative: Any) -> None:
    """Cut off a position when the movers up to some row are guaranteed more than the total together."""
    if speculative is not None:
        f = stack.frames[row]
        claimed = 0.0
        for i in range(row, f.top - 1, -1):
            claimed += guaranteed(stack.frames[i], stack.states[i].turn)
            if claimed > stack.total + ROUNDING:
                f.verdict = i
                cut_off(f)
                return


@compiled
def cut_off(f: Any) -> None:
    f.killer = f.moves[f.at]
    f.next = f.count
    f.again = f.postponed


@compiled
def must_re_search(stack: LineStack, row: int) -> bool:
    """Whether a postponed move has to be searched after all; if not, the postponed moves may give a verdict.

    Each postponed move will be refused, by the mover here or by one between this row and that of its verdict. As long
    as the best move is not acceptable to all of these either, it does not matter which move that is.
    """
    f = stack.frames[row]
    if f.again == f.postponed:
        return False
    highest = row
    for i in range(f.again, f.postponed):
        highest = min(highest, f.verdicts[i])
    if is_acceptable(stack, row, highest):
        return True
    f.verdict = highest
    return False


# ------------------------------------------------------------------ deep pruning


@compiled
def inherit(stack: LineStack, row: int, deep: Any) -> None:
    """Record what each player is guaranteed above a row; below a chance node, that is nothing."""
    if deep is not None:
        f, parent, mover = stack.frames[row], stack.frames[row - 1], stack.states[row - 1].turn
        for player in range(len(stack.shares)):
            f.sure[player] = parent.sure[player] if mover != CHANCE else 0.0
        if mover != CHANCE and parent.known and not (row == 1 and stack.place[RANKING]):
            f.sure[mover] = max(f.sure[mover], parent.best[mover])


@compiled
def prune_deep(stack: LineStack, row: int, deep: Any) -> None:
    """Cut off a position when its mover and some player above are guaranteed more than the total together."""
    if deep is not None:
        f, mover = stack.frames[row], stack.states[row].turn
        for player in range(len(stack.shares)):
            if player != mover and f.sure[player] + f.best[mover] > stack.total + ROUNDING:
                cut_off(f)
                return


@dataclass
class MaxN(MultiplayerSearch):
    """Looks ahead for any number of players, with or without chance; each maximizes their own share."""

    name: ClassVar[str] = "maxn"

    speculative: bool = option(False)  # prune what some player on the path will refuse; same result, fewer nodes
    deep: bool = option(False)  # prune more, at the risk of a wrong result

    def option_misfit(self, game: Game) -> str | None:
        if (self.speculative or self.deep) and not game.is_constant_sum:
            return "its utilities have no constant sum to prune by; leave out speculative= and deep=."
        return super().option_misfit(game)

    def _kernel(self, game: Game) -> SearchKernel:
        return SearchKernel(frame(game), {}, work, Pruning(self.speculative or None, self.deep or None))
