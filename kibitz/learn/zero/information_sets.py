"""PUCT for hidden information: one tree over information sets, as in ISMCTS (Cowling, Powley and Whitehouse, 2012).

Every simulation starts from a new determinization of what the searching player has seen. Branches are moves and chance
outcomes as that player would see them. At every node, the network sees the position as the player to act there would,
in this determinization; its prior for a branch is the one of the first determinization in which the branch was legal.
A legal branch competes by Q + c·P·√(N + 1) / (1 + n), where N counts the visits in which it was available.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers
from kibitz.learn.zero.evaluator import Evaluator, judge
from kibitz.learn.zero.puct import FIRST_PLAY_REDUCTION, Descent, Guidance, finish
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import below
from kibitz.search.tree_arrays import ROOT, Tree

SET_NODE = np.dtype(
    [
        ("visits", "i8"),
        ("open", "i8"),  # visits of the parent in which this branch was legal
        ("worth", "f8"),  # sum of the payoffs of the player who moved here
        ("move", "i4"),  # the move or outcome that leads here, as the searching player sees it
        ("child", "i4"),  # the first branch from here …
        ("sibling", "i4"),  # … and the next one from the same parent; 0: none
        ("proven", "i4"),  # always 0: nothing is certain
        ("prior", "f4"),
        ("guess", "f4"),  # the network's value to the player to act; negative before it was asked
    ]
)


class Sets(NamedTuple):
    """The workspace of a choice between branches."""

    labels: Any  # of the legal moves: how the searching player sees them
    legal: Any  # by label + 1: the last choice in which it was legal
    branch: Any  # by label + 1: its branch in the last choice in which it had one
    chosen: Any  # by label + 1: the last choice in which it had a branch
    number: Any  # [of the last choice, of its legal moves]


CHOICE, LEGAL = range(2)


def new_sets(game: Game) -> Sets | None:
    """A workspace for a game with hidden information; None if it has none."""
    if not game.has_hidden_information:
        return None
    labels = max(game.actions, game.max_outcomes) + 1
    return Sets(
        labels=numbers(game.max_moves, "i8"),
        legal=numbers(labels, "i8"),
        branch=numbers(labels, "i8"),
        chosen=numbers(labels, "i8"),
        number=numbers(2, "i8"),
    )


@compiled
def simulate_sets(
    game: Any,
    tree: Tree,
    sets: Sets,
    descent: Descent,
    by: Evaluator,
    guide: Guidance,
    rng: Any,
    count: int,
    at_root: int,
) -> int:
    """Run `count` simulations from descent.states[0], as the player to act there sees it; return `count`.

    If `at_root` is not 0, all of them begin with that branch of the root.
    """
    nodes, states, path, movers = tree.nodes, descent.states, descent.path, descent.movers
    payoff = descent.payoff
    player = states[0].turn
    widest = len(descent.moves)
    for _ in range(count):
        states[1] = states[0]
        s = states[1]
        game.redeal(s, player, rng)
        node, depth = ROOT, 0
        path[0] = ROOT
        while s.turn != OVER and depth < game.max_plies:
            if s.turn == CHANCE:
                mover, move = CHANCE, game.draw(s, descent.moves, descent.chances, rng)
                node = outcome_branch(tree, node, game.seen(s, move, player))
            elif nodes[node].guess < 0.0 or tree.used[0] + widest > len(nodes):
                judge_leaf(game, s, tree, sets, node, player, by, descent)
                break
            else:
                mover = s.turn
                if node == ROOT and at_root != 0:
                    node, move = at_root, nodes[at_root].move
                else:
                    node = choose_branch(game, s, tree, sets, node, player, by, descent, guide.c)
                    move = move_of(descent.moves, sets.labels, nodes[node].move, sets.number[LEGAL], rng)
            depth += 1
            path[depth] = node
            movers[depth] = mover
            game.play(s, move)
        if s.turn == OVER:
            game.normalized_payoff(s, payoff)
        else:
            finish(game, s, descent, guide.playouts, guide.urgent, guide.mast, rng)
            for seat in range(len(payoff)):
                payoff[seat] = guide.mix * payoff[seat] + (1.0 - guide.mix) * descent.values[seat]
        back_up_sets(nodes, path, movers, payoff, depth)
        for seat in range(len(payoff)):
            descent.totals[seat] += payoff[seat]
        descent.counted[0] += 1
    return count


@compiled
def back_up_sets(nodes: Any, path: Any, movers: Any, payoff: Any, depth: int) -> None:
    """Add the payoff to the nodes of a path; movers[d] moved to path[d]."""
    for d in range(depth + 1):
        nodes[path[d]].visits += 1
        if d > 0 and movers[d] != CHANCE:
            nodes[path[d]].worth += payoff[movers[d]]


@compiled
def judge_leaf(
    game: Any, s: Any, tree: Tree, sets: Sets, node: int, player: int, by: Evaluator, descent: Descent
) -> None:
    """Ask the network about a position; its value to each player is in descent.values then."""
    count = game.moves(s, descent.moves)
    judge(game, by, s, descent.moves, count, descent.values)
    if tree.used[0] + len(descent.moves) <= len(tree.nodes):
        tree.nodes[node].guess = descent.values[s.turn]
        mark_branches(game, s, tree.nodes, sets, node, player, descent.moves, count)
        add_branches(tree, sets, node, by.priors, count)


@compiled
def mark_branches(game: Any, s: Any, nodes: Any, sets: Sets, node: int, player: int, moves: Any, count: int) -> bool:
    """Note which branches are available, and count it; return whether all legal moves have one."""
    sets.number[CHOICE] += 1
    now = sets.number[CHOICE]
    sets.number[LEGAL] = count
    for i in range(count):
        sets.labels[i] = game.seen(s, moves[i], player)
        sets.legal[sets.labels[i] + 1] = now
    child = nodes[node].child
    while child != 0:
        label = nodes[child].move
        if sets.legal[label + 1] == now:
            sets.chosen[label + 1] = now
            sets.branch[label + 1] = child
            nodes[child].open += 1
        child = nodes[child].sibling
    complete = True
    for i in range(count):
        complete &= sets.chosen[sets.labels[i] + 1] == now
    return complete


@compiled
def add_branches(tree: Tree, sets: Sets, node: int, priors: Any, count: int) -> None:
    """Add a branch for each legal move that has none; moves that look the same to the searching player share one."""
    now = sets.number[CHOICE]
    old = tree.used[0]
    for i in range(count):
        label = sets.labels[i]
        if sets.chosen[label + 1] != now:
            sets.chosen[label + 1] = now
            sets.branch[label + 1] = new_branch(tree, node, label)
        branch = sets.branch[label + 1]
        if branch >= old:
            tree.nodes[branch].prior += priors[i]


@compiled
def new_branch(tree: Tree, node: int, label: int) -> int:
    """Add a branch, without a prior yet."""
    child = tree.used[0]
    tree.used[0] = child + 1
    clear_branch(tree.nodes[child], label, tree.nodes[node].child)
    tree.nodes[node].child = child
    return child


@compiled
def clear_branch(node: Any, label: int, sibling: int) -> None:
    """Make a node an unvisited branch."""
    node.visits = 0
    node.open = 1
    node.worth = 0.0
    node.move = label
    node.child = 0
    node.sibling = sibling
    node.proven = 0
    node.prior = 0.0
    node.guess = -1.0


@compiled
def outcome_branch(tree: Tree, node: int, label: int) -> int:
    """The branch of a chance outcome, added if it is missing and there is room; else the node itself."""
    child = tree.nodes[node].child
    while child != 0:
        if tree.nodes[child].move == label:
            return child
        child = tree.nodes[child].sibling
    return new_branch(tree, node, label) if tree.used[0] < len(tree.nodes) else node


@compiled
def choose_branch(
    game: Any, s: Any, tree: Tree, sets: Sets, node: int, player: int, by: Evaluator, descent: Descent, c: float
) -> int:
    """The available branch with the highest bound for the player to act; those that are missing are added first."""
    count = game.moves(s, descent.moves)
    if not mark_branches(game, s, tree.nodes, sets, node, player, descent.moves, count):
        judge(game, by, s, descent.moves, count, descent.values)
        add_branches(tree, sets, node, by.priors, count)
    return most_promising_branch(tree.nodes, sets, node, count, c)


@compiled
def most_promising_branch(nodes: Any, sets: Sets, node: int, count: int, c: float) -> int:
    """The branch with the highest bound, among those of the `count` legal moves, after `mark_branches`."""
    visits, worth = 0, float(nodes[node].guess)
    for i in range(count):
        branch = nodes[sets.branch[sets.labels[i] + 1]]
        visits += branch.visits
        worth += branch.worth
    unknown = worth / (1 + visits) - FIRST_PLAY_REDUCTION
    best, highest = 0, -1e9
    for i in range(count):
        child = sets.branch[sets.labels[i] + 1]
        n = nodes[child].visits
        value = nodes[child].worth / n if n > 0 else unknown
        bound = value + c * nodes[child].prior * math.sqrt(nodes[child].open + 1.0) / (1 + n)
        if bound > highest:
            best, highest = child, bound
    return best


@compiled
def move_of(moves: Any, labels: Any, label: int, count: int, rng: Any) -> int:
    """One of the legal moves that the searching player would see as `label`."""
    found, move = 0, moves[0]
    for i in range(count):
        if labels[i] == label:
            found += 1
            if below(rng, found) == 0:  # all so far are equally likely
                move = moves[i]
    return move
