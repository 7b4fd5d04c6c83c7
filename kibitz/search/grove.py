"""A tree of UCT as Python sees it: its memory, its root position, and what it says of the moves."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from kibitz.bots import Ranked
from kibitz.compiled import native, numbers, records
from kibitz.engine import Engine
from kibitz.game import Game
from kibitz.search.habits import new_habits
from kibitz.search.simulation import Style, Walk, simulate
from kibitz.search.tree import NODE, ROOT, children_of, copy_tree, new_tree, re_root
from kibitz.state import State
from kibitz.table import Ply

FIRST_NODES = 4096  # of a new tree; it is moved to twice the room when it needs more


class Grove:
    """One tree and what it takes to grow it.

    `limit` bounds its nodes; with `apart` shared wins are kept apart from whole ones; `habit` is the strength of the
    habits of its playouts, 0: they have none.
    """

    def __init__(self, game: Game, limit: int, apart: bool = False, habit: float = 0.0) -> None:
        self.game = game
        self.engine = Engine(game)
        self.widest = max(game.max_moves, game.max_outcomes)
        self.limit = max(limit, 2 * self.widest + 1)
        self.apart = apart
        self.habit = habit
        self.tree = new_tree(min(FIRST_NODES, self.limit), game.players, apart)
        self.walk = self._walk()
        self._walks: list[Walk] = []  # of others

    def _walk(self) -> Walk:
        game = self.game
        return Walk(
            states=records(2, game.dtype),
            path=numbers(game.max_plies + 2, "i8"),
            movers=numbers(game.max_plies + 2, "i8"),
            moves=numbers(self.widest, "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
            habits=new_habits(game, self.habit) if self.habit else None,
        )

    def others(self, count: int) -> list[Grove]:
        """So many others who grow the same tree, each with a work space of its own."""
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
        """Run simulations with room for the nodes they may grow."""
        self.make_room(count)
        return simulate(self.game, self.tree, self.walk, style, rng, count)

    def make_room(self, count: int) -> None:
        """Have room for the nodes that so many simulations may grow, up to the limit."""
        wanted = min(int(self.tree.used[0]) + (count + 1) * self.widest, self.limit)
        if wanted > len(self.tree.nodes):
            larger = new_tree(min(2 * wanted, self.limit), self.game.players, self.apart)
            copy_tree(self.tree, larger)
            self.tree = larger

    def node(self, index: int) -> State:
        return State(self.tree.nodes[index])

    def children(self, index: int) -> range:
        return children_of(self.node(index).block)

    def stand_at(self, state: State, since: Sequence[Ply]) -> None:
        """Move the root to a position: along the plies since the last one if they lead there, else start anew."""
        index = self._follow(state, since) if self.tree.used[0] else None
        if index is None:
            self.tree.used[0] = 1
            self.tree.nodes[ROOT] = records(1, NODE)[0]
            self.walk = self._walk()  # without the habits of another game
            self._walks.clear()
        elif index != ROOT:
            re_root(self.tree, index)
        self.walk.states[0] = native(state)

    def _follow(self, state: State, since: Sequence[Ply]) -> int | None:
        """The node of a position that was reached by these plies from the root, if the tree has it."""
        position, index = State(self.walk.states[0]).copy(), ROOT
        if position == state:
            return index
        for turn, move in since:
            child = next((i for i in self.children(index) if self.node(i).move == move), None)
            if child is None or position.turn != turn:
                return None
            self.engine.play(position, move)
            index = child
        return index if position == state else None

    def opinion(self, index: int, player: int) -> Ranked:
        """What the tree says of a node, for the player who moved there."""
        node = self.node(index)
        exact = bool(node.proven)
        paid = node.worth + (self.tree.ties[index] if self.apart else 0.0)
        value = self.tree.exact[index, player] if exact else paid / max(node.visits, 1)
        return Ranked(node.move, float(value), node.visits, exact)

    def line(self, index: int) -> tuple[int, ...]:
        """A child of the root and its most visited continuation, up to a leaf or the next chance event."""
        position = State(self.walk.states[0]).copy()
        moves = [self.node(index).move]
        self.engine.play(position, moves[0])
        while self.children(index) and position.turn >= 0:
            opinions = {i: self.opinion(i, position.turn) for i in self.children(index)}
            index = max(opinions, key=lambda i: preference(opinions[i]))
            if not opinions[index].visits:
                break
            moves.append(opinions[index].move)
            self.engine.play(position, moves[-1])
        return tuple(moves)


def preference(ranked: Ranked) -> tuple[int, int]:
    """What to play: a proven win, else the most visited move, a proven loss last."""
    certainty = (1 if ranked.value >= 1.0 else -1 if ranked.value <= 0.0 else 0) if ranked.exact else 0
    return certainty, ranked.visits


def by_value(moves: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """The moves in the order of their values; those never visited last."""
    return tuple(sorted(moves, key=lambda ranked: (ranked.visits > 0 or ranked.exact, ranked.value), reverse=True))


def merged(groves: Sequence[Grove], player: int, with_lines: bool) -> tuple[Ranked, ...]:
    """The root moves of several trees, best first."""
    found: dict[int, list[tuple[Ranked, Grove, int]]] = {}
    for grove in groves:
        for index in grove.children(ROOT):
            opinion = grove.opinion(index, player)
            found.setdefault(opinion.move, []).append((opinion, grove, index))
    moves = []
    for move, opinions in sorted(found.items()):
        visits = sum(opinion.visits for opinion, *_ in opinions)
        proof = next((opinion for opinion, *_ in opinions if opinion.exact), None)
        mean = sum(opinion.value * opinion.visits for opinion, *_ in opinions) / max(visits, 1)
        _, grove, index = max(opinions, key=lambda found: found[0].visits)
        line = grove.line(index) if with_lines else (move,)
        moves.append(Ranked(move, proof.value if proof else mean, visits, proof is not None, line))
    if all(ranked.exact for ranked in moves):
        return tuple(sorted(moves, key=lambda ranked: (-ranked.value, -ranked.visits)))
    return tuple(sorted(moves, key=preference, reverse=True))
