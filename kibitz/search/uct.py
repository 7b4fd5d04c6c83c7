"""UCT: Monte Carlo tree search with the UCB1 rule (Kocsis and Szepesvári, 2006), for any number of players and chance.

It keeps a tree of visited positions; each node counts visits and what they were worth to the player who moved there.
A simulation descends by w/n + c·√(ln N / n) (chance by its odds), grows the leaf it reaches once that has been visited
`expand` times, plays on at random to the end, and adds the payoff to every node on the way back. Won, lost and drawn
ends are proven backwards (Winands, Björnsson and Saito, 2008): proven moves are not explored again, and a proven root
ends the search. The tree is kept between moves. `threads=` grows own trees from own streams and merges them at the
root, which is repeatable.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.rng import Stream, shuffle, uniform
from kibitz.search.budget import spend
from kibitz.search.playout import playout
from kibitz.state import State
from kibitz.table import Ply, View

NODE = np.dtype(
    [
        ("visits", "i8"),
        ("worth", "f8"),  # sum of the payoffs of the player who moved here
        ("first", "i4"),  # children are one block of nodes: first … first + children − 1
        ("move", "i4"),  # the move or outcome that leads here
        ("children", "i4"),  # 0: a leaf
        ("proven", "i4"),  # 1: the value is known exactly
    ]
)
ROOT = 0


class Tree(NamedTuple):
    """The nodes, preallocated. A child's index is always greater than its parent's."""

    nodes: Any
    exact: Any  # the payoffs of proven nodes, by player
    odds: Any  # the probability of a chance outcome
    used: Any  # [how many nodes there are]
    places: Any  # work space for re-rooting


class Walk(NamedTuple):
    """One simulation's work space."""

    states: Any  # [the root position, the position of the simulation]
    path: Any  # the nodes from the root to the leaf
    movers: Any  # who acted at each of them
    moves: Any
    chances: Any
    payoff: Any


@compiled
def simulate(game: Any, tree: Tree, walk: Walk, rng: Any, count: int, c: float, expand: int) -> int:
    """Run up to `count` simulations from walk.states[0]; return how many: fewer when the root is proven."""
    nodes = tree.nodes
    room = len(nodes) - len(walk.moves)
    for done in range(count):
        if nodes[ROOT].proven:
            return done
        walk.states[1] = walk.states[0]
        s = walk.states[1]
        node, depth = ROOT, 0
        while not nodes[node].proven and s.turn != OVER:
            if nodes[node].children == 0:
                if (nodes[node].visits < expand and node != ROOT) or tree.used[0] > room:
                    break
                grow(game, s, tree, walk, node, rng)
            walk.path[depth] = node
            walk.movers[depth] = s.turn
            node = draw_child(tree, node, rng) if s.turn == CHANCE else best_child(tree, node, s.turn, c)
            game.play(s, nodes[node].move)
            depth += 1
        walk.path[depth] = node
        if not nodes[node].proven:
            ended = s.turn == OVER
            playout(game, s, walk.moves, walk.chances, rng)
            game.payoff(s, walk.payoff)
            if ended:
                prove(tree, node, walk.payoff)
        else:
            for player in range(len(walk.payoff)):
                walk.payoff[player] = tree.exact[node, player]
        back_up(tree, walk, depth)
    return count


@compiled
def grow(game: Any, s: Any, tree: Tree, walk: Walk, node: int, rng: Any) -> None:
    """Give a leaf its children: the legal moves in random order, or the outcomes of chance with their odds."""
    first = tree.used[0]
    if s.turn == CHANCE:
        count = game.chances(s, walk.moves, walk.chances)
        for i in range(count):
            tree.odds[first + i] = walk.chances[i]
    else:
        count = game.moves(s, walk.moves)
        shuffle(rng, walk.moves, count)
    for i in range(count):
        child = tree.nodes[first + i]
        child.visits = 0
        child.worth = 0.0
        child.first = 0
        child.move = walk.moves[i]
        child.children = 0
        child.proven = 0
    tree.nodes[node].first = first
    tree.nodes[node].children = count
    tree.used[0] = first + count


