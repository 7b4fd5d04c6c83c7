"""Simulations of UCT: down the tree, on to the end of the game, and back up. The algorithm is told in uct.py.

What a search does beyond the plain formula is a member of Style, Tree or Walk that is None when it is off: numba then
compiles nothing for it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from kibitz.atomics import fence, take
from kibitz.compiled import compiled
from kibitz.game import CHANCE, OVER
from kibitz.rng import shuffle, uniform
from kibitz.search.habits import add_game, learn, playout_by_habit
from kibitz.search.playout import playout
from kibitz.search.tree import ROOT, Tree, block_of, end_of, first_of


class Style(NamedTuple):
    """How a search explores and plays out."""

    c: float
    expand: int  # visits before a leaf grows children
    by_root: Any  # True: the bonus grows with the visits of the root, at every depth; else None
    urgent: Any  # True: playouts prefer what the game calls urgent; else None
    limit: int  # the plies of a playout
    guess: Any  # True: where a playout ends before the game does, the game's evaluation is asked; else None
    ahead: Any  # True: a visit counts from the way down, so that other threads look elsewhere; else None


class Walk(NamedTuple):
    """One simulation's work space."""

    states: Any  # [the root position, the position of the simulation]
    path: Any  # the nodes from the root to the leaf
    movers: Any  # who acted at each of them
    moves: Any
    chances: Any
    payoff: Any
    habits: Any  # of its playouts; None where they have none


@compiled
def simulate(game: Any, tree: Tree, walk: Walk, style: Style, rng: Any, count: int) -> int:
    """Run up to `count` simulations from walk.states[0]; return how many: fewer when the root is proven."""
    nodes, exact, odds, ties, used = tree.nodes, tree.exact, tree.odds, tree.ties, tree.used
    states, path, movers, habits = walk.states, walk.path, walk.movers, walk.habits
    moves, chances, payoff = walk.moves, walk.chances, walk.payoff
    room = len(nodes) - len(moves)
    for done in range(count):
        if nodes[ROOT].proven:
            return done
        states[1] = states[0]
        s = states[1]
        node, depth = ROOT, 0
        while not nodes[node].proven and s.turn != OVER and depth < game.max_plies:
            block = nodes[node].block
            if block == 0:
                if (nodes[node].visits < style.expand and node != ROOT) or used[0] > room:
                    break
                block = grow(game, s, nodes, odds, ties, used, node, moves, chances, rng)
                if block == 0:
                    break
            path[depth] = node
            movers[depth] = s.turn
            if s.turn == CHANCE:
                child = draw_child(odds, block, rng)
            else:
                visits = nodes[node if style.by_root is None else ROOT].visits
                child = best_child(nodes, exact, block, visits, s.turn, style.c)
            if style.ahead is not None:
                nodes[node].visits += 1
            node = child
            game.play(s, nodes[node].move)
            depth += 1
        path[depth] = node
        if not nodes[node].proven:
            ended = s.turn == OVER
            plies = play_out(game, s, moves, chances, rng, style.urgent, style.limit, habits)
            value(game, s, payoff, style.guess)
            form_habits(habits, nodes, path, movers, depth, plies, payoff)
            if ended:
                prove(nodes, exact, node, payoff)
        else:
            for player in range(len(payoff)):
                payoff[player] = exact[node, player]
        back_up(nodes, exact, odds, ties, path, movers, payoff, depth, style.ahead)
    return count


@compiled
def grow(
    game: Any, s: Any, nodes: Any, odds: Any, ties: Any, used: Any, node: int, moves: Any, chances: Any, rng: Any
) -> int:
    """Give a leaf its children: the legal moves in random order, or the outcomes of chance with their odds.

    Returns their block, 0 when there is no room. If another thread did the same just now, one of the blocks is lost.
    """
    if s.turn == CHANCE:
        count = game.chances(s, moves, chances)
    else:
        count = game.moves(s, moves)
        shuffle(rng, moves, count)
    first = take(used, count)
    if first + count > len(nodes):
        return 0
    for i in range(count):
        child = nodes[first + i]
        child.visits = 0
        child.worth = 0.0
        child.block = 0
        child.move = moves[i]
        child.proven = 0
        clear(ties, first + i)
        if s.turn == CHANCE:
            odds[first + i] = chances[i]
    fence()
    block = block_of(first, count)
    nodes[node].block = block
    return block


