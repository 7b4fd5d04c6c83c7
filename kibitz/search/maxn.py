"""MaxN: what a position of a game for any number of players is worth, if each plays for nobody but themselves.

It keeps the path to the position it looks at, and at each position on it the best vector of shares so far.
Whoever is to move takes the move with the highest share of their own (Luckhardt and Irani, "An Algorithmic Solution of
N-Person Games", 1986). Of moves equal to them, the one is expected that leaves the root's player least, then the one
with the lowest number. Where chance acts, the average counts.
It looks ever deeper until the budget is spent or nothing is left to guess. Chance, worlds and evaluations are as in
lookahead.py.

Plain MaxN looks at everything. Shares sum to 1, so that bounds on what some players get are bounds for the others:

- `speculative`: on a path of positions in which all movers differ, each can be sure of their best so far. When these
  shares sum to more than 1, nothing below will be accepted by all of them, and the last position is left. That need not
  be the end of it: should the best of a position in between turn out to be welcome to all above it, what was left below
  is searched again (Sturtevant, "Last-Branch and Speculative Pruning Algorithms for Max^n", 2003; here for paths of
  any length). It finds the same as plain MaxN with fewer nodes.
- `deep`: a position is left as soon as its mover and any player above have more than 1 together. With three or
  more players that can be wrong: what would have been found may not reach the player above, but it may change what is
  chosen in between (Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games", 2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kibitz.compiled import compiled
from kibitz.game import CHANCE, OVER, Game
from kibitz.search.lookahead import (
    DONE,
    HERO,
    NODES,
    RANKING,
    ROW,
    SEATS,
    Kernel,
    Lookahead,
    Stack,
    draw_unseen,
    note,
    value_leaf,
)
from kibitz.search.negamax import bring_forward

TOO_MUCH = 1.0 + 1e-9  # for all shares together, whatever was rounded
NONE = -1


def frame(game: Game) -> np.dtype:
    """The record of one position on the way to the one being looked at."""
    seats = max(game.players, SEATS)
    return np.dtype(
        [
            ("best", "f8", seats),  # the shares after the best move so far; where chance acts, their sum
            ("move", "i8"),  # that move
            ("known", "i8"),  # whether there is one
            ("depth", "i8"),  # moves left to the horizon
            ("events", "i8"),  # so many outcomes were drawn on the way here
            ("killer", "i8"),  # the last move in this row after which no other mattered
            ("count", "i8"),  # moves or outcomes …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("at", "i8"),  # the one being searched
            ("moves", "i8", max(game.max_moves, game.max_outcomes)),
            ("odds", "f8", max(game.max_outcomes, 1)),
            ("top", "i8"),  # from this row down to here all movers differ, and what is left here they may leave, too
            ("verdict", "i8"),  # NONE, or the row from which on one of the movers will refuse what is found here
            ("left", "i8", game.max_moves),  # moves that some row above the one before would refuse …
            ("verdicts", "i8", game.max_moves),  # … those rows …
            ("postponed", "i8"),  # … how many they are …
            ("again", "i8"),  # … and how many of them were searched again, or are
            ("sure", "f8", seats),  # what each player has for sure higher up
        ]
    )


class Pruning(NamedTuple):
    """What may be left out: True, or None, so that numba compiles nothing for it."""

    speculative: Any
    deep: Any


@compiled
def work(game: Any, stack: Stack, pruning: Pruning, limit: int) -> int:
    """Look at up to `limit` positions; return at how many."""
    states, frames, place = stack.states, stack.frames, stack.place
    row = place[ROW]
    before = place[NODES]
    while True:
        f = frames[row]
        if f.next == f.count and not must_look_again(stack, row):
            if row == 0:
                place[DONE] = 1
                break
            row -= 1
            take_in(stack, row, f.best, f.verdict, pruning)
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
            take_in(stack, row, stack.shares, NONE, pruning)
        else:
            row += 1
            open_frame(game, stack, row, pruning)
    place[ROW] = row
    return place[NODES] - before


@compiled
def open_frame(game: Any, stack: Stack, row: int, pruning: Pruning) -> None:
    """Begin with the position of a row."""
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
    look_up(stack, row, pruning.speculative)
    inherit(stack, row, pruning.deep)


# ------------------------------------------------------------------ what was found


@compiled
def take_in(stack: Stack, row: int, shares: Any, verdict: int, pruning: Pruning) -> None:
    """Add what was found of the move being searched to what is known of its position."""
    f, turn, place = stack.frames[row], stack.states[row].turn, stack.place
    if turn == CHANCE:
        for player in range(len(stack.shares)):
            f.best[player] += f.odds[f.at] * shares[player]
        return
    if row == 0:
        better = f.known == 0 or shares[turn] > f.best[turn]
        note(stack, f.at, shares[turn] if place[RANKING] or (verdict == NONE and better) else -1.0)
    if verdict != NONE:
        if verdict < row:  # one that this row refuses will never be chosen
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
def look_up(stack: Stack, row: int, speculative: Any) -> None:
    """Find the rows above that can refuse what is found in this one: consecutive, and all movers different."""
    if speculative is not None:
        frames, states = stack.frames, stack.states
        parent, turn = frames[row - 1], states[row].turn
        if turn == CHANCE or states[row - 1].turn == CHANCE or (row == 1 and stack.place[RANKING]):
            return
        # To leave the position for the sake of rows above the parent does not pay where it would be searched again.
        is_free = parent.again == 0 and not is_welcome(stack, row - 1, parent.top)
        lowest = parent.top if is_free else row - 1
        f = frames[row]
        while f.top > lowest and states[f.top - 1].turn != turn:
            f.top -= 1


@compiled
def is_welcome(stack: Stack, row: int, top: int) -> bool:
    """Whether the best of a row would be accepted by all movers from row `top` to the one before."""
    f = stack.frames[row]
    if f.known == 0:
        return False
    for i in range(top, row):
        mover = stack.states[i].turn
        if f.best[mover] < sure_of(stack.frames[i], mover):
            return False
    return True


@compiled
def sure_of(f: Any, mover: int) -> float:
    """What the mover can be sure of in a position."""
    return f.best[mover] if f.known else 0.0


@compiled
def speculate(stack: Stack, row: int, speculative: Any) -> None:
    """Leave a position when what its movers up to some row are sure of is more than there is."""
    if speculative is not None:
        f = stack.frames[row]
        total = 0.0
        for i in range(row, f.top - 1, -1):
            total += sure_of(stack.frames[i], stack.states[i].turn)
            if total > TOO_MUCH:
                f.verdict = i
                leave(f)
                return


@compiled
def leave(f: Any) -> None:
    f.killer = f.moves[f.at]
    f.next = f.count
    f.again = f.postponed


@compiled
def must_look_again(stack: Stack, row: int) -> bool:
    """Whether a move that was left has to be searched after all; if not, what was left may give a verdict.

    Each of the moves that were left will be refused, by the mover here or by one between this row and that of its
    verdict. As long as the best is not welcome to all of these either, it does not matter which it is.
    """
    f = stack.frames[row]
    if f.again == f.postponed:
        return False
    highest = row
    for i in range(f.again, f.postponed):
        highest = min(highest, f.verdicts[i])
    if is_welcome(stack, row, highest):
        return True
    f.verdict = highest
    return False


# ------------------------------------------------------------------ deep pruning


@compiled
def inherit(stack: Stack, row: int, deep: Any) -> None:
    """Note what each player has for sure above a row; behind chance nothing is."""
    if deep is not None:
        f, parent, mover = stack.frames[row], stack.frames[row - 1], stack.states[row - 1].turn
        for player in range(len(stack.shares)):
            f.sure[player] = parent.sure[player] if mover != CHANCE else 0.0
        if mover != CHANCE and parent.known and not (row == 1 and stack.place[RANKING]):
            f.sure[mover] = max(f.sure[mover], parent.best[mover])


@compiled
def prune_deep(stack: Stack, row: int, deep: Any) -> None:
    """Leave a position when its mover and some player above have more than there is."""
    if deep is not None:
        f, mover = stack.frames[row], stack.states[row].turn
        for player in range(len(stack.shares)):
            if player != mover and f.sure[player] + f.best[mover] > TOO_MUCH:
                leave(f)
                return


@dataclass
class MaxN(Lookahead):
    """Looks ahead for any number of players, chance or not: each is expected to take what is best for themselves."""

    name: ClassVar[str] = "maxn"

    speculative: bool = False  # leave out what some player on the way will refuse; the same result with fewer nodes
    deep: bool = False  # leave out more, at the risk of a wrong result

    def _kernel(self, game: Game) -> Kernel:
        return Kernel(frame(game), {}, work, Pruning(self.speculative or None, self.deep or None))