@compiled
def best_child(tree: Tree, node: int, player: int, c: float) -> int:
    """The child with the highest w/n + c·√(ln N / n) for the player; unvisited ones first, proven ones by value."""
    nodes = tree.nodes
    first = nodes[node].first
    log_visits = math.log(max(nodes[node].visits, 1))
    best, best_bound = first, -1.0
    for child in range(first, first + nodes[node].children):
        visits = nodes[child].visits
        if visits == 0:
            return child
        if nodes[child].proven:
            bound = tree.exact[child, player]  # nothing to explore: taken only when nothing else may be better
        else:
            bound = nodes[child].worth / visits + c * math.sqrt(log_visits / visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@compiled
def draw_child(tree: Tree, node: int, rng: Any) -> int:
    """A chance node's child, drawn with its probability."""
    first = tree.nodes[node].first
    last = first + tree.nodes[node].children - 1
    left = uniform(rng)
    for child in range(first, last):
        left -= tree.odds[child]
        if left < 0.0:
            return child
    return last


@compiled
def back_up(tree: Tree, walk: Walk, depth: int) -> None:
    """Add the payoff to all nodes on the path, and prove those whose value has become certain."""
    nodes = tree.nodes
    certain = nodes[walk.path[depth]].proven
    for d in range(depth, -1, -1):
        node = walk.path[d]
        if d < depth and certain:
            certain = try_to_prove(tree, walk, node, walk.path[d + 1], walk.movers[d])
        nodes[node].visits += 1
        if d > 0 and walk.movers[d - 1] >= 0:
            nodes[node].worth += walk.payoff[walk.movers[d - 1]]


@compiled
def try_to_prove(tree: Tree, walk: Walk, node: int, child: int, mover: int) -> int:
    """Prove a node after one of its children: by one that wins all, or when none is left open. 1 if it is proven."""
    first = tree.nodes[node].first
    last = first + tree.nodes[node].children
    best = child
    if mover == CHANCE or tree.exact[child, mover] < 1.0:
        for i in range(first, last):
            if not tree.nodes[i].proven:
                return 0
            if mover != CHANCE and tree.exact[i, mover] > tree.exact[best, mover]:
                best = i
    for player in range(len(walk.payoff)):
        if mover == CHANCE:
            walk.payoff[player] = 0.0
            for i in range(first, last):
                walk.payoff[player] += tree.odds[i] * tree.exact[i, player]
        else:
            walk.payoff[player] = tree.exact[best, player]
    prove(tree, node, walk.payoff)
    return 1


@compiled
def prove(tree: Tree, node: int, payoff: Any) -> None:
    """Note the exact value of a node."""
    tree.nodes[node].proven = 1
    for player in range(len(payoff)):
        tree.exact[node, player] = payoff[player]


@compiled
def re_root(tree: Tree, root: int) -> None:
    """Keep only the subtree of one node, in place: nodes move towards the front in the order they have."""
    nodes, places = tree.nodes, tree.places
    used = tree.used[0]
    for i in range(root, used):
        places[i] = 0
    places[root] = 1
    kept = 0
    for i in range(root, used):  # parents come before children: one pass marks and numbers the subtree
        if places[i]:
            for child in range(nodes[i].first, nodes[i].first + nodes[i].children):
                places[child] = 1
            places[i] = kept
            kept += 1
        else:
            places[i] = -1
    for i in range(root, used):
        place = places[i]
        if place >= 0:
            nodes[place] = nodes[i]
            if nodes[place].children:
                nodes[place].first = places[nodes[place].first]
            tree.odds[place] = tree.odds[i]
            if nodes[place].proven:
                for player in range(tree.exact.shape[1]):
                    tree.exact[place, player] = tree.exact[i, player]
    tree.used[0] = kept


class Grove:
    """One tree and what it takes to grow it: its memory, its root position and its random stream."""

    def __init__(self, game: Game, capacity: int) -> None:
        self.game = game
        self.engine = Engine(game)
        widest = max(game.max_moves, game.max_outcomes)
        capacity = max(capacity, 2 * widest + 1)
        self.tree = Tree(
            nodes=records(capacity, NODE),
            exact=numbers((capacity, game.players), "f8"),
            odds=numbers(capacity, "f8"),
            used=numbers(1, "i8"),
            places=numbers(capacity, "i4"),
        )
        self.walk = Walk(
            states=records(2, game.dtype),
            path=numbers(game.max_plies + 2, "i8"),
            movers=numbers(game.max_plies + 2, "i8"),
            moves=numbers(widest, "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
        )

    def node(self, index: int) -> State:
        return State(self.tree.nodes[index])

    def children(self, index: int) -> range:
        node = self.node(index)
        return range(node.first, node.first + node.children)

    def stand_at(self, state: State, since: Sequence[Ply]) -> None:
        """Move the root to a position: along the plies since the last one if they lead there, else start anew."""
        index = self._follow(state, since) if self.tree.used[0] else None
        if index is None:
            self.tree.used[0] = 1
            self.tree.nodes[ROOT] = records(1, NODE)[0]
        elif index != ROOT:
            re_root(self.tree, index)
        self.walk.states[0] = state if is_plain() else state.record

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
        value = self.tree.exact[index, player] if exact else node.worth / max(node.visits, 1)
        return Ranked(node.move, float(value), node.visits, exact)

    def line(self, index: int) -> tuple[int, ...]:
        """A child of the root and its most visited continuation, up to a leaf or the next chance event."""
        position = State(self.walk.states[0]).copy()
        moves = [self.node(index).move]
        self.engine.play(position, moves[0])
        while self.node(index).children and position.turn >= 0:
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


def merged(groves: Sequence[Grove], player: int) -> tuple[Ranked, ...]:
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
        moves.append(Ranked(move, proof.value if proof else mean, visits, proof is not None, grove.line(index)))
    if all(ranked.exact for ranked in moves):
        return tuple(sorted(moves, key=lambda ranked: (-ranked.value, -ranked.visits)))
    return tuple(sorted(moves, key=preference, reverse=True))


@dataclass
class UCT(Searcher):
    """Monte Carlo tree search: samples games and follows what has gone well (UCB1)."""

    sims: int = 0  # simulations a move; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    c: float = 1.0  # how much to explore
    expand: int = 1  # visits before a leaf grows children
    threads: int = 1  # trees grown side by side and merged at the root
    nodes: int = 4_000_000  # the most a tree may hold; a full one goes on without growing

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.c) < 0 or min(self.expand, self.threads, self.nodes) < 1:
            raise SpecError("uct needs sims, ms and c of at least 0, and expand, threads and nodes of at least 1.")
        self._groves: list[Grove] = []

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if game.has_hidden_information:
            return "it would search the true state, which it may not see; use mc, which deals the hidden part anew."
        return None

    def choose(self, view: View) -> int:
        return view.moves[0] if len(view.moves) == 1 else super().choose(view)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        if not self._groves or self._groves[0].game is not view.game:
            self._groves = [Grove(view.game, self.nodes) for _ in range(self.threads)]
        for grove in self._groves:
            grove.stand_at(view.state, view.since)
        work = self._grow(view.rng)
        moves = merged(self._groves, view.player)
        return Report(moves, work, "simulations", len(moves[0].line), time.perf_counter() - start)

    def _grow(self, rng: Stream) -> int:
        sims = self.sims or (0 if self.ms else 1000)
        shares = [sims // self.threads + (i < sims % self.threads) for i in range(self.threads)]
        streams = [Stream(rng.getrandbits(64), "tree", i) for i in range(self.threads)]
        stopped = threading.Event()

        def grow(grove: Grove, share: int, stream: Stream) -> int:
            def run(count: int) -> int:
                if stopped.is_set():
                    return 0
                return simulate(grove.game, grove.tree, grove.walk, stream.words, count, self.c, self.expand)

            return spend(run, share, self.ms)

        if self.threads == 1:
            return grow(self._groves[0], shares[0], streams[0])
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(grow, *job) for job in zip(self._groves, shares, streams, strict=True)]
            try:
                return sum(future.result() for future in futures)
            finally:
                stopped.set()  # on Ctrl-C the trees stop after the slice they are in