@compiled
def clear(ties: Any, node: int) -> None:
    if ties is not None:
        ties[node] = 0.0


@compiled
def best_child(nodes: Any, exact: Any, block: int, parent_visits: int, player: int, c: float) -> int:
    """The child with the highest w/n + c·√(ln N / n) for the player; unvisited ones first, proven ones by value."""
    log_visits = math.log(max(parent_visits, 1))
    best, best_bound = first_of(block), -1.0
    for child in range(first_of(block), end_of(block)):
        visits = nodes[child].visits
        if visits == 0:
            return child
        if nodes[child].proven:
            bound = exact[child, player]  # nothing to explore: taken only when nothing else may be better
        else:
            bound = nodes[child].worth / visits + c * math.sqrt(log_visits / visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@compiled
def draw_child(odds: Any, block: int, rng: Any) -> int:
    """A chance node's child, drawn with its probability."""
    last = end_of(block) - 1
    left = uniform(rng)
    for child in range(first_of(block), last):
        left -= odds[child]
        if left < 0.0:
            return child
    return last


@compiled
def play_out(game: Any, s: Any, moves: Any, chances: Any, rng: Any, urgent: Any, limit: int, habits: Any) -> int:
    """Play the game on, with habits where there are any; return the number of plies."""
    if habits is None:
        return playout(game, s, moves, chances, rng, urgent, limit)
    return playout_by_habit(game, s, moves, chances, rng, urgent, limit, habits)


@compiled
def value(game: Any, s: Any, payoff: Any, guess: Any) -> None:
    """Write what the end of the game pays, or what the game's evaluation thinks of a position before it."""
    if guess is None:  # a game without evaluate
        game.payoff(s, payoff)
    elif s.turn != OVER:
        game.evaluate(s, payoff)
    else:
        game.payoff(s, payoff)


@compiled
def form_habits(habits: Any, nodes: Any, path: Any, movers: Any, depth: int, plies: int, payoff: Any) -> None:
    """Learn from a simulation, those of its moves included that were made in the tree."""
    if habits is not None:
        records = habits.records
        for d in range(depth):
            if movers[d] != CHANCE:
                add_game(records[movers[d]], nodes[path[d + 1]].move, payoff[movers[d]])
        learn(habits, plies, payoff)


@compiled
def back_up(
    nodes: Any, exact: Any, odds: Any, ties: Any, path: Any, movers: Any, payoff: Any, depth: int, ahead: Any
) -> None:
    """Add the payoff to all nodes on the path, and prove those whose value has become certain."""
    certain = nodes[path[depth]].proven
    for d in range(depth, -1, -1):
        node = path[d]
        if d < depth and certain:
            certain = try_to_prove(nodes, exact, odds, node, path[d + 1], movers[d], payoff)
        if d == depth or ahead is None:
            nodes[node].visits += 1
        if d > 0 and movers[d - 1] >= 0:
            add_payoff(nodes, ties, node, payoff[movers[d - 1]])


@compiled
def add_payoff(nodes: Any, ties: Any, node: int, share: float) -> None:
    """Add what a simulation paid; a shared win apart, where it does not count."""
    if ties is None:
        nodes[node].worth += share
    elif 0.0 < share < 1.0:
        ties[node] += share
    else:
        nodes[node].worth += share


@compiled
def try_to_prove(nodes: Any, exact: Any, odds: Any, node: int, child: int, mover: int, payoff: Any) -> int:
    """Prove a node after one of its children: by one that wins all, or when none is left open. 1 if it is proven."""
    block = nodes[node].block
    first, last = first_of(block), end_of(block)
    best = child
    if mover == CHANCE or exact[child, mover] < 1.0:
        for i in range(first, last):
            if not nodes[i].proven:
                return 0
            fence()
            if mover != CHANCE and exact[i, mover] > exact[best, mover]:
                best = i
    for player in range(len(payoff)):
        if mover == CHANCE:
            payoff[player] = 0.0
            for i in range(first, last):
                payoff[player] += odds[i] * exact[i, player]
        else:
            payoff[player] = exact[best, player]
    prove(nodes, exact, node, payoff)
    return 1


@compiled
def prove(nodes: Any, exact: Any, node: int, payoff: Any) -> None:
    """Note the exact value of a node."""
    for player in range(len(payoff)):
        exact[node, player] = payoff[player]
    fence()
    nodes[node].proven = 1
