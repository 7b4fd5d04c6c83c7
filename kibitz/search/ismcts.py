"""Information-set Monte Carlo tree search: UCT for players who do not see everything (Cowling, Powley and Whitehouse).

Every simulation first deals the hidden part anew, consistently with what the player has seen. One tree serves all
deals: its branches are what the player would see of a move or of chance, so that what looks alike is one branch, and
nothing hidden is searched. Which moves are legal depends on the deal: a branch competes by w/n + c·√(ln a / n), where a
counts the visits of its parent in which it was open. ("Information Set Monte Carlo Tree Search", 2012: one tree for the
observer, with partially observable moves.) Where nothing is hidden it is plain UCT, without proofs.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, native, numbers, records
from kibitz.errors import SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.rng import below
from kibitz.search.budget import allowance, spend
from kibitz.search.mc import play_out_by, policy_of, policy_refusal
from kibitz.state import State
from kibitz.table import View

NODE = np.dtype(
    [
        ("visits", "i8"),
        ("open", "i8"),  # visits of the parent in which this branch was legal
        ("worth", "f8"),  # sum of the payoffs of the player who moved here
        ("label", "i4"),  # the move or outcome that leads here, as the observer sees it
        ("child", "i4"),  # the first branch from here …
        ("sibling", "i4"),  # … and the next one from the same parent; 0: none
    ]
)
ROOT = 0


class Tree(NamedTuple):
    """The nodes, and one simulation's work space."""

    nodes: Any
    used: Any  # [how many nodes there are, the number of the last choice]
    states: Any  # [the position as the player sees it, the position of the simulation]
    path: Any
    movers: Any  # who moved to each node of the path
    moves: Any
    labels: Any  # of the legal moves
    seen: Any  # by label + 1: the last choice in which it was legal; negative: and has a branch
    chances: Any
    payoff: Any


