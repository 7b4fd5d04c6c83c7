"""A search tree as preallocated arrays: the layout of the nodes, and re-rooting.

Children are allocated in blocks, so that a node only stores where its block is. Blocks are taken from a counter that
only goes up, so that a child's index is always greater than its parent's, and re-rooting is one pass in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers, records

NODE = np.dtype(
    [
        ("visits", "i8"),
        ("worth", "f8"),  # sum of the payoffs of the player who moved here
        ("block", "i8"),  # where the children are, in one word, which threads see whole or not at all; 0: a leaf
        ("move", "i4"),  # the move or outcome that leads here
        ("proven", "i4"),  # 1: the value is known exactly
    ]
)
PRIOR_NODE = np.dtype([*NODE.descr, ("prior", "f4")])  # with the probability of the move, before it is searched
ROOT = 0
CHILDREN_BITS = 16
MOST_CHILDREN = (1 << CHILDREN_BITS) - 1


class Tree(NamedTuple):
    """The nodes, preallocated. A child's index is always greater than its parent's."""

    nodes: Any
    exact: Any  # the payoffs of proven nodes, by player
    odds: Any  # the probability of a chance outcome
    ties: Any  # the sum of shared wins, if they are not part of `worth`; else None
    used: Any  # [number of nodes]
    places: Any  # workspace for re-rooting


def new_tree(capacity: int, players: int, split_ties: bool = False, kind: np.dtype = NODE) -> Tree:
    """An empty tree with room for `capacity` nodes, of a kind that has at least the fields of NODE."""
    return Tree(
        nodes=records(capacity, kind),
        exact=numbers((capacity, players), "f8"),
        odds=numbers(capacity, "f8"),
        ties=numbers(capacity, "f8") if split_ties else None,
        used=numbers(1, "i8"),
        places=numbers(capacity, "i4"),
    )


@compiled
def block_of(first: int, count: int) -> int:
    """The children first … first + count − 1 as a block, in one word."""
    return first << CHILDREN_BITS | count


@compiled
def first_of(block: int) -> int:
    return block >> CHILDREN_BITS


@compiled
def end_of(block: int) -> int:
    return (block >> CHILDREN_BITS) + (block & MOST_CHILDREN)


def children_of(block: int) -> range:
    """The indices of a block, for Python."""
    first = block >> CHILDREN_BITS
    return range(first, first + (block & MOST_CHILDREN))


@compiled
def copy_tree(tree: Tree, larger: Tree) -> None:
    """Copy a tree into a larger one."""
    used = min(tree.used[0], len(tree.nodes))
    larger.used[0] = used
    for i in range(used):
        larger.nodes[i] = tree.nodes[i]
        larger.odds[i] = tree.odds[i]
        copy_tie(tree.ties, i, larger.ties, i)
        for player in range(tree.exact.shape[1]):
            larger.exact[i, player] = tree.exact[i, player]


@compiled
def copy_tie(ties: Any, node: int, target: Any, place: int) -> None:
    if ties is not None:
        target[place] = ties[node]


@compiled
def re_root(tree: Tree, root: int) -> None:
    """Keep only the subtree of one node, in place: nodes move towards the front and keep their order."""
    nodes, places = tree.nodes, tree.places
    used = min(tree.used[0], len(nodes))
    for i in range(root, used):
        places[i] = 0
    places[root] = 1
    kept = 0
    for i in range(root, used):  # parents come before children: one pass marks and numbers the subtree
        if places[i]:
            for child in range(first_of(nodes[i].block), end_of(nodes[i].block)):
                places[child] = 1
            places[i] = kept
            kept += 1
        else:
            places[i] = -1
    for i in range(root, used):
        place = places[i]
        if place >= 0:
            nodes[place] = nodes[i]
            block = nodes[place].block
            if block:
                nodes[place].block = block_of(places[first_of(block)], block & MOST_CHILDREN)
            tree.odds[place] = tree.odds[i]
            copy_tie(tree.ties, i, tree.ties, place)
            if nodes[place].proven:
                for player in range(tree.exact.shape[1]):
                    tree.exact[place, player] = tree.exact[i, player]
    tree.used[0] = kept
