"""One against all: alpha-beta in which the others are one side, for expectimax, paranoid and brs.

It keeps nothing but the path to the position it looks at, and for each row of it the move that cut a search short last.
Values are the share of the player to move at the root: that player wants them high, all others low, whoever they are,
and it makes no difference who moves next. What no longer matters is left out: as in alpha-beta where a player moves, as
in Star1 where chance acts (expectimax.py tells both).

With `replies`, only one of the others answers a move of the root's player, any of them; the rest pass. The stack lives
in arrays, to be worked off in slices of any size.
"""

from __future__ import annotations

from typing import Any

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
    Stack,
    draw_unseen,
    note,
    value_leaf,
)
from kibitz.search.negamax import bring_forward

LOWEST, HIGHEST = 0.0, 1.0  # no share is beyond these …
BELOW, ABOVE = -1.0, 2.0  # … and these are
NONE = -1


def frame(game: Game, repliers: int) -> np.dtype:
    """The record of one position on the way to the one being looked at."""
    widest = max(game.max_moves * repliers, game.max_outcomes)
    return np.dtype(
        [
            ("alpha", "f8"),  # the root's player has so much for sure, here or higher up
            ("beta", "f8"),  # the others will not let it be more
            ("value", "f8"),  # the best so far; where chance acts, the sum so far
            ("left", "f8"),  # where chance acts, the probability of the outcomes still to come
            ("depth", "i8"),  # moves left to the horizon
            ("events", "i8"),  # so many outcomes were drawn on the way here
            ("replier", "i8"),  # who has answered the last move of the root's player; NONE: nobody yet
            ("killer", "i8"),  # the last move in this row after which no other mattered
            ("count", "i8"),  # moves or outcomes …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("moves", "i8", widest),  # with replies: the move + actions · (1 + who makes it, if out of turn)
            ("odds", "f8", max(game.max_outcomes, 1)),
        ]
    )


def kernel(game: Game, replies: Any) -> Kernel:
    """The search of one world; `replies` is True for best-reply search, else None."""
    repliers = max(game.players, SEATS) - 1 if replies else 1
    return Kernel(frame(game, repliers), {"alpha": BELOW, "beta": ABOVE, "value": BELOW}, work, replies)


@compiled
def work(game: Any, stack: Stack, replies: Any, limit: int) -> int:
    """Look at up to `limit` positions; return at how many."""
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
            take_in(stack, row, value)
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
        if s.turn == OVER or child.depth == 0 or row + 2 == len(frames):
            value_leaf(game, s, stack)
            take_in(stack, row, stack.shares[place[HERO]])
        else:
            row += 1
            open_frame(game, stack, row, turn, replies)
    place[ROW] = row
    return place[NODES] - before


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
    """Once one of the others has answered, let the rest pass, if they can."""
    if replies is not None and replier != NONE and s.turn >= 0 and s.turn != hero and s.turn != replier:
        game.reply(s, hero)


@compiled
def open_frame(game: Any, stack: Stack, row: int, turn: int, replies: Any) -> None:
    """Begin with the position of a row, after a move or, where `turn` is CHANCE, after an outcome."""
    f, parent, s = stack.frames[row], stack.frames[row - 1], stack.states[row]
    ranks = row == 1 and stack.place[RANKING]
    f.alpha, f.beta = (BELOW, ABOVE) if ranks else (parent.alpha, parent.beta)
    if turn == CHANCE:  # the window in which this outcome still can bring the average into that of its parent
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
def add_replies(game: Any, stack: Stack, row: int, replies: Any) -> None:
    """Add what others than the player to move could answer, were it their turn."""
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
def take_in(stack: Stack, row: int, value: float) -> None:
    """Add the value of the child just searched to what is known of its parent."""
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
    """Whether the rest cannot matter."""
    if turn == CHANCE:
        return f.value + f.left * HIGHEST <= f.alpha or f.value + f.left * LOWEST >= f.beta
    return f.next > 0 and f.alpha >= f.beta


@compiled
def bound(f: Any) -> float:
    """The average where chance acts; where it was left undecided, the bound that is beyond the window."""
    return f.value + f.left * (HIGHEST if f.value + f.left * HIGHEST <= f.alpha else LOWEST)
