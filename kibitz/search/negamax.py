"""Principal variation search on an explicit stack: what alphabeta deepens.

It keeps a transposition table of the positions searched so far, each with its value or a bound, and its best move.
It searches the table's move first; then, if need be, moves that win at once, then the rest by evaluation, or by killer
moves and history. Later moves are first tested with a null window (Reinefeld 1989) and, on request, at a depth that is
reduced, the more so the worse the evaluation of the move is.
Beyond the horizon it can go on with noisy moves alone (quiescence search), where the player to move may also stop.
It backs up the best child's score; a result that rests on finished games, not on the horizon, is marked as proven.
The stack lives in arrays, so that the search can be suspended after any node and still give the same result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers, records
from kibitz.rules.contract import OVER, Game
from kibitz.search.scores import INFINITE, STEP, WIN, Horizon, final_score, guess, shifted
from kibitz.search.transposition_table import AT_LEAST, AT_MOST, ENTRY, EXACT, find, place_for, position_key

PROVEN = 1 << 14  # the depth of an entry that was searched to the end of the game
AS_DEEP, IN_FULL = 1, 2  # how a move is searched again: with a null window at full depth, or with the full window
KILLER, SECOND_KILLER = 1 << 42, 1 << 41  # priorities, above history and evaluation
MOST_HISTORY, MOST_WEIGHT = 1 << 14, 1200  # history stays within ±MOST_HISTORY
BEHIND, FAR_BEHIND = WIN // 80, WIN // 25  # late moves that lose so much are reduced by a ply more, or by two


def frame(max_moves: int) -> np.dtype:
    """The record of one position on the current path."""
    return np.dtype(
        [
            ("key", "u8"),
            ("alpha", "i8"),  # what the mover is guaranteed, here or higher up
            ("beta", "i8"),  # what the opponent will allow: a score of beta or more is a cutoff
            ("floor", "i8"),  # the initial alpha
            ("best", "i8"),  # the highest score so far
            ("move", "i8"),  # and its move
            ("depth", "i8"),  # plies left to the horizon; 0 or less beyond it
            ("count", "i8"),  # legal moves …
            ("next", "i8"),  # … and how many of them are done or being searched
            ("ordered", "i8"),  # whether they have priorities; until then the first one is searched first
            ("scouting", "i8"),  # the current move is searched with a null window
            ("again", "i8"),  # AS_DEEP or IN_FULL: the test said that it is better; search it again
            ("reduced", "i8"),  # plies by which the current move is reduced
            ("proven", "i8"),  # whether the best score was searched to the end of the game
            ("unproven", "i8"),  # number of scores that were not
            ("began", "i8"),  # the node count when the frame was opened
            ("killers", "i8", 2),  # the last two refutations among the siblings of this position
            ("moves", "i8", max_moves),
            ("priority", "i8", max_moves),  # the higher, the earlier a move is searched
        ]
    )


class NegamaxStack(NamedTuple):
    """The memory of a search. Row i of states and frames is the position i plies from the root."""

    states: Any
    words: Any  # the same memory as words, for hashing
    public: int  # number of words of a row that make up the position
    keyed: Any  # None if the game has no key of its own
    by: Horizon
    shares: Any
    frames: Any
    history: Any  # how much more often than not a player's move was a refutation, lately and weighted by depth
    table: Any
    place: Any  # the current ply, the nodes so far, the number of the search
    late: int  # full-depth moves before late move reductions; 0: no reductions
    quiet: int  # plies of noisy moves beyond the horizon
    noisy: Any  # None if the game does not say which moves are noisy
    tried_from: int  # from this depth on, moves are tried out, to be ordered by evaluation


PLY, NODES, AGE = 0, 1, 2


def new_stack(
    game: Game, deepest: int, entries: int, by: Horizon, late: int = 0, quiet: int = 0, tried_from: int = 2
) -> NegamaxStack:
    """A stack for searches of up to `deepest` plies, and `quiet` plies of noisy moves, with an empty table."""
    rules = type(game)
    rows = deepest + quiet + 3
    states = np.zeros(rows, game.dtype)
    return NegamaxStack(
        states=as_buffer(states),
        words=as_buffer(states.view("u8").reshape(rows, -1)),
        public=game.public_words,
        keyed=True if rules.defines("key") else None,
        by=by,
        shares=numbers(2, "f8"),
        frames=as_buffer(np.zeros(rows, frame(game.max_moves))),
        history=numbers((2, game.actions), "i8"),
        table=records(entries, ENTRY),
        place=numbers(3, "i8"),
        late=late,
        quiet=quiet,
        noisy=True if rules.defines("noisy_moves") else None,
        tried_from=tried_from,
    )


@compiled
def work(game: Any, stack: NegamaxStack, limit: int) -> int:
    """Search up to `limit` nodes, one per move; return how many. Once it is back at ply 0, the search is done."""
    states, frames, table, shares, place = stack.states, stack.frames, stack.table, stack.shares, stack.place
    ply = place[PLY]
    before = place[NODES]
    while True:
        f = frames[ply]
        exact = False
        if f.best >= f.beta or (f.next == f.count and f.again == 0):
            if ply == 0:
                break
            proven = is_proven(f)
            if f.depth > 0:
                close(f, states[ply].turn, shifted(f.best, -ply), proven, table, stack.history, place)
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
                if not f.ordered and f.next > 0:
                    order_moves(game, stack, ply)
                place[NODES] += 1
                states[ply + 1] = states[ply]
                game.play(states[ply + 1], next_move(f))
            s = states[ply + 1]
            if s.turn == OVER:
                game.normalized_payoff(s, shares)
                score = final_score(shares[mover], ply + 1)
                exact = proven = True
            else:
                f.scouting = 1 if f.best > -INFINITE and f.again != IN_FULL else 0
                f.reduced = reduction(f, stack.late, is_tried(f, stack)) if f.scouting and f.again == 0 else 0
                f.again = 0
                depth = f.depth - 1 - f.reduced
                low, high = f.alpha, f.alpha + 1 if f.scouting else f.beta
                sign = 1
                if s.turn != mover:
                    low, high, sign = -high, -low, -1
                if depth <= 0:
                    score = guess(game, s, mover, stack.by)
                    if depth > -stack.quiet and sign * score < high and goes_on(game, stack, ply + 1, stack.noisy):
                        ply += 1
                        open_frame(frames[ply], 0, low, high, depth, place[NODES])
                        stand_pat(frames[ply], sign * score)
                        continue
                    exact = True
                    proven = False
                else:
                    key = position_key(game, s, stack.words, ply + 1, stack.public, stack.keyed)
                    at = find(table, key)
                    usable = at >= 0 and table[at].depth >= depth
                    if usable:
                        score = shifted(table[at].score, ply + 1)
                        exact = table[at].bound == EXACT
                        usable = exact or (score >= high if table[at].bound == AT_LEAST else score <= low)
                        proven = table[at].depth == PROVEN
                        score *= sign
                    if not usable:
                        ply += 1
                        child = frames[ply]
                        open_frame(child, key, low, high, depth, place[NODES])
                        child.count = game.moves(s, child.moves)
                        frames[ply + 1].killers[0] = frames[ply + 1].killers[1] = -1
                        if at < 0 or not bring_forward(child, table[at].move):
                            order_moves(game, stack, ply)
                        continue
        # The score of the current move is known, or a bound on it.
        if f.reduced and score > f.alpha:
            f.again = AS_DEEP
            continue
        if f.scouting and not exact and f.alpha < score < f.beta:
            f.again = IN_FULL
            continue
        f.scouting = f.reduced = 0
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
    """Start the search of a position."""
    f.key = key
    f.alpha = f.floor = alpha
    f.beta = beta
    f.best = -INFINITE
    f.move = -1
    f.depth = depth
    f.next = f.ordered = f.scouting = f.again = f.reduced = f.proven = f.unproven = 0
    f.began = nodes


@compiled
def goes_on(game: Any, stack: NegamaxStack, ply: int, noisy: Any) -> bool:
    """List the noisy moves of a position beyond the horizon; return whether there are any."""
    f, s = stack.frames[ply], stack.states[ply]
    f.count = game.noisy_moves(s, f.moves) if noisy is not None else 0
    for i in range(f.count):
        f.priority[i] = stack.history[s.turn, f.moves[i]]
    return f.count > 0


@compiled
def stand_pat(f: Any, score: int) -> None:
    """Let the player to move stop here, for a score that is not proven."""
    f.ordered = f.unproven = 1
    f.best = score
    f.alpha = max(f.alpha, score)


@compiled
def reduction(f: Any, late: int, tried: bool) -> int:
    """The late move reduction of the current move, in plies.

    It is the greater the worse the position after the move looks, if moves were `tried`, else the later the move.
    """
    if late == 0 or f.next <= late or f.depth < 3:
        return 0
    if tried:
        behind = f.alpha - f.priority[f.next - 1]
        return min(1 + (behind > BEHIND) + (behind > FAR_BEHIND), f.depth - 2)
    return 2 if f.next > 3 * late and f.depth > 4 else 1


@compiled
def is_tried(f: Any, stack: NegamaxStack) -> bool:
    """Whether the priorities of a position's moves are evaluations."""
    by = stack.by
    if by.evaluation is None and by.points is None and by.leaf_values is None:
        return False
    return f.ordered and f.depth >= stack.tried_from


