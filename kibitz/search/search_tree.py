"""The Python side of a search tree: its memory, its root position and its statistics."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.compiler import native, numbers, records
from kibitz.players.bot import Ranked
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.search.mast import new_mast
from kibitz.search.move_priors import advice_of
from kibitz.search.playout import policy_of
from kibitz.search.simulation import Style, Walk, simulate
from kibitz.search.tree_arrays import NODE, PRIOR_NODE, ROOT, children_of, copy_tree, new_tree, re_root
from kibitz.state import State
from kibitz.table import Ply

FIRST_NODES = 4096  # capacity of a new tree; it doubles when full


class RootedTree:
    """A tree of positions whose root follows a game; `limit` bounds its nodes.

    With `split_ties`, shared wins are summed separately from whole ones.
    """

    kind: np.dtype = NODE  # of its nodes

    def __init__(self, game: Game, limit: int, split_ties: bool = False) -> None:
        self.game = game
        self.engine = Engine(game)
        self.widest = max(game.max_moves, game.max_outcomes)
        self.limit = max(limit, 2 * self.widest + 1)
        self.split_ties = split_ties
        self.tree = new_tree(min(FIRST_NODES, self.limit), game.players, split_ties, self.kind)
        self.root = records(1, game.dtype)  # [the position of the root]

    def make_room(self, count: int) -> None:
        """Make room for the nodes that `count` simulations may add, up to the limit."""
        wanted = min(int(self.tree.used[0]) + (count + 1) * self.widest, self.limit)
        if wanted > len(self.tree.nodes):
            larger = new_tree(min(2 * wanted, self.limit), self.game.players, self.split_ties, self.kind)
            copy_tree(self.tree, larger)
            self.tree = larger

    def node(self, index: int) -> State:
        return State(self.tree.nodes[index])

    def children(self, index: int) -> range:
        return children_of(self.node(index).block)

    def set_root(self, state: State, since: Sequence[Ply]) -> bool:
        """Move the root to a position: along the plies since the last root if they lead there, else start over.

        Returns whether the tree was kept.
        """
        index = self._follow(state, since) if self.tree.used[0] else None
        if index is None:
            self.tree.used[0] = 1
            self.tree.nodes[ROOT] = records(1, self.kind)[0]
        elif index != ROOT:
            re_root(self.tree, index)
        self.root[0] = native(state)
        return index is not None

    def _follow(self, state: State, since: Sequence[Ply]) -> int | None:
        """The node of a position reached from the root by these plies; None if the tree does not have it."""
        position, index = State(self.root[0]).copy(), ROOT
        if position == state:
            return index
        for turn, move in since:
            child = next((i for i in self.children(index) if self.node(i).move == move), None)
            if child is None or position.turn != turn:
                return None
            self.engine.play(position, move)
            index = child
        return index if position == state else None

    def statistics(self, index: int, player: int) -> Ranked:
        """The value and the visits of a node, for the player who moved there."""
        node = self.node(index)
        exact = bool(node.proven)
        paid = node.worth + (self.tree.ties[index] if self.split_ties else 0.0)
        value = self.tree.exact[index, player] if exact else paid / max(node.visits, 1)
        prior = node.prior if "prior" in (self.kind.names or ()) else None
        return Ranked(node.move, float(value), node.visits, exact, prior=prior)

    def line(self, index: int) -> tuple[int, ...]:
        """The principal variation through a child of the root, up to a leaf or the next chance event."""
        position = State(self.root[0]).copy()
        moves = [self.node(index).move]
        self.engine.play(position, moves[0])
        while self.children(index) and position.turn >= 0:
            replies = {i: self.statistics(i, position.turn) for i in self.children(index)}
            index = max(replies, key=lambda i: preference(replies[i]))
            if not replies[index].visits:
                break
            moves.append(replies[index].move)
            self.engine.play(position, moves[-1])
        return tuple(moves)


class SearchTree(RootedTree):
    """A tree of UCT and the workspace to grow it.

    `habit` is the probability that MAST chooses a playout's move, `by` the spec of a player that moves in playouts,
    `prior` that of a bot whose probabilities of moves the nodes have.
    """

    def __init__(
        self, game: Game, limit: int, split_ties: bool = False, habit: float = 0.0, by: str = "", prior: str = ""
    ) -> None:
        self.kind = PRIOR_NODE if prior else NODE
        super().__init__(game, limit, split_ties)
        self.habit, self.by, self.prior = habit, by, prior
        self.walk = self._walk()
        self._walks: list[Walk] = []  # of further threads

    def _walk(self) -> Walk:
        game = self.game
        policy, memory = policy_of(self.by, game)
        return Walk(
            states=records(2, game.dtype),
            path=numbers(game.max_plies + 2, "i8"),
            movers=numbers(game.max_plies + 2, "i8"),
            moves=numbers(self.widest, "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
            mast=new_mast(game, self.habit) if self.habit else None,
            policy=policy,
            memory=memory,
            advice=advice_of(self.prior, game),
        )

    def set_root(self, state: State, since: Sequence[Ply]) -> bool:
        kept = super().set_root(state, since)
        if not kept:
            self.walk = self._walk()  # without the statistics of another game
            self._walks.clear()
        self.walk.states[0] = self.root[0]
        return kept

    def others(self, count: int) -> list[SearchTree]:
        """`count` more handles on the same tree, each with its own workspace."""
        while len(self._walks) < count:
            self._walks.append(self._walk())
        found = []
        for walk in self._walks[:count]:
            walk.states[0] = self.walk.states[0]
            other = copy.copy(self)
            other.walk = walk
            found.append(other)
        return found

    def simulate(self, style: Style, rng: Any, count: int) -> int:
        """Run simulations, with room for the nodes they may add."""
        self.make_room(count)
        return simulate(self.game, self.tree, self.walk, style, rng, count)


def preference(ranked: Ranked) -> tuple[int, int]:
    """A sort key: a proven win is best, then the most visited move; a proven loss is worst."""
    certainty = (1 if ranked.value >= 1.0 else -1 if ranked.value <= 0.0 else 0) if ranked.exact else 0
    return certainty, ranked.visits


def by_value(moves: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """The moves sorted by value, unvisited ones last."""
    return tuple(sorted(moves, key=lambda ranked: (ranked.visits > 0 or ranked.exact, ranked.value), reverse=True))


def merged(trees: Sequence[RootedTree], player: int, with_lines: bool) -> tuple[Ranked, ...]:
    """The root moves of several trees, best first."""
    found: dict[int, list[tuple[Ranked, RootedTree, int]]] = {}
    for tree in trees:
        for index in tree.children(ROOT):
            ranked = tree.statistics(index, player)
            found.setdefault(ranked.move, []).append((ranked, tree, index))
    moves = []
    for move, nodes in sorted(found.items()):
        visits = sum(ranked.visits for ranked, *_ in nodes)
        proof = next((ranked for ranked, *_ in nodes if ranked.exact), None)
        mean = sum(ranked.value * ranked.visits for ranked, *_ in nodes) / max(visits, 1)
        _, tree, index = max(nodes, key=lambda node: node[0].visits)
        line = tree.line(index) if with_lines else (move,)
        value, prior = proof.value if proof else mean, nodes[0][0].prior
        moves.append(Ranked(move, value, visits, proof is not None, line, prior))
    if all(ranked.exact for ranked in moves):
        return tuple(sorted(moves, key=lambda ranked: (-ranked.value, -ranked.visits)))
    return tuple(sorted(moves, key=preference, reverse=True))
