"""Tree search guided by a network in any game: PUCT, or its version for information sets if something is hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from kibitz.compiler import compiled, mode
from kibitz.learn.features import Features
from kibitz.learn.zero.evaluator import Evaluator, new_evaluator
from kibitz.learn.zero.information_sets import SET_NODE, clear_branch, new_sets, simulate_sets
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.puct import GUIDED_NODE, Descent, Guidance, clear_node, new_descent, simulate_guided
from kibitz.rules.contract import Game
from kibitz.search.tree_arrays import ROOT, Tree, end_of, first_of, new_tree, re_root


class GuidedSearch(NamedTuple):
    """A tree, the network that guides it, and the workspace.

    Of `is_open` and `sets` one is None, so that numba compiles nothing for it.
    """

    tree: Tree
    descent: Descent
    evaluator: Evaluator
    guide: Guidance
    is_open: Any  # True if nothing is hidden
    sets: Any  # the workspace for information sets if something is


def new_guided_search(game: Game, features: Features, network: Network, nodes: int, guide: Guidance) -> GuidedSearch:
    """A search whose tree has room for `nodes` nodes."""
    hidden = game.has_hidden_information
    return GuidedSearch(
        tree=new_tree(nodes, game.players, kind=SET_NODE if hidden else GUIDED_NODE),
        descent=new_descent(game),
        evaluator=new_evaluator(game, features, network),
        guide=guide,
        is_open=None if hidden else True,
        sets=new_sets(game),
    )


@compiled
def simulate_any(game: Any, search: GuidedSearch, is_open: Any, sets: Any, rng: Any, count: int, at_root: int) -> int:
    """Run up to `count` simulations from descent.states[0], all through one child of the root unless that is 0."""
    tree, descent, by, guide = search.tree, search.descent, search.evaluator, search.guide
    done = 0
    if is_open is not None:
        done = simulate_guided(game, tree, descent, by, guide, rng, count, at_root)
    if sets is not None:
        done = simulate_sets(game, tree, sets, descent, by, guide, rng, count, at_root)
    return done


def bound_simulate(game: Game, search: GuidedSearch, rng: Any) -> Callable[..., int]:
    """`simulate_any` for the types of a search: finding them out takes longer than many simulations."""
    guide = search.guide
    parts = type(search.evaluator.features).__name__, guide.playouts, guide.urgent, guide.mast is None
    key = f"guided search by {parts}", mode()
    if key not in game.bound:
        arguments = game, search, search.is_open, search.sets, rng, 0, 0
        game.bound[key] = simulate_any.bind(*arguments)  # type: ignore[attr-defined]
    return cast("Callable[..., int]", game.bound[key])


@compiled
def forget(tree: Tree, is_open: Any, sets: Any) -> None:
    """Make the tree an unvisited root."""
    tree.used[0] = 1
    if is_open is not None:
        clear_node(tree.nodes[ROOT], 0, 0.0)
    if sets is not None:
        clear_branch(tree.nodes[ROOT], 0, 0)


@compiled
def list_children(tree: Tree, is_open: Any, sets: Any, children: Any) -> int:
    """Write the children of the root; return how many."""
    count = 0
    if is_open is not None:
        block = tree.nodes[ROOT].block
        for child in range(first_of(block), end_of(block)):
            children[count] = child
            count += 1
    if sets is not None:
        child = tree.nodes[ROOT].child
        while child != 0:
            children[count] = child
            count += 1
            child = tree.nodes[child].sibling
    return count


@compiled
def follow(tree: Tree, is_open: Any, sets: Any, move: int) -> None:
    """Move the root along a move or outcome; start over if the tree does not have it, or is half full."""
    kept = False
    if is_open is not None:
        block = tree.nodes[ROOT].block
        for child in range(first_of(block), end_of(block)):
            if tree.nodes[child].move == move:
                re_root(tree, child)
                kept = tree.used[0] <= len(tree.nodes) // 2
                break
    if not kept:
        forget(tree, is_open, sets)


@compiled
def show_root(game: Any, s: Any, states: Any, known: Any, scratch: Any) -> None:
    """Make a position, as the player to act sees it, that of the root."""
    if known is None:
        states[0] = s
    else:
        known[0] = s
        scratch[:] = 0  # scratch fields may leak hidden information
        game.redact(known[0], s.turn)
        states[0] = known[0]
