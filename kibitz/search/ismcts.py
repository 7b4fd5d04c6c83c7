"""Information-set Monte Carlo tree search: UCT for players who do not see everything (Cowling, Powley and Whitehouse).

Every simulation first deals the hidden part anew, consistently with what the player has seen. One tree serves all
deals: its branches are what the player would see of a move or of chance, so that what looks alike is one branch, and
nothing hidden is searched. Which moves are legal depends on the deal: a branch competes by w/n + c·√(ln a / n), where a
counts the visits of its parent in which it was open. ("Information Set Monte Carlo Tree Search", 2012: SO-ISMCTS with
partially observable moves.) Where nothing is hidden it is plain UCT, without proofs.

With one tree, the others choose as if they had seen all that its owner has, moves made in secret included. With
`observers=all` each player has a tree with branches by what that player sees (MO-ISMCTS). A simulation goes down all of
them side by side, and whoever is to move chooses in their own. What they hold from before the search is in none of the
trees but the one of who searches: the others choose alike with every hand, among the moves that it allows.
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
OWN, ALL = "own", "all"  # whose trees there are
ROOT = 0  # of a single tree
EVERYTHING = -4  # as an observer: one who sees all, so that there is nothing to deal anew


class Trees(NamedTuple):
    """A tree for each observer, and one simulation's work space. The roots are the first nodes."""

    nodes: Any
    used: Any  # [how many nodes there are, the number of the last choice]
    observers: Any  # each tree's: one, or all players in order
    states: Any  # [the position as the player sees it, the position of the simulation]
    paths: Any  # in each tree
    movers: Any  # who moved to each node of the paths
    moves: Any
    labels: Any  # of the legal moves
    seen: Any  # by label + 1: the last choice in which it was legal; negative: and has a branch
    chances: Any
    payoff: Any


def new_trees(game: Game, nodes: int, trees: int) -> Trees:
    """So many trees, to be planted."""
    widest = max(game.max_moves, game.max_outcomes)
    return Trees(
        nodes=records(nodes, NODE),
        used=numbers(2, "i8"),
        observers=numbers(trees, "i8"),
        states=records(2, game.dtype),
        paths=numbers((trees, game.max_plies + 2), "i8"),
        movers=numbers(game.max_plies + 2, "i8"),
        moves=numbers(widest, "i8"),
        labels=numbers(widest, "i8"),
        seen=numbers(max(game.actions, game.max_outcomes) + 1, "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
        payoff=numbers(game.players, "f8"),
    )


def plant(trees: Trees, state: State) -> None:
    """Begin anew at a position: with roots and nothing else."""
    roots = len(trees.observers)
    for root in range(roots):
        trees.nodes[root] = records(1, NODE)[0]
    trees.used[0] = roots
    trees.states[0] = native(state)


def found_at(trees: Trees, root: int) -> dict[int, tuple[int, float]]:
    """The visits of each move from a root, and the sum of what they paid."""
    found = {}
    child = State(trees.nodes[root]).child
    while child:
        node = State(trees.nodes[child])
        found[node.label] = node.visits, node.worth
        child = node.sibling
    return found


@compiled
def simulate(game: Any, trees: Trees, player: int, c: float, rng: Any, count: int, policy: Any, memory: Any) -> int:
    """Run `count` simulations from trees.states[0], as `player` sees it."""
    nodes, used, observers, states = trees.nodes, trees.used, trees.observers, trees.states
    paths, movers = trees.paths, trees.movers
    roots = len(observers)
    for _ in range(count):
        states[1] = states[0]
        s = states[1]
        if observers[0] != EVERYTHING:
            game.redeal(s, player, rng)
        for root in range(roots):
            paths[root, 0] = root
        depth = 0
        grown = False
        while s.turn != OVER and not grown and depth < game.max_plies and used[0] + roots <= len(nodes):
            mover = s.turn
            chooser = 0 if roots == 1 else player if mover == CHANCE else mover
            move = next_step(game, s, trees, paths[chooser, depth], observers[chooser], c, rng)
            depth += 1
            movers[depth] = mover
            for root in range(roots):
                before = used[0]
                seen = label(game, s, move, observers[root])
                paths[root, depth] = branch(nodes, used, paths[root, depth - 1], seen)
                if root == chooser:
                    grown = used[0] > before
            game.play(s, move)
        play_out_by(game, s, trees.moves, trees.chances, rng, None, policy, memory)
        game.payoff(s, trees.payoff)
        for root in range(roots):
            nodes[root].visits += 1
            for d in range(1, depth + 1):
                node = nodes[paths[root, d]]
                node.visits += 1
                if movers[d] != CHANCE:
                    node.worth += trees.payoff[movers[d]]
    return count


@compiled
def label(game: Any, s: Any, move: int, observer: int) -> int:
    """A move or outcome as an observer sees it."""
    return move if observer == EVERYTHING else game.seen(s, move, observer)


@compiled
def next_step(game: Any, s: Any, trees: Trees, node: int, observer: int, c: float, rng: Any) -> int:
    """What chance does, or the move to try: any without a branch, else one of the branch with the highest bound."""
    moves, labels = trees.moves, trees.labels
    if s.turn == CHANCE:
        return game.draw(s, moves, trees.chances, rng)
    count = game.moves(s, moves)
    trees.used[1] += 1
    now = trees.used[1]
    for i in range(count):
        labels[i] = label(game, s, moves[i], observer)
        trees.seen[labels[i] + 1] = now
    best = best_branch(trees.nodes, trees.seen, node, now, c)
    found = untried = 0
    move = moves[0]
    for i in range(count):
        without = trees.seen[labels[i] + 1] == now
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
    observers: str = (
        OWN  # who has a tree: the player who searches; or all, so that nobody sees what another does in secret
    )
    nodes: int = 1_000_000  # the most that the trees may hold; full ones go on without growing

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.c) < 0 or self.nodes < 2:
            raise SpecError("ismcts needs sims, ms and c of at least 0, and nodes of at least 2.")
        if self.observers not in (OWN, ALL):
            raise SpecError(f"ismcts needs observers={OWN} or observers={ALL}, not {self.observers!r}.")
        self._trees: tuple[Game, Trees] | None = None

    def unfit(self, game: Game) -> str | None:
        return policy_refusal(self.by, game)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        sims, ms = allowance(self.sims, self.ms, view.time, usual=1000)
        several = self.observers == ALL and view.game.has_hidden_information  # else all trees would be alike
        trees = self._planted(view, sims, several)
        policy, memory = policy_of(self.by, view.game)

        def run(count: int) -> int:
            return simulate(view.game, trees, view.player, self.c, view.rng.words, count, policy, memory)

        work = spend(run, sims, ms)
        found = found_at(trees, view.player if several else ROOT)
        moves = []
        for move in view.moves:
            visits, worth = found.get(move, (0, 0.0))
            moves.append(Ranked(move, worth / max(visits, 1), visits, line=(move,)))
        moves.sort(key=lambda ranked: (-ranked.visits, -ranked.value))
        return Report(tuple(moves), work, "simulations", 1, time.perf_counter() - start)

    def _planted(self, view: View, sims: int, several: bool) -> Trees:
        """Trees of nothing but their roots, with room for the simulations."""
        game = view.game
        observers = list(range(game.players)) if several else [view.player]
        room = min(self.nodes, sims + 2) if sims and not several else self.nodes
        if self._trees is None or self._trees[0] is not game or len(self._trees[1].nodes) < room:
            self._trees = game, new_trees(game, room, len(observers))
        trees = self._trees[1]
        trees.observers[:] = observers
        plant(trees, view.state)
        return trees
