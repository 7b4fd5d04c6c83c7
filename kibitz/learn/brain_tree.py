"""A tree of brains: learning by trial, one change at a time, as UCT searches moves.

It keeps every brain ever tried, each as a child of the one it was derived from, with the games that it and its
descendants played and won. It selects, over the whole tree, the brain with the highest upper confidence bound,
w/t + √(2 ln t_parent / t). That brain gets a child, which differs from it in one weight by a random step (triangular,
from −step to step), and the child plays the next game. The result is backed up to the root. It stops after a given
number of games.
The bounds are those of UCB1 (Auer, Cesa-Bianchi and Fischer 2002), taken over all nodes instead of among siblings.

A game changes the counts of the brain that played and of its ancestors. Only their bounds, and those of their children,
have to be updated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers
from kibitz.learn.features import Features
from kibitz.learn.learned import Learned
from kibitz.learn.linear_value import new_value_function
from kibitz.learn.training_games import SELF, TrainingGames, compiled_player, new_training_games, play_next, share_of
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream, below, uniform

NONE = -1
ENOUGH_GAMES = 30  # a brain that played fewer, descendants included, is not chosen in the end
SURE = 1.959964  # standard deviations: the interval covers 95 %


class BrainTree(NamedTuple):
    """The brains of one learner. Row 0 is the root."""

    parent: Any
    first_child: Any
    next_sibling: Any
    wins: Any  # of the brain and its descendants
    games: Any
    bound: Any  # the upper confidence bound
    brains: Any  # [node, weight]
    place: Any  # [number of nodes, the one that plays]
    playing: Any  # the weights of the value function that plays
    rng: Any


SIZE, PLAYER = 0, 1


@compiled
def grow(game: Any, games: TrainingGames, trees: Any, step: float, count: int) -> None:
    """Play `count` games, from which the first players of the line-up learn, each with its own tree."""
    for _ in range(count):
        play_next(game, games)
        for learner in range(len(trees)):
            back_up(trees[learner], share_of(game, games, learner))
            try_another(trees[learner], step)


@compiled
def back_up(tree: BrainTree, share: float) -> None:
    """Back up a result to the brain that played and all its ancestors."""
    node = tree.place[PLAYER]
    while node != NONE:
        tree.games[node] += 1
        tree.wins[node] += share
        node = tree.parent[node]
    node = tree.place[PLAYER]
    while node != NONE:
        set_bound(tree, node)
        child = tree.first_child[node]
        while child != NONE:
            set_bound(tree, child)
            child = tree.next_sibling[child]
        node = tree.parent[node]


@compiled
def set_bound(tree: BrainTree, node: int) -> None:
    games = tree.games[node]
    above = games if node == 0 else tree.games[tree.parent[node]]
    tree.bound[node] = tree.wins[node] / games + math.sqrt(2.0 * math.log(above) / games)


@compiled
def try_another(tree: BrainTree, step: float) -> None:
    """Add a child to the brain with the highest bound; it plays next."""
    parent = 0
    for node in range(1, tree.place[SIZE]):
        if tree.bound[node] > tree.bound[parent]:
            parent = node
    child = tree.place[SIZE]
    tree.place[SIZE] = child + 1
    tree.place[PLAYER] = child
    tree.parent[child] = parent
    tree.next_sibling[child] = tree.first_child[parent]
    tree.first_child[parent] = child
    for i in range(len(tree.playing)):
        tree.brains[child, i] = tree.brains[parent, i]
    tree.brains[child, below(tree.rng, len(tree.playing))] += triangular(tree.rng, step)
    for i in range(len(tree.playing)):
        tree.playing[i] = tree.brains[child, i]


@compiled
def triangular(rng: Any, step: float) -> float:
    """A random number from −step to step with a triangular distribution around 0."""
    return step * (uniform(rng) + uniform(rng) - 1.0)


def new_tree(root: Sequence[float], playing: Any, games: int, stream: Stream) -> BrainTree:
    """A tree with only a root, which plays the first game, and room for `games` games."""
    nodes = games + 1
    tree = BrainTree(
        parent=numbers(nodes, "i4"),
        first_child=numbers(nodes, "i4"),
        next_sibling=numbers(nodes, "i4"),
        wins=numbers(nodes, "f8"),
        games=numbers(nodes, "i8"),
        bound=numbers(nodes, "f8"),
        brains=numbers((nodes, len(root)), "f8"),
        place=numbers(2, "i8"),
        playing=playing,
        rng=stream.words,
    )
    for links in (tree.parent, tree.first_child, tree.next_sibling):
        links[:] = NONE
    tree.place[SIZE] = 1
    for i, weight in enumerate(root):
        tree.brains[0, i] = weight
    return tree


@dataclass(frozen=True)
class Node:
    """A brain of a tree, with the results of it and its descendants."""

    number: int  # in the order of creation; 0 is the root
    parent: int  # −1: none
    wins: float
    games: int


def nodes_of(tree: BrainTree) -> list[Node]:
    """The brains that have played."""
    columns = (np.asarray(column).tolist() for column in (tree.parent, tree.wins, tree.games))
    rows = enumerate(zip(*columns, strict=True))
    return [Node(number, *row) for number, row in rows if row[2]]


def best_node(nodes: Sequence[Node], raw: bool = False) -> Node:
    """The brain to play with: of those with enough games, the one with the highest lower confidence bound.

    `raw` goes by the win rate itself, which is often highest for a brain that was lucky.
    """
    enough = min(ENOUGH_GAMES, nodes[0].games)
    return max((node for node in nodes if node.games >= enough), key=share if raw else lower_bound)


def share(node: Node) -> float:
    return node.wins / node.games


def lower_bound(node: Node) -> float:
    """The lower end of the Wilson interval for the win rate of a brain."""
    q = SURE * SURE / node.games
    return (share(node) + q / 2 - math.sqrt(q * (share(node) * (1 - share(node)) + q / 4))) / (1 + q)


class BrainTreeTraining:
    """Learners that each grow a tree as they play: two against each other, or one against a bot."""

    def __init__(self, game: Game, features: Features, games: int, seed: int, opponent: str, step: float) -> None:
        self.game = game
        self.step = step
        root = features.start(game)
        values = [new_value_function(game, features, root) for _ in range(2 if opponent == SELF else 1)]
        line_up: list[tuple[CompiledPlayer, Any]] = [(Learned(), (value,)) for value in values]
        if opponent != SELF:
            line_up.append(compiled_player(opponent, game))
        self.trees = tuple(
            new_tree(root, value.weights, games, Stream(seed, "brains", learner))
            for learner, value in enumerate(values)
        )
        self.games = new_training_games(game, line_up, seed, keep_moves=False)

    def study(self, count: int) -> None:
        """Play `count` games and learn from each."""
        grow(self.game, self.games, self.trees, self.step, count)

    def best(self, raw: bool = False) -> tuple[list[float], list[Node], Node]:
        """The weights of the best brain, its tree, and its node there."""
        grown = [nodes_of(tree) for tree in self.trees]
        chosen = [best_node(nodes, raw) for nodes in grown]
        learner = max(range(len(chosen)), key=lambda learner: (share if raw else lower_bound)(chosen[learner]))
        weights = np.asarray(self.trees[learner].brains[chosen[learner].number]).tolist()
        return weights, grown[learner], chosen[learner]
