"""UCT: Monte Carlo tree search with the UCB1 rule (Kocsis and Szepesvári, 2006), for any number of players and chance.

It keeps a tree of visited positions; each node counts visits and what they were worth to the player who moved there.
A simulation descends by w/n + c·√(ln N / n) (chance by its odds), grows the leaf it reaches once that has been visited
`expand` times, plays on at random to the end, and adds the payoff to every node on the way back. Won, lost and drawn
ends are proven backwards (Winands, Björnsson and Saito, 2008): proven moves are not explored again, and a proven root
ends the search. The tree is kept between moves. `threads=` grows own trees from own streams and merges them at the
root, which is repeatable; with `shared=yes` they grow one tree, which is stronger and not repeatable.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.atomics import fence, take
from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, native, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.rng import Stream, shuffle, uniform
from kibitz.search.budget import spend
from kibitz.search.playout import playout
from kibitz.search.tree import NODE, ROOT, Tree, block_of, children_of, copy_tree, end_of, first_of, new_tree, re_root
from kibitz.state import State
from kibitz.table import Ply, View

FIRST_NODES = 4096  # of a new tree; it is moved to twice the room when it needs more


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
    # Taking an array out of a tuple costs an atomic count of references: once here, not at every step.
    nodes, exact, odds, used = tree.nodes, tree.exact, tree.odds, tree.used
    states, path, movers = walk.states, walk.path, walk.movers
    moves, chances, payoff = walk.moves, walk.chances, walk.payoff
    room = len(nodes) - len(moves)
    for done in range(count):
        if nodes[ROOT].proven:
            return done
        states[1] = states[0]
        s = states[1]
        node, depth = ROOT, 0
        while not nodes[node].proven and s.turn != OVER and depth < game.max_plies:
            block = nodes[node].block
            if block == 0:
                if (nodes[node].visits < expand and node != ROOT) or used[0] > room:
                    break
                block = grow(game, s, nodes, odds, used, node, moves, chances, rng)
                if block == 0:
                    break
            path[depth] = node
            movers[depth] = s.turn
            if s.turn == CHANCE:
                node = draw_child(odds, block, rng)
            else:
                node = best_child(nodes, exact, block, nodes[node].visits, s.turn, c)
            game.play(s, nodes[node].move)
            depth += 1
        path[depth] = node
        if not nodes[node].proven:
            ended = s.turn == OVER
            playout(game, s, moves, chances, rng)
            game.payoff(s, payoff)
            if ended:
                prove(nodes, exact, node, payoff)
        else:
            for player in range(len(payoff)):
                payoff[player] = exact[node, player]
        back_up(nodes, exact, odds, path, movers, payoff, depth)
    return count


@compiled
def grow(game: Any, s: Any, nodes: Any, odds: Any, used: Any, node: int, moves: Any, chances: Any, rng: Any) -> int:
    """Give a leaf its children: the legal moves in random order, or the outcomes of chance with their odds.

    Returns their block, 0 when there is no room. If another thread did the same just now, one of the blocks is lost.
    """
    if s.turn == CHANCE:
        count = game.chances(s, moves, chances)
    else:
        count = game.moves(s, moves)
        shuffle(rng, moves, count)
    first = take(used, count)
    if first + count > len(nodes):
        return 0
    for i in range(count):
        child = nodes[first + i]
        child.visits = 0
        child.worth = 0.0
        child.block = 0
        child.move = moves[i]
        child.proven = 0
        if s.turn == CHANCE:
            odds[first + i] = chances[i]
    fence()
    block = block_of(first, count)
    nodes[node].block = block
    return block


@compiled
def best_child(nodes: Any, exact: Any, block: int, parent_visits: int, player: int, c: float) -> int:
    """The child with the highest w/n + c·√(ln N / n) for the player; unvisited ones first, proven ones by value."""
    log_visits = math.log(max(parent_visits, 1))
    best, best_bound = first_of(block), -1.0
    for child in range(first_of(block), end_of(block)):
        visits = nodes[child].visits
        if visits == 0:
            return child
        if nodes[child].proven:
            bound = exact[child, player]  # nothing to explore: taken only when nothing else may be better
        else:
            bound = nodes[child].worth / visits + c * math.sqrt(log_visits / visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@compiled
def draw_child(odds: Any, block: int, rng: Any) -> int:
    """A chance node's child, drawn with its probability."""
    last = end_of(block) - 1
    left = uniform(rng)
    for child in range(first_of(block), last):
        left -= odds[child]
        if left < 0.0:
            return child
    return last


@compiled
def back_up(nodes: Any, exact: Any, odds: Any, path: Any, movers: Any, payoff: Any, depth: int) -> None:
    """Add the payoff to all nodes on the path, and prove those whose value has become certain."""
    certain = nodes[path[depth]].proven
    for d in range(depth, -1, -1):
        node = path[d]
        if d < depth and certain:
            certain = try_to_prove(nodes, exact, odds, node, path[d + 1], movers[d], payoff)
        nodes[node].visits += 1
        if d > 0 and movers[d - 1] >= 0:
            nodes[node].worth += payoff[movers[d - 1]]


