"""The moves from the root of a tree that a network guided, best first."""

from __future__ import annotations

from kibitz.players.bot import Ranked
from kibitz.search.search_tree import RootedTree, merged, preference
from kibitz.search.tree_arrays import ROOT, Tree
from kibitz.state import State


def ranked_children(tree: RootedTree, player: int, with_lines: bool) -> tuple[Ranked, ...]:
    """The moves in a tree of PUCT; equally good ones that were visited equally often by their priors."""
    moves = merged([tree], player, with_lines)
    if all(ranked.exact for ranked in moves):
        return moves
    return tuple(sorted(moves, key=lambda ranked: (preference(ranked), ranked.prior), reverse=True))


def ranked_branches(tree: Tree) -> tuple[Ranked, ...]:
    """The moves in a tree over information sets; those that were visited equally often by their priors."""
    nodes = []
    child = State(tree.nodes[ROOT]).child
    while child:
        nodes.append(State(tree.nodes[child]))
        child = nodes[-1].sibling
    nodes.sort(key=lambda node: (node.visits, node.prior), reverse=True)
    return tuple(
        Ranked(node.move, node.worth / max(node.visits, 1), node.visits, line=(node.move,), prior=node.prior)
        for node in nodes
    )
