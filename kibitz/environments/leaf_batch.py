"""The compiled part of a search that asks a model in Python about many leaves at once.

A batch is gathered by descending the tree again and again. Every descent leaves a virtual loss on its path, a visit
worth nothing, so that the next one goes elsewhere. (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree
Search", 2008.) One that ends at a finished game, or at a proven node, is backed up at once. One that runs into a leaf
that is waiting already is no simulation: it only leaves its virtual loss. When the model has answered, all virtual
losses are taken back, the leaves get their children, and their values are backed up.

With a batch of one, the search is that of `zero` (kibitz/learn/zero/puct.py). With hidden information, it differs from
information_sets.py in one thing: where a determinization allows moves that have no branch yet, the simulation ends and
the model is asked, as if it were a leaf.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.environments.compiled_tables import write_mask
from kibitz.environments.observation import Eyes, Observer, observe
from kibitz.learn.zero.information_sets import (
    CHOICE,
    LEGAL,
    Sets,
    add_branches,
    back_up_sets,
    mark_branches,
    most_promising_branch,
    move_of,
    outcome_branch,
)
from kibitz.learn.zero.puct import Descent, add_children, descend, ends
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.search.simulation import back_up
from kibitz.search.tree_arrays import ROOT, Tree

DESCENTS = 4  # that gathering a batch takes at most, times its size
WAITING, COLLIDED = range(2)  # simulations that wait for an answer; descents that ran into a leaf which is waiting


class Leaves(NamedTuple):
    """What the model is asked about: a row for each position, as the player to act sees it."""

    observations: np.ndarray  # [row, place]
    masks: np.ndarray  # [row, action]: whether it is legal
    turns: np.ndarray  # [row]: the player to act


class LeafBatch(NamedTuple):
    """Leaves that wait for the model's answer, a row for each, and the descents to them.

    The paths of descents that ran into one of them are in as many further rows.
    """

    observations: Any  # those of Leaves
    masks: Any
    turns: Any
    legal: Any  # [row, i]: the legal moves …
    counts: Any  # [row]: … and their number
    labels: Any  # [row, i]: how the searching player sees them; None if nothing is hidden
    expands: Any  # [row]: whether the leaf gets children
    paths: Any  # [row, depth]: the nodes from the root to the leaf
    movers: Any  # [row, depth]: who acted there; with hidden information, who moved there
    depths: Any  # [row]
    tally: Any  # [WAITING, COLLIDED]
    priors: Any  # workspace
    opened: Any  # the branches that the current descent found available; None if nothing is hidden


def new_leaves(game: Game, observer: Observer, size: int) -> Leaves:
    """Room for what the model is asked about at a time."""
    return Leaves(observer.room(size), np.zeros((size, game.actions), bool), np.zeros(size, "i8"))


def new_batch(game: Game, leaves: Leaves) -> LeafBatch:
    """A batch that writes to these leaves."""
    hidden, size, longest = game.has_hidden_information, len(leaves.turns), game.max_plies + 2
    return LeafBatch(
        observations=as_buffer(leaves.observations),
        masks=as_buffer(leaves.masks),
        turns=as_buffer(leaves.turns),
        legal=numbers((size, game.max_moves), "i8"),
        counts=numbers(size, "i8"),
        labels=numbers((size, game.max_moves), "i8") if hidden else None,
        expands=numbers(size, "i8"),
        paths=numbers((2 * size, longest), "i8"),
        movers=numbers((2 * size, longest), "i8"),
        depths=numbers(2 * size, "i8"),
        tally=numbers(2, "i8"),
        priors=numbers(game.max_moves, "f8"),
        opened=numbers(longest * game.max_moves, "i8") if hidden else None,
    )


@compiled
def gather(
    game: Any,
    tree: Tree,
    is_open: Any,
    sets: Any,
    descent: Descent,
    eyes: Eyes,
    batch: LeafBatch,
    c: float,
    rng: Any,
    most: int,
) -> int:
    """Descend from descent.states[0] until the batch is full, or `most` simulations are under way or ended.

    It stops earlier once the root is proven, or if most descents collide. Returns the number that ended without the
    model. Of `is_open`, True if nothing is hidden, and `sets` one is None, so that numba compiles nothing for it.
    """
    size, ended, tally = len(batch.turns), 0, batch.tally
    tally[WAITING] = tally[COLLIDED] = 0
    for _ in range(DESCENTS * size):
        row = tally[WAITING]
        if row == size or tally[COLLIDED] == size or row + ended >= most or tree.nodes[ROOT].proven:
            break
        descent.states[1] = descent.states[0]
        s = descent.states[1]
        if is_open is not None:
            ended += gather_leaf(game, s, tree, descent, eyes, batch, c, rng)
        if sets is not None:
            ended += gather_set(game, s, tree, sets, descent, eyes, batch, c, rng)
    return ended


@compiled
def gather_leaf(
    game: Any, s: Any, tree: Tree, descent: Descent, eyes: Eyes, batch: LeafBatch, c: float, rng: Any
) -> int:
    """Descend once; return 1 if the simulation ended without the model, else 0."""
    row = batch.tally[WAITING]
    path, movers = batch.paths[row], batch.movers[row]
    depth = descend(game, s, tree, descent, path, movers, c, rng, 0)
    leaf = path[depth]
    batch.depths[row] = depth
    is_leaf = s.turn != CHANCE
    if ends(game, s, tree, leaf, descent, rng):
        back_up(tree.nodes, tree.exact, tree.odds, tree.ties, path, movers, descent.payoff, depth, None)
        return 1
    if is_leaf and is_waiting(batch, leaf):
        collide(tree, batch)
    else:
        batch.expands[row] = is_leaf
        batch.counts[row] = game.moves(s, batch.legal[row])
        wait(game, s, tree, eyes, batch)
    return 0


@compiled
def gather_set(
    game: Any, s: Any, tree: Tree, sets: Sets, descent: Descent, eyes: Eyes, batch: LeafBatch, c: float, rng: Any
) -> int:
    """The same for information sets: in a new determinization, to a node at which not all legal moves have a branch."""
    nodes, moves = tree.nodes, descent.moves
    row, player = batch.tally[WAITING], s.turn
    path, movers = batch.paths[row], batch.movers[row]
    game.redeal(s, player, rng)
    node, depth, opened = ROOT, 0, 0
    asks = False
    path[0] = ROOT
    while s.turn != OVER and depth < game.max_plies and not asks:
        if s.turn == CHANCE:
            move = game.draw(s, moves, descent.chances, rng)
            node = outcome_branch(tree, node, game.seen(s, move, player))
        else:
            count = game.moves(s, moves)
            is_complete = mark_branches(game, s, nodes, sets, node, player, moves, count)
            opened = note_opened(nodes, sets, node, batch.opened, opened)
            asks = nodes[node].guess < 0.0 or not is_complete
            if not asks:
                node = most_promising_branch(nodes, sets, node, count, c)
                move = move_of(moves, sets.labels, nodes[node].move, sets.number[LEGAL], rng)
        if not asks:
            depth += 1
            path[depth] = node
            movers[depth] = s.turn
            game.play(s, move)
    batch.depths[row] = depth
    if s.turn == OVER or not asks:
        game.normalized_payoff(s, descent.payoff)
        back_up_sets(nodes, path, movers, descent.payoff, depth)
        return 1
    if is_waiting(batch, node):
        for i in range(opened):
            nodes[batch.opened[i]].open -= 1
        collide(tree, batch)
    else:
        batch.expands[row] = True
        batch.counts[row] = sets.number[LEGAL]
        for i in range(batch.counts[row]):
            batch.legal[row, i] = moves[i]
            batch.labels[row, i] = sets.labels[i]
        wait(game, s, tree, eyes, batch)
    return 0


@compiled
def note_opened(nodes: Any, sets: Sets, node: int, opened: Any, count: int) -> int:
    """Add the branches that `mark_branches` has just found available to a list of `count`; return its new length."""
    child = nodes[node].child
    while child != 0:
        if sets.legal[nodes[child].move + 1] == sets.number[CHOICE]:
            opened[count] = child
            count += 1
        child = nodes[child].sibling
    return count


@compiled
def is_waiting(batch: LeafBatch, node: int) -> bool:
    """Whether a node is one of the leaves that wait."""
    found = False
    for row in range(batch.tally[WAITING]):
        found |= batch.paths[row, batch.depths[row]] == node
    return found


@compiled
def wait(game: Any, s: Any, tree: Tree, eyes: Eyes, batch: LeafBatch) -> None:
    """Add the leaf of the current descent to those that wait; the player to act is shown what they may know."""
    row = batch.tally[WAITING]
    batch.turns[row] = s.turn
    write_mask(batch.masks, row, batch.legal[row], batch.counts[row])
    observe(game, eyes, s, s.turn, batch.observations[row])
    add_visits(tree.nodes, batch, row, 1)
    batch.tally[WAITING] = row + 1


@compiled
def collide(tree: Tree, batch: LeafBatch) -> None:
    """Keep the path of the current descent, which ran into a leaf that is waiting, and leave its virtual loss there."""
    row = batch.tally[WAITING]
    place = len(batch.turns) + batch.tally[COLLIDED]
    batch.depths[place] = batch.depths[row]
    for d in range(batch.depths[row] + 1):
        batch.paths[place, d] = batch.paths[row, d]
    add_visits(tree.nodes, batch, place, 1)
    batch.tally[COLLIDED] += 1


@compiled
def add_visits(nodes: Any, batch: LeafBatch, row: int, visits: int) -> None:
    """Leave a virtual loss on a path, or take it back."""
    for d in range(batch.depths[row] + 1):
        nodes[batch.paths[row, d]].visits += visits


@compiled
def take_answers(
    tree: Tree, is_open: Any, sets: Any, batch: LeafBatch, policy: Any, has_logits: bool, values: Any, payoff: Any
) -> None:
    """Take back all virtual losses, expand the leaves and back up the values.

    `policy` is logits or probabilities by leaf and action, `values` the normalized payoffs by leaf and player.
    """
    waiting, size = batch.tally[WAITING], len(batch.turns)
    for row in range(waiting):
        add_visits(tree.nodes, batch, row, -1)
    for row in range(size, size + batch.tally[COLLIDED]):
        add_visits(tree.nodes, batch, row, -1)
    for row in range(waiting):
        path, movers, depth, count = batch.paths[row], batch.movers[row], batch.depths[row], batch.counts[row]
        leaf = path[depth]
        read_priors(policy[row], batch.legal[row], count, has_logits, batch.priors)
        for player in range(len(payoff)):
            payoff[player] = values[row, player]
        if is_open is not None:
            if batch.expands[row]:
                add_children(tree, leaf, batch.legal[row], batch.priors, count, payoff[batch.turns[row]])
            back_up(tree.nodes, tree.exact, tree.odds, tree.ties, path, movers, payoff, depth, None)
        if sets is not None:
            if batch.expands[row]:
                add_missing(tree, sets, leaf, batch.labels[row], batch.priors, count, payoff[batch.turns[row]])
            back_up_sets(tree.nodes, path, movers, payoff, depth)


@compiled
def read_priors(policy: Any, legal: Any, count: int, has_logits: bool, priors: Any) -> None:
    """Write the probabilities of the legal moves; they are all equal if the model gives none of them any."""
    highest = -math.inf
    for i in range(count):
        highest = max(highest, policy[legal[i]])
    total = 0.0
    for i in range(count):
        prior = float(policy[legal[i]])
        if has_logits:
            prior = math.exp(prior - highest) if highest > -math.inf else 0.0
        priors[i] = prior
        total += prior
    for i in range(count):
        priors[i] = priors[i] / total if total > 0.0 else 1.0 / count


@compiled
def add_missing(tree: Tree, sets: Sets, node: int, labels: Any, priors: Any, count: int, guess: float) -> None:
    """Add a branch for each label that has none, if there is room; `guess` is the value to the player to act."""
    if tree.used[0] + count > len(tree.nodes):
        return
    sets.number[CHOICE] += 1
    now = sets.number[CHOICE]
    for i in range(count):
        sets.labels[i] = labels[i]
    child = tree.nodes[node].child
    while child != 0:
        label = tree.nodes[child].move
        sets.chosen[label + 1] = now
        sets.branch[label + 1] = child
        child = tree.nodes[child].sibling
    if tree.nodes[node].guess < 0.0:
        tree.nodes[node].guess = guess
    add_branches(tree, sets, node, priors, count)
