"""Minimax with alpha-beta and chance nodes, one player against all others: for expectimax, paranoid and brs.

It keeps only the path to the current position and, for each row of it, the last move that caused a cutoff. Values are
shares of the root player, who maximizes them while all others minimize them, no matter who moves next. It prunes as
alpha-beta does where a player moves, and by Star1 at chance nodes (see expectimax.py).

With `replies`, only one opponent, any of them, answers a move of the root player; the others pass. The stack lives in
arrays, so that a search can be suspended after any node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiler import compiled
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.search.multiplayer import (
    DONE,
    HERO,
    NODES,
    RANKING,
    ROW,
    SEATS,
    LineStack,
    SearchKernel,
    draw_unseen,
    note,
    value_leaf,
)
from kibitz.search.negamax import bring_forward

LOWEST, HIGHEST = 0.0, 1.0  # all shares are within these bounds …
BELOW, ABOVE = -1.0, 2.0  # … and strictly within these
NONE = -1


def frame(game: Game, repliers: int) -> np.dtype:
    """The record of one position on the current path."""
    widest = max(game.max_moves * repliers, game.max_outcomes)
    return np.dtype(
        [
            ("alpha", "f8"),  # what the root player is guaranteed, here or higher up
            ("beta", "f8"),  # the most that the others will allow
            ("value", "f8"),  # the best so far; at a chance node, the sum so far
            ("left", "f8"),  # at a chance node, the probability of the outcomes still to come
            ("depth", "i8"),  # moves left to the horizon
            ("events", "i8"),  # outcomes drawn on the path to here
            ("replier", "i8"),  # who has answered the root player's last move; NONE: nobody yet
            ("killer", "i8"),  # the last move in this row that caused a cutoff
            ("count", "i8"),  # moves or outcomes …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("moves", "i8", widest),  # a reply out of turn is stored as the move + actions · (1 + who makes it)
            ("odds", "f8", max(game.max_outcomes, 1)),
        ]
    )


def kernel(game: Game, replies: Any) -> SearchKernel:
    """The search of one world; `replies` is True for best-reply search, else None."""
    repliers = max(game.players, SEATS) - 1 if replies else 1
    return SearchKernel(frame(game, repliers), {"alpha": BELOW, "beta": ABOVE, "value": BELOW}, work, replies)


@compiled
def work(game: Any, stack: LineStack, replies: Any, limit: int) -> int:
    """Search up to `limit` nodes; return how many."""
    states, frames, place = stack.states, stack.frames, stack.place
    row = place[ROW]
    before = place[NODES]
    while True:
        f = frames[row]
        turn = states[row].turn
        if f.next == f.count or is_decided(f, turn):
            if row == 0:
                place[DONE] = 1
                break
            if turn != CHANCE and f.next < f.count:
                f.killer = f.moves[f.next - 1]
            value = bound(f) if turn == CHANCE else f.value
            row -= 1
            back_up(stack, row, value)
            continue
        if place[NODES] - before == limit:
            break
        place[NODES] += 1
        states[row + 1] = states[row]
        s = states[row + 1]
        mover = play_next(game, s, f, replies)
        child = frames[row + 1]
        child.events = draw_unseen(game, s, stack, f.events)
        child.depth = f.depth if turn == CHANCE else f.depth - 1
        child.replier = f.replier if turn == CHANCE else NONE if mover == place[HERO] else mover
        hand_back(game, s, child.replier, place[HERO], replies)
        at_horizon = child.depth == 0 and not awaits_outcome(s, stack.leaf_values)
        if s.turn == OVER or at_horizon or row + 2 == len(frames):
            value_leaf(game, s, stack)
            back_up(stack, row, stack.shares[place[HERO]])
        else:
            row += 1
            open_frame(game, stack, row, turn, replies)
    place[ROW] = row
    return place[NODES] - before


@compiled
def awaits_outcome(s: Any, leaf_values: Any) -> bool:
    """Whether a position must be searched beyond the horizon: leaf values are for positions in which a player acts."""
    return leaf_values is not None and s.turn == CHANCE


@compiled
def play_next(game: Any, s: Any, f: Any, replies: Any) -> int:
    """Play the next move of a frame in a copy of its position; return who made it."""
    mover, move = s.turn, f.moves[f.next]
    f.next += 1
    if replies is not None and mover != CHANCE and move >= game.actions:
        mover = move // game.actions - 1
        move = move % game.actions
        game.reply(s, mover)
    game.play(s, move)
    return mover


@compiled
def hand_back(game: Any, s: Any, replier: int, hero: int, replies: Any) -> None:
    """Once one opponent has answered, let the others pass if they can."""
    if replies is not None and replier != NONE and s.turn >= 0 and s.turn != hero and s.turn != replier:
        game.reply(s, hero)


@compiled
def open_frame(game: Any, stack: LineStack, row: int, turn: int, replies: Any) -> None:
    """Start the search of the position in a row, reached by a move or, if `turn` is CHANCE, by an outcome."""
    f, parent, s = stack.frames[row], stack.frames[row - 1], stack.states[row]
    ranks = row == 1 and stack.place[RANKING]
    f.alpha, f.beta = (BELOW, ABOVE) if ranks else (parent.alpha, parent.beta)
    if turn == CHANCE:  # the window in which this outcome can still bring the average into the parent's
        p = parent.odds[parent.next - 1]
        rest = parent.left - p
        f.alpha = max(LOWEST, (parent.alpha - parent.value - rest * HIGHEST) / p)
        f.beta = min(HIGHEST, (parent.beta - parent.value - rest * LOWEST) / p)
    f.next = 0
    if s.turn == CHANCE:
        f.count = game.chances(s, f.moves, f.odds)
        f.value = 0.0
        f.left = 1.0
        return
    f.count = game.moves(s, f.moves)
    f.value = ABOVE
    if s.turn == stack.place[HERO]:
        f.value = BELOW
    elif f.replier == NONE:
        add_replies(game, stack, row, replies)
    bring_forward(f, f.killer)


@compiled
def add_replies(game: Any, stack: LineStack, row: int, replies: Any) -> None:
    """Add the moves that the other opponents could make if it were their turn."""
    if replies is not None:
        f, states = stack.frames[row], stack.states
        spare = len(states) - 1
        s = states[spare]
        for player in range(game.players):
            if player != stack.place[HERO] and player != states[row].turn:
                states[spare] = states[row]
                if game.reply(s, player):
                    for i in range(game.moves(s, stack.moves)):
                        f.moves[f.count] = stack.moves[i] + game.actions * (1 + player)
                        f.count += 1


@compiled
def back_up(stack: LineStack, row: int, value: float) -> None:
    """Back up the value of the child just searched to its parent."""
    f, turn, place = stack.frames[row], stack.states[row].turn, stack.place
    if turn == CHANCE:
        p = f.odds[f.next - 1]
        f.value += p * value
        f.left -= p
        if f.next == f.count:
            f.left = 0.0
    elif turn == place[HERO]:
        if row == 0:
            note(stack, f.next - 1, value if value > f.value or place[RANKING] else -1.0)
        f.value = max(f.value, value)
        f.alpha = max(f.alpha, value)
    else:
        f.value = min(f.value, value)
        f.beta = min(f.beta, value)


@compiled
def is_decided(f: Any, turn: int) -> bool:
    """Whether the remaining moves or outcomes cannot matter."""
    if turn == CHANCE:
        return f.value + f.left * HIGHEST <= f.alpha or f.value + f.left * LOWEST >= f.beta
    return f.next > 0 and f.alpha >= f.beta


@compiled
def bound(f: Any) -> float:
    """The value of a chance node: the average or, after a cutoff, a bound outside the window."""
    return f.value + f.left * (HIGHEST if f.value + f.left * HIGHEST <= f.alpha else LOWEST)