@compiled
def bring_forward(f: Any, move: int) -> bool:
    """Put a move first; return whether it is legal. (It need not be: mirror images may share a key.)"""
    for i in range(f.count):
        if f.moves[i] == move:
            f.moves[i] = f.moves[0]
            f.moves[0] = move
            return True
    return False


@compiled
def order_moves(game: Any, stack: NegamaxStack, ply: int) -> None:
    """Give each remaining move of a position its priority; if one wins at once, drop the others."""
    states, shares, history, by = stack.states, stack.shares, stack.history, stack.by
    f, s, child = stack.frames[ply], states[ply], states[ply + 1]
    f.ordered = 1
    for i in range(f.next, f.count):
        move = f.moves[i]
        f.priority[i] = history[s.turn, move]
        if move == f.killers[0]:
            f.priority[i] = KILLER
        elif move == f.killers[1]:
            f.priority[i] = SECOND_KILLER
        if f.depth < stack.tried_from:
            continue
        states[ply + 1] = states[ply]
        game.play(child, move)
        if child.turn != OVER:
            if by.evaluation is not None or by.points is not None or by.leaf_values is not None:
                f.priority[i] = guess(game, child, s.turn, by)
            continue
        game.normalized_payoff(child, shares)
        if shares[s.turn] == 1.0:
            f.moves[f.next] = move
            f.count = f.next + 1
            return


