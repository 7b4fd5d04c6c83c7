"""PUCT: tree search guided by a network, for any number of players and chance (Silver et al., 2018).

It keeps a tree of positions like UCT's; a node also has the prior probability that the network gives its move. A
simulation descends by Q + c·P·√(N + 1) / (1 + n), where an unvisited move counts as what its position seems worth on
average, less FIRST_PLAY_REDUCTION; at chance nodes it descends by the odds. The network judges the leaf that it
reaches, which gets its children, best prior first; in a mix with `mix`, so does a playout. Won, lost and drawn ends are
proven backwards as in UCT.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers, records
from kibitz.learn.zero.evaluator import Evaluator, judge
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.search.mast import learn, new_mast, playout_by_mast
from kibitz.search.playout import playout
from kibitz.search.simulation import back_up, draw_child, prove
from kibitz.search.tree_arrays import NODE, ROOT, Tree, block_of, end_of, first_of

GUIDED_NODE = np.dtype([*NODE.descr, ("prior", "f4"), ("guess", "f4")])  # guess: the network's value to its mover
FIRST_PLAY_REDUCTION = 0.1
LOST = 0.25  # a proven move that gives less is not explored while there are others


class Guidance(NamedTuple):
    """How a search explores and judges leaves."""

    c: float
    mix: float  # the weight of a playout in the value of a leaf …
    playouts: Any  # … if True; None: no playouts
    urgent: Any  # True: playouts prefer urgent moves; else None
    mast: Any  # the statistics by which playouts prefer moves that did well (mast.py); None if they keep none


class Descent(NamedTuple):
    """The workspace of a simulation."""

    states: Any  # [the root position, the position of the simulation]
    path: Any  # the nodes from the root to the leaf
    movers: Any  # who acted at each of them
    moves: Any
    chances: Any
    payoff: Any
    values: Any  # the network's, of a leaf
    totals: Any  # the sum of the payoffs of all simulations, by player …
    counted: Any  # … and [how many these are]


def new_descent(game: Game) -> Descent:
    """A workspace for a game."""
    return Descent(
        states=records(2, game.dtype),
        path=numbers(game.max_plies + 2, "i8"),
        movers=numbers(game.max_plies + 2, "i8"),
        moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
        payoff=numbers(game.players, "f8"),
        values=numbers(game.players, "f8"),
        totals=numbers(game.players, "f8"),
        counted=numbers(1, "i8"),
    )


def guidance(game: Game, c: float, mix: float = 0.0, habit: float = 0.0) -> Guidance:
    """The guidance for a game: with playouts if `mix` is above 0, which prefer urgent moves where the game has them."""
    urgent = True if mix > 0 and type(game).defines("urgency") else None
    mast = new_mast(game, habit) if mix > 0 and habit > 0 else None
    return Guidance(c, mix, True if mix > 0 else None, urgent, mast)


@compiled
def simulate_guided(
    game: Any, tree: Tree, descent: Descent, by: Evaluator, guide: Guidance, rng: Any, count: int, at_root: int
) -> int:
    """Run up to `count` simulations from descent.states[0]; return how many: fewer once the root is proven.

    If `at_root` is not 0, all of them begin with that child of the root.
    """
    states, path, movers, payoff = descent.states, descent.path, descent.movers, descent.payoff
    for done in range(count):
        if tree.nodes[ROOT].proven:
            return done
        states[1] = states[0]
        s = states[1]
        depth = descend(game, s, tree, descent, path, movers, guide.c, rng, at_root)
        is_leaf = s.turn != CHANCE
        if not ends(game, s, tree, path[depth], descent, rng):
            grow(game, s, tree, path[depth], is_leaf, by, descent, guide, rng)
        for player in range(len(payoff)):
            descent.totals[player] += payoff[player]
        descent.counted[0] += 1
        back_up(tree.nodes, tree.exact, tree.odds, tree.ties, path, movers, payoff, depth, None)
    return count


@compiled
def descend(
    game: Any, s: Any, tree: Tree, descent: Descent, path: Any, movers: Any, c: float, rng: Any, at_root: int
) -> int:
    """Play on from the root to a node without children; return its depth.

    That is at a player's turn, at a proven node, at the end of the game, or where there is no room for the outcomes of
    chance. The first child is `at_root` unless that is 0. `path` gets the nodes, `movers` who acted at them.
    """
    nodes = tree.nodes
    node, depth = ROOT, 0
    while not nodes[node].proven and s.turn != OVER and depth < game.max_plies:
        block = nodes[node].block
        if block == 0:
            if s.turn != CHANCE:
                break
            block = add_outcomes(game, s, tree, node, descent.moves, descent.chances)
            if block == 0:
                break
        path[depth] = node
        movers[depth] = s.turn
        if s.turn == CHANCE:
            node = draw_child(tree.odds, block, rng)
        elif node == ROOT and at_root != 0:
            node = at_root
        else:
            node = most_promising(nodes, tree.exact, node, s.turn, c)
        game.play(s, nodes[node].move)
        depth += 1
    path[depth] = node
    return depth


@compiled
def ends(game: Any, s: Any, tree: Tree, node: int, descent: Descent, rng: Any) -> bool:
    """Whether a descent needs no judgement: its node is proven, or the game is over, and descent.payoff has the result.

    Otherwise a player is to act in s; chance has acted if there was no room for its outcomes.
    """
    payoff = descent.payoff
    if tree.nodes[node].proven:
        for player in range(len(payoff)):
            payoff[player] = tree.exact[node, player]
        return True
    if s.turn == OVER:
        game.normalized_payoff(s, payoff)
        prove(tree.nodes, tree.exact, node, payoff)
        return True
    while s.turn == CHANCE:
        game.play(s, game.draw(s, descent.moves, descent.chances, rng))
    if s.turn == OVER:
        game.normalized_payoff(s, payoff)
        return True
    return False


@compiled
def grow(
    game: Any,
    s: Any,
    tree: Tree,
    node: int,
    is_leaf: bool,
    by: Evaluator,
    descent: Descent,
    guide: Guidance,
    rng: Any,
) -> None:
    """Judge a position, write its value to each player to descent.payoff, and give a leaf children if there is room."""
    moves, payoff = descent.moves, descent.payoff
    count = game.moves(s, moves)
    judge(game, by, s, moves, count, descent.values)
    if is_leaf:
        add_children(tree, node, moves, by.priors, count, descent.values[s.turn])
    finish(game, s, descent, guide.playouts, guide.urgent, guide.mast, rng)
    for player in range(len(payoff)):
        payoff[player] = payoff[player] * guide.mix + descent.values[player] * (1.0 - guide.mix)


@compiled
def finish(game: Any, s: Any, descent: Descent, playouts: Any, urgent: Any, mast: Any, rng: Any) -> None:
    """Write the result of a playout to descent.payoff, if there are playouts."""
    if playouts is not None:
        if mast is None:
            playout(game, s, descent.moves, descent.chances, rng, urgent, game.max_plies)
            game.normalized_payoff(s, descent.payoff)
        else:
            plies = playout_by_mast(game, s, descent.moves, descent.chances, rng, urgent, game.max_plies, mast)
            game.normalized_payoff(s, descent.payoff)
            learn(mast, plies, descent.payoff)


@compiled
def add_children(tree: Tree, node: int, moves: Any, priors: Any, count: int, guess: float) -> None:
    """Give a leaf its children, best prior first, if there is room; `guess` is its value to the player to act."""
    first = tree.used[0]
    if first + count > len(tree.nodes):
        return
    tree.used[0] += count
    tree.nodes[node].guess = guess
    for i in range(count):
        insert_child(tree.nodes, first, first + i, moves[i], priors[i])
    tree.nodes[node].block = block_of(first, count)


@compiled
def insert_child(nodes: Any, first: int, place: int, move: int, prior: float) -> None:
    """Add a child to those from `first` to before `place`, which have falling priors, so that they still fall."""
    while place > first and nodes[place - 1].prior < prior:
        clear_node(nodes[place], nodes[place - 1].move, nodes[place - 1].prior)
        place -= 1
    clear_node(nodes[place], move, prior)


@compiled
def clear_node(node: Any, move: int, prior: float) -> None:
    """Make a node an unvisited leaf."""
    node.visits = 0
    node.worth = 0.0
    node.block = 0
    node.move = move
    node.proven = 0
    node.prior = prior
    node.guess = 0.5


@compiled
def add_outcomes(game: Any, s: Any, tree: Tree, node: int, outcomes: Any, chances: Any) -> int:
    """Give a chance node its outcomes; return their block, 0 if there is no room."""
    count = game.chances(s, outcomes, chances)
    first = tree.used[0]
    if first + count > len(tree.nodes):
        return 0
    tree.used[0] += count
    for i in range(count):
        clear_node(tree.nodes[first + i], outcomes[i], 0.0)
        tree.odds[first + i] = chances[i]
    block = block_of(first, count)
    tree.nodes[node].block = block
    return block


@compiled
def most_promising(nodes: Any, exact: Any, node: int, player: int, c: float) -> int:
    """The child with the highest Q + c·P·√(N + 1) / (1 + n) for the player.

    Visited children come first, as they are visited in the order of their priors; of the others, only the first counts.
    """
    block = nodes[node].block
    first, last = first_of(block), end_of(block)
    visits, worth = 0, float(nodes[node].guess)
    visited = first
    while visited < last and nodes[visited].visits > 0:
        visits += nodes[visited].visits
        worth += nodes[visited].worth
        visited += 1
    scale = c * math.sqrt(visits + 1.0)
    best, highest = first, -1e9
    for child in range(first, visited):
        if nodes[child].proven:
            bound = exact[child, player] - (1.0 if exact[child, player] < LOST else 0.0)
        else:
            n = nodes[child].visits
            bound = nodes[child].worth / n + scale * nodes[child].prior / (1 + n)
        if bound > highest:
            best, highest = child, bound
    if visited < last:
        unknown = worth / (1 + visits) - FIRST_PLAY_REDUCTION
        if unknown + scale * nodes[visited].prior > highest:
            best = visited
    return best