@compiled
def try_to_prove(nodes: Any, exact: Any, odds: Any, node: int, child: int, mover: int, payoff: Any) -> int:
    """Prove a node after one of its children: by one that wins all, or when none is left open. 1 if it is proven."""
    block = nodes[node].block
    first, last = first_of(block), end_of(block)
    best = child
    if mover == CHANCE or exact[child, mover] < 1.0:
        for i in range(first, last):
            if not nodes[i].proven:
                return 0
            fence()
            if mover != CHANCE and exact[i, mover] > exact[best, mover]:
                best = i
    for player in range(len(payoff)):
        if mover == CHANCE:
            payoff[player] = 0.0
            for i in range(first, last):
                payoff[player] += odds[i] * exact[i, player]
        else:
            payoff[player] = exact[best, player]
    prove(nodes, exact, node, payoff)
    return 1


@compiled
def prove(nodes: Any, exact: Any, node: int, payoff: Any) -> None:
    """Note the exact value of a node."""
    for player in range(len(payoff)):
        exact[node, player] = payoff[player]
    fence()
    nodes[node].proven = 1


class Grove:
    """One tree and what it takes to grow it: its memory, its root position and its random stream."""

    def __init__(self, game: Game, limit: int) -> None:
        self.game = game
        self.engine = Engine(game)
        self.widest = max(game.max_moves, game.max_outcomes)
        self.limit = max(limit, 2 * self.widest + 1)
        self.tree = new_tree(min(FIRST_NODES, self.limit), game.players)
        self.walk = self._walk()

    def _walk(self) -> Walk:
        game = self.game
        return Walk(
            states=records(2, game.dtype),
            path=numbers(game.max_plies + 2, "i8"),
            movers=numbers(game.max_plies + 2, "i8"),
            moves=numbers(self.widest, "i8"),
            chances=numbers(max(game.max_outcomes, 1), "f8"),
            payoff=numbers(game.players, "f8"),
        )

    def second(self) -> Grove:
        """Another who grows the same tree, with work space of its own."""
        other = copy.copy(self)
        other.walk = self._walk()
        other.walk.states[0] = self.walk.states[0]
        return other

    def simulate(self, rng: Any, count: int, c: float, expand: int) -> int:
        """Run simulations with room for the nodes they may grow."""
        self.make_room(count)
        return simulate(self.game, self.tree, self.walk, rng, count, c, expand)

    def make_room(self, count: int) -> None:
        """Have room for the nodes that so many simulations may grow, up to the limit."""
        wanted = min(int(self.tree.used[0]) + (count + 1) * self.widest, self.limit)
        if wanted > len(self.tree.nodes):
            larger = new_tree(min(2 * wanted, self.limit), self.game.players)
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
        value = self.tree.exact[index, player] if exact else node.worth / max(node.visits, 1)
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


@dataclass
class UCT(Searcher):
    """Monte Carlo tree search: samples games and follows what has gone well (UCB1)."""

    sims: int = 0  # simulations a move; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    c: float = 0.7  # how much to explore
    expand: int = 1  # visits before a leaf grows children
    threads: int = 1  # how many simulate side by side
    shared: bool = False  # on one tree rather than on trees of their own that are merged at the root; not repeatable
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

    def is_reproducible(self) -> bool:
        return super().is_reproducible() and not (self.shared and self.threads > 1)

    def choose(self, view: View) -> int:
        if len(view.moves) == 1:
            return view.moves[0]
        self._search(view)
        return merged(self._groves, view.player, with_lines=False)[0].move

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        work = self._search(view)
        moves = merged(self._groves, view.player, with_lines=True)
        return Report(moves, work, "simulations", len(moves[0].line), time.perf_counter() - start)

    def _search(self, view: View) -> int:
        """Grow the trees from a position; return the number of simulations."""
        sims = self.sims or (0 if self.ms else 1000)
        if not self._groves or self._groves[0].game is not view.game:
            trees = 1 if self.shared else self.threads
            self._groves = [Grove(view.game, self.nodes) for _ in range(trees)]
        for grove in self._groves:
            grove.stand_at(view.state, view.since)
        groves = self._groves
        if self.shared:  # the tree cannot move while others work on it
            groves[0].make_room(sims or self.nodes)
            groves = [groves[0], *(groves[0].second() for _ in range(self.threads - 1))]
        shares = [sims // self.threads + (i < sims % self.threads) for i in range(self.threads)]
        streams = [Stream(view.rng.getrandbits(64), "tree", i) for i in range(self.threads)]
        stopped = threading.Event()

        def grow(grove: Grove, share: int, stream: Stream) -> int:
            def run(count: int) -> int:
                if stopped.is_set():
                    return 0
                return grove.simulate(stream.words, count, self.c, self.expand)

            run(0)  # compiles or loads the code, which is not thinking time
            return spend(run, share, self.ms)

        if self.threads == 1:
            return grow(groves[0], shares[0], streams[0])
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(grow, *job) for job in zip(groves, shares, streams, strict=True)]
            try:
                return sum(future.result() for future in futures)
            finally:
                stopped.set()  # on Ctrl-C the trees stop after the slice they are in