@compiled
def next_move(f: Any) -> int:
    """The unsearched move with the highest priority."""
    first = best = f.next
    if f.ordered:
        for i in range(first + 1, f.count):
            if f.priority[i] > f.priority[best]:
                best = i
        f.moves[first], f.moves[best] = f.moves[best], f.moves[first]
        f.priority[first], f.priority[best] = f.priority[best], f.priority[first]
    f.next += 1
    return f.moves[first]


@compiled
def is_proven(f: Any) -> bool:
    """Whether the score of a position is proven: one move is enough for a refutation or a win, else it takes all."""
    return bool(f.proven) if f.best >= f.beta or f.best > WIN - STEP else f.unproven == 0


@compiled
def close(f: Any, mover: int, score: int, proven: bool, table: Any, history: Any, place: Any) -> None:
    """Finish the search of a position, and store the result."""
    refuted = f.best >= f.beta
    if refuted:
        if f.killers[0] != f.move:
            f.killers[1] = f.killers[0]
            f.killers[0] = f.move
        weight = min(16 * f.depth * f.depth, MOST_WEIGHT)
        for i in range(f.next):
            old = history[mover, f.moves[i]]
            change = weight if f.moves[i] == f.move else -weight
            history[mover, f.moves[i]] = old + change - old * weight // MOST_HISTORY
    effort = min(place[NODES] - f.began, 1 << 30)
    e = table[place_for(table, f.key, effort, place[AGE])]
    e.key = f.key
    e.score = score
    e.move = f.move
    e.effort = effort
    e.depth = PROVEN if proven else f.depth
    e.bound = AT_LEAST if refuted else EXACT if f.best > f.floor else AT_MOST
    e.age = place[AGE]


@compiled
def principal_variation(game: Any, stack: NegamaxStack, move: int, score: int, depth: int, line: Any) -> int:
    """Write the principal variation of a root move, as far as the table knows it; return its length.

    The score must be exact: the line continues with a reply of the same score. (The table's move will not do: mirror
    images may share a key.) Works in rows 1 and 2 of an idle stack.
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
def depth_of(game: Any, stack: NegamaxStack, score: int, mover: int, plies: int, depth: int) -> int:
    """The depth, at least `depth`, at which states[2] has exactly this score for the mover; −1 if there is none."""
    s = stack.states[2]
    if s.turn == OVER:
        game.normalized_payoff(s, stack.shares)
        return 0 if final_score(stack.shares[mover], plies) == score else -1
    at = find(stack.table, position_key(game, s, stack.words, 2, stack.public, stack.keyed))
    if at >= 0 and stack.table[at].bound == EXACT and stack.table[at].depth >= depth:
        known = shifted(stack.table[at].score, plies)
        return stack.table[at].depth if (known if s.turn == mover else -known) == score else -1
    return 0 if depth == 0 and guess(game, s, mover, stack.by) == score else -1