def new_tree(game: Game, nodes: int) -> Tree:
    widest = max(game.max_moves, game.max_outcomes)
    return Tree(
        nodes=records(nodes, NODE),
        used=numbers(2, "i8"),
        states=records(2, game.dtype),
        path=numbers(game.max_plies + 2, "i8"),
        movers=numbers(game.max_plies + 2, "i8"),
        moves=numbers(widest, "i8"),
        labels=numbers(widest, "i8"),
        seen=numbers(max(game.actions, game.max_outcomes) + 1, "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
        payoff=numbers(game.players, "f8"),
    )


@compiled
def simulate(game: Any, tree: Tree, player: int, c: float, rng: Any, count: int, policy: Any, memory: Any) -> int:
    """Run `count` simulations from tree.states[0], as `player` sees it."""
    nodes, states, path, movers = tree.nodes, tree.states, tree.path, tree.movers
    for _ in range(count):
        states[1] = states[0]
        s = states[1]
        game.redeal(s, player, rng)
        node, depth = ROOT, 0
        path[0] = ROOT
        grown = False
        while s.turn != OVER and not grown and depth < game.max_plies and tree.used[0] < len(nodes):
            before = tree.used[0]
            mover = s.turn
            move = next_step(game, s, tree, node, player, c, rng)
            node = branch(nodes, tree.used, node, game.seen(s, move, player))
            grown = tree.used[0] > before
            game.play(s, move)
            depth += 1
            path[depth] = node
            movers[depth] = mover
        play_out_by(game, s, tree.moves, tree.chances, rng, None, policy, memory)
        game.payoff(s, tree.payoff)
        nodes[ROOT].visits += 1
        for d in range(1, depth + 1):
            nodes[path[d]].visits += 1
            if movers[d] != CHANCE:
                nodes[path[d]].worth += tree.payoff[movers[d]]
    return count


@compiled
def next_step(game: Any, s: Any, tree: Tree, node: int, player: int, c: float, rng: Any) -> int:
    """What chance does, or the move to try: any without a branch, else one of the branch with the highest bound."""
    moves, labels = tree.moves, tree.labels
    if s.turn == CHANCE:
        return game.draw(s, moves, tree.chances, rng)
    count = game.moves(s, moves)
    tree.used[1] += 1
    now = tree.used[1]
    for i in range(count):
        labels[i] = game.seen(s, moves[i], player)
        tree.seen[labels[i] + 1] = now
    best = best_branch(tree.nodes, tree.seen, node, now, c)
    found = untried = 0
    move = moves[0]
    for i in range(count):
        without = tree.seen[labels[i] + 1] == now
        if without and untried == 0:
            found = 0  # a move without a branch comes before all that have one
        untried += without
        if without or (untried == 0 and labels[i] == best):
            found += 1
            if below(rng, found) == 0:  # one of those found so far, all equally likely
                move = moves[i]
    return move


@compiled
def best_branch(nodes: Any, seen: Any, node: int, now: int, c: float) -> int:
    """The label of the open branch with the highest bound; marks all that have a branch, and counts them as open."""
    best, best_bound = -2, -1.0
    child = nodes[node].child
    while child != 0:
        label = nodes[child].label
        if seen[label + 1] == now:
            seen[label + 1] = -now
            nodes[child].open += 1
            visits = nodes[child].visits
            bound = nodes[child].worth / visits + c * math.sqrt(math.log(nodes[child].open) / visits)
            if bound > best_bound:
                best, best_bound = label, bound
        child = nodes[child].sibling
    return best


@compiled
def branch(nodes: Any, used: Any, node: int, label: int) -> int:
    """The branch of a node with a label, grown if there is none."""
    child = nodes[node].child
    while child != 0:
        if nodes[child].label == label:
            return child
        child = nodes[child].sibling
    child = used[0]
    used[0] += 1
    new = nodes[child]
    new.visits = 0
    new.open = 1
    new.worth = 0.0
    new.label = label
    new.child = 0
    new.sibling = nodes[node].child
    nodes[node].child = child
    return child


@dataclass
class ISMCTS(Searcher):
    """Monte Carlo tree search over what a player can see; hidden parts are dealt anew for each simulation."""

    sims: int = 0  # simulations a move; 1000 when neither sims nor ms is given
    ms: int = 0  # milliseconds a move
    c: float = 0.7  # how much to explore
    by: str = ""  # the compiled player that makes the moves of the playouts; none: they are random
    nodes: int = 1_000_000  # the most a tree may hold; a full one goes on without growing

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.c) < 0 or self.nodes < 2:
            raise SpecError("ismcts needs sims, ms and c of at least 0, and nodes of at least 2.")
        self._tree: tuple[Game, Tree] | None = None

    def unfit(self, game: Game) -> str | None:
        return policy_refusal(self.by, game)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        sims, ms = allowance(self.sims, self.ms, view.time, usual=1000)
        tree = self._planted(view, sims)
        policy, memory = policy_of(self.by, view.game)

        def run(count: int) -> int:
            return simulate(view.game, tree, view.player, self.c, view.rng.words, count, policy, memory)

        work = spend(run, sims, ms)
        found = {}
        child = State(tree.nodes[ROOT]).child
        while child:
            node = State(tree.nodes[child])
            found[node.label] = node.visits, node.worth
            child = node.sibling
        moves = []
        for move in view.moves:
            visits, worth = found.get(move, (0, 0.0))
            moves.append(Ranked(move, worth / max(visits, 1), visits, line=(move,)))
        moves.sort(key=lambda ranked: (-ranked.visits, -ranked.value))
        return Report(tuple(moves), work, "simulations", 1, time.perf_counter() - start)

    def _planted(self, view: View, sims: int) -> Tree:
        """A tree of nothing but the root, with room for the simulations."""
        room = min(self.nodes, sims + 2) if sims else self.nodes
        if self._tree is None or self._tree[0] is not view.game or len(self._tree[1].nodes) < room:
            self._tree = view.game, new_tree(view.game, room)
        tree = self._tree[1]
        tree.nodes[ROOT] = records(1, NODE)[0]
        tree.used[0] = 1
        tree.states[0] = native(view.state)
        return tree
