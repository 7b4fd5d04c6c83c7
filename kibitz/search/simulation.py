"""The simulations of UCT: down the tree, on to the end of the game, and back up. The algorithm is described in uct.py.

Each extension of the plain formula is a member of Style, Tree or Walk that is None when it is off, so that numba
compiles nothing for it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from kibitz.compiler import compiled
from kibitz.compiler.atomics import fence, take
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.rng import shuffle, uniform
from kibitz.search.mast import add_game, learn, playout_by_mast
from kibitz.search.move_priors import rate_moves, sort_by_priors
from kibitz.search.playout import play_out_by
from kibitz.search.tree_arrays import ROOT, Tree, block_of, end_of, first_of


class Style(NamedTuple):
    """How a search explores and plays out."""

    c: float
    bias: Any  # the weight of the prior of a move; None if there are no priors
    expand: int  # visits before a leaf is expanded
    by_root: Any  # True: N is the number of visits of the root, at every depth; else None
    urgent: Any  # True: playouts prefer urgent moves; else None
    limit: int  # the most plies of a playout
    guess: Any  # True: a playout that stops before the end is evaluated; else None
    ahead: Any  # True: visits count on the way down (virtual loss), so that other threads look elsewhere; else None


class Walk(NamedTuple):
    """The workspace of a simulation."""

    states: Any  # [the root position, the position of the simulation]
    path: Any  # the nodes from the root to the leaf
    movers: Any  # who acted at each of them
    moves: Any
    chances: Any
    payoff: Any
    mast: Any  # the statistics of its playouts (mast.py); None if they keep none
    policy: Any  # the player that moves in playouts; None: they are random …
    memory: Any  # … and its memory
    advice: Any  # whose priors new nodes have (move_priors.py); None if they have none


@compiled
def simulate(game: Any, tree: Tree, walk: Walk, style: Style, rng: Any, count: int) -> int:
    """Run up to `count` simulations from walk.states[0]; return how many: fewer once the root is proven."""
    nodes, exact, odds, ties, used = tree.nodes, tree.exact, tree.odds, tree.ties, tree.used
    states, path, movers, mast = walk.states, walk.path, walk.movers, walk.mast
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
                block = expand_leaf(game, s, nodes, odds, ties, used, node, moves, chances, rng, walk.advice)
                if block == 0:
                    break
            path[depth] = node
            movers[depth] = s.turn
            if s.turn == CHANCE:
                child = draw_child(odds, block, rng)
            else:
                visits = nodes[node if style.by_root is None else ROOT].visits
                child = best_child(nodes, exact, block, visits, s.turn, style.c, style.bias)
            if style.ahead is not None:
                nodes[node].visits += 1
            node = child
            game.play(s, nodes[node].move)
            depth += 1
        path[depth] = node
        if not nodes[node].proven:
            ended = s.turn == OVER
            plies = play_out(game, s, walk, rng, style.urgent, style.limit, mast)
            value(game, s, payoff, style.guess)
            learn_mast(mast, nodes, path, movers, depth, plies, payoff)
            if ended:
                prove(nodes, exact, node, payoff)
        else:
            for player in range(len(payoff)):
                payoff[player] = exact[node, player]
        back_up(nodes, exact, odds, ties, path, movers, payoff, depth, style.ahead)
    return count


@compiled
def expand_leaf(
    game: Any,
    s: Any,
    nodes: Any,
    odds: Any,
    ties: Any,
    used: Any,
    node: int,
    moves: Any,
    chances: Any,
    rng: Any,
    advice: Any,
) -> int:
    """Expand a leaf: its children are the legal moves, best prior first, or else in random order; or the chance
    outcomes with their odds.

    Returns their block, 0 if there is no room. If another thread expands it at the same time, one block is lost.
    """
    if s.turn == CHANCE:
        count = game.chances(s, moves, chances)
    else:
        count = game.moves(s, moves)
        shuffle(rng, moves, count)
    first = take(used, count)
    if first + count > len(nodes):
        return 0
    if advice is not None and s.turn != CHANCE:
        rate_moves(game, s, moves, count, advice)
        sort_by_priors(moves, advice.priors, count)
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
        elif advice is not None:
            child.prior = advice.priors[i]
    fence()
    block = block_of(first, count)
    nodes[node].block = block
    return block


@compiled
def clear(ties: Any, node: int) -> None:
    if ties is not None:
        ties[node] = 0.0


@compiled
def best_child(nodes: Any, exact: Any, block: int, parent_visits: int, player: int, c: float, bias: Any) -> int:
    """The child with the highest w/n + c·√(ln N / n) for the player, plus bias·P / (1 + n) if they have priors.

    Unvisited ones come first; proven ones count by their value.
    """
    log_visits = math.log(max(parent_visits, 1))
    best, best_bound = first_of(block), -1.0
    for child in range(first_of(block), end_of(block)):
        visits = nodes[child].visits
        if visits == 0:
            return child
        if nodes[child].proven:
            bound = exact[child, player]  # nothing to explore: chosen only if no other bound is higher
        else:
            bound = nodes[child].worth / visits + c * math.sqrt(log_visits / visits)
            if bias is not None:
                bound += bias * nodes[child].prior / (1 + visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@compiled
def draw_child(odds: Any, block: int, rng: Any) -> int:
    """A child of a chance node, drawn by its odds."""
    last = end_of(block) - 1
    left = uniform(rng)
    for child in range(first_of(block), last):
        left -= odds[child]
        if left < 0.0:
            return child
    return last


@compiled
def play_out(game: Any, s: Any, walk: Walk, rng: Any, urgent: Any, limit: int, mast: Any) -> int:
    """Run the playout, by MAST if that is on; return the number of plies."""
    if mast is None:
        return play_out_by(game, s, walk.moves, walk.chances, rng, urgent, walk.policy, walk.memory, limit)
    return playout_by_mast(game, s, walk.moves, walk.chances, rng, urgent, limit, mast)


@compiled
def value(game: Any, s: Any, payoff: Any, guess: Any) -> None:
    """Write the payoff if the game is over, else the evaluation."""
    if guess is None:  # the game need not have evaluate
        game.normalized_payoff(s, payoff)
    elif s.turn != OVER:
        game.evaluate(s, payoff)
    else:
        game.normalized_payoff(s, payoff)


@compiled
def learn_mast(mast: Any, nodes: Any, path: Any, movers: Any, depth: int, plies: int, payoff: Any) -> None:
    """Update the statistics with a simulation, including its moves in the tree."""
    if mast is not None:
        records = mast.records
        for d in range(depth):
            if movers[d] != CHANCE:
                add_game(records[movers[d]], nodes[path[d + 1]].move, payoff[movers[d]])
        learn(mast, plies, payoff)


@compiled
def back_up(
    nodes: Any, exact: Any, odds: Any, ties: Any, path: Any, movers: Any, payoff: Any, depth: int, ahead: Any
) -> None:
    """Back up the payoff along the path, and prove the nodes whose value has become certain."""
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
    """Add a payoff to a node; shared wins are summed separately if they do not count."""
    if ties is None:
        nodes[node].worth += share
    elif 0.0 < share < 1.0:
        ties[node] += share
    else:
        nodes[node].worth += share


@compiled
def try_to_prove(nodes: Any, exact: Any, odds: Any, node: int, child: int, mover: int, payoff: Any) -> int:
    """Prove a node after one of its children: by one that gives the mover the maximum, or once all are proven.

    Returns 1 if it is.
    """
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
    """Record the exact value of a node."""
    for player in range(len(payoff)):
        exact[node, player] = payoff[player]
    fence()
    nodes[node].proven = 1
