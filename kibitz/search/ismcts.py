"""Information-set Monte Carlo tree search: UCT for hidden information (Cowling, Powley and Whitehouse, 2012).

Every simulation starts from a new determinization, consistent with what the player has seen. One tree serves all of
them: its branches are moves and chance outcomes as the player would see them, so that what looks the same is one branch
and nothing hidden is searched. Which moves are legal depends on the determinization: a branch competes by
w/n + c·√(ln a / n), where a counts the visits of its parent in which it was available. ("Information Set Monte Carlo
Tree Search": SO-ISMCTS with partially observable moves.) Where nothing is hidden it is plain UCT, without proofs.

With a single tree, the opponents choose as if they had seen all that its owner has, secret moves included. With
`observers=all` each player has a tree that branches by what that player sees (MO-ISMCTS). A simulation descends all
trees in parallel, and the player to move chooses in their own. Only the tree of the searching player knows a hand held
before the search: the opponents choose the same with every hand, among the moves that it allows.

With `prior=`, a bot with a network gives each new branch the probability P of its move in that determinization, and
bias·P / (1 + n) is added to the formula, as in UCT. Moves without a branch are then tried in the order of their priors.
With `playout=`, playouts stop after some plies, and the rules value the position there, or a network with `value=`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kibitz.compiler import compiled, native, numbers, records, running_time
from kibitz.players.bot import Ranked, Report
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import BOT, option
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.rng import below
from kibitz.search.leaf_values import leaf_values_misfit, leaf_values_of
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.move_priors import BIAS, Advice, advice_misfit, advice_of, rate_moves
from kibitz.search.option_bounds import MOST_NODES
from kibitz.search.playout import play_out_by, policy_misfit, policy_of
from kibitz.state import State
from kibitz.table import View

NODE = np.dtype(
    [
        ("visits", "i8"),
        ("open", "i8"),  # availability: visits of the parent in which this branch was legal
        ("worth", "f8"),  # sum of the payoffs of the player who moved here
        ("label", "i4"),  # the move or outcome that leads here, as the observer sees it
        ("child", "i4"),  # the first branch from here …
        ("sibling", "i4"),  # … and the next one from the same parent; 0: none
    ]
)
PRIOR_NODE = np.dtype([*NODE.descr, ("prior", "f4")])  # with the probability of the branch, before it is searched
OWN, ALL = "own", "all"  # which players have a tree
ROOT = 0  # of a single tree
EVERYTHING = -4  # an observer who sees all, so that nothing is redealt


class ObserverTrees(NamedTuple):
    """One tree per observer, and the workspace of a simulation. The roots are the first nodes."""

    nodes: Any
    blank: Any  # [a node that was never visited]
    used: Any  # [number of nodes, number of the last choice]
    observers: Any  # of each tree: a single one, or all players in order
    states: Any  # [the position as the player sees it, the position of the simulation]
    paths: Any  # of the simulation, in each tree
    movers: Any  # who moved to each node of the paths
    moves: Any
    labels: Any  # of the legal moves
    seen: Any  # by label + 1: the last choice in which it was legal, negated if it has a branch
    chances: Any
    payoff: Any
    prior: Any  # [of the branch to add]


class Stop(NamedTuple):
    """Where playouts stop, and what values the position there, unless the game is over; what does not is None."""

    limit: int  # plies
    evaluation: Any = None  # True: the evaluation of the rules
    leaf_values: Any = None  # the LeafValues of a bot …
    memory: Any = None  # … and what they work on


def new_trees(game: Game, nodes: int, trees: int, kind: np.dtype = NODE) -> ObserverTrees:
    """Empty trees, still to be planted."""
    widest = max(game.max_moves, game.max_outcomes)
    return ObserverTrees(
        nodes=records(nodes, kind),
        blank=records(1, kind),
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
        prior=numbers(1, "f8"),
    )


def plant(trees: ObserverTrees, state: State) -> None:
    """Reset the trees to their roots, at a position."""
    roots = len(trees.observers)
    for root in range(roots):
        trees.nodes[root] = trees.blank[0]
    trees.used[0] = roots
    trees.states[0] = native(state)


def found_at(trees: ObserverTrees, root: int) -> dict[int, tuple[int, float]]:
    """The visits and the total payoff of each move from a root."""
    found = {}
    child = State(trees.nodes[root]).child
    while child:
        node = State(trees.nodes[child])
        found[node.label] = node.visits, node.worth
        child = node.sibling
    return found


@compiled
def simulate(
    game: Any,
    trees: ObserverTrees,
    player: int,
    c: float,
    rng: Any,
    count: int,
    policy: Any,
    memory: Any,
    advice: Any,
    bias: Any,
    stop: Stop,
) -> int:
    """Run `count` simulations from trees.states[0], as `player` sees it.

    `policy` moves in playouts, unless it is None; if `advice` is not, it gives branches priors, weighted by `bias`.
    """
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
            move = next_step(game, s, trees, paths[chooser, depth], observers[chooser], c, rng, advice, bias)
            depth += 1
            movers[depth] = mover
            for root in range(roots):
                before = used[0]
                seen = label(game, s, move, observers[root])
                paths[root, depth] = branch(nodes, used, paths[root, depth - 1], seen, trees.prior, advice)
                if root == chooser:
                    grown = used[0] > before
            game.play(s, move)
        play_out_by(game, s, trees.moves, trees.chances, rng, None, policy, memory, stop.limit)
        value_position(game, s, trees, rng, stop.evaluation, stop.leaf_values, stop.memory)
        for root in range(roots):
            nodes[root].visits += 1
            for d in range(1, depth + 1):
                node = nodes[paths[root, d]]
                node.visits += 1
                if movers[d] != CHANCE:
                    node.worth += trees.payoff[movers[d]]
    return count


@compiled
def value_position(
    game: Any, s: Any, trees: ObserverTrees, rng: Any, evaluation: Any, leaf_values: Any, memory: Any
) -> None:
    """Write what the position where a playout has stopped is worth to each player.

    Networks know positions in which a player is to act, so chance is played out first.
    """
    if evaluation is not None or leaf_values is not None:
        while s.turn == CHANCE:
            game.play(s, game.draw(s, trees.moves, trees.chances, rng))
    if s.turn == OVER:
        game.normalized_payoff(s, trees.payoff)
    elif leaf_values is not None:
        leaf_values.evaluate(game, s, memory, trees.payoff)
    elif evaluation is not None:
        game.evaluate(s, trees.payoff)
    else:  # the rules broke their promise to end within max_plies
        game.normalized_payoff(s, trees.payoff)


@compiled
def label(game: Any, s: Any, move: int, observer: int) -> int:
    """A move or outcome as an observer sees it."""
    return move if observer == EVERYTHING else game.seen(s, move, observer)


@compiled
def next_step(
    game: Any, s: Any, trees: ObserverTrees, node: int, observer: int, c: float, rng: Any, advice: Any, bias: Any
) -> int:
    """A chance outcome, or the move to try: one without a branch, else one of the branch with the highest bound."""
    moves, labels = trees.moves, trees.labels
    if s.turn == CHANCE:
        return game.draw(s, moves, trees.chances, rng)
    count = game.moves(s, moves)
    trees.used[1] += 1
    now = trees.used[1]
    for i in range(count):
        labels[i] = label(game, s, moves[i], observer)
        trees.seen[labels[i] + 1] = now
    best = best_branch(trees.nodes, trees.seen, node, now, c, bias)
    found = untried = 0
    move = moves[0]
    for i in range(count):
        without = trees.seen[labels[i] + 1] == now
        if without and untried == 0:
            found = 0  # untried moves come first
        untried += without
        if without or (untried == 0 and labels[i] == best):
            found += 1
            if below(rng, found) == 0:  # all candidates so far are equally likely
                move = moves[i]
    if advice is not None and untried > 0:
        move = likeliest_untried(game, s, trees, count, now, advice)
    return move


@compiled
def likeliest_untried(game: Any, s: Any, trees: ObserverTrees, count: int, now: int, advice: Advice) -> int:
    """The move without a branch that has the highest prior; notes the prior of its branch."""
    moves, labels, priors = trees.moves, trees.labels, advice.priors
    rate_moves(game, s, moves, count, advice)
    best, highest = 0, -1.0
    for i in range(count):
        if trees.seen[labels[i] + 1] == now and priors[i] > highest:
            best, highest = i, priors[i]
    trees.prior[0] = 0.0
    for i in range(count):
        if labels[i] == labels[best]:  # moves that look the same share a branch
            trees.prior[0] += priors[i]
    return moves[best]


@compiled
def best_branch(nodes: Any, seen: Any, node: int, now: int, c: float, bias: Any) -> int:
    """The label of the available branch with the highest bound; marks labels with a branch, counts availability."""
    best, best_bound = -2, -1.0
    child = nodes[node].child
    while child != 0:
        label = nodes[child].label
        if seen[label + 1] == now:
            seen[label + 1] = -now
            nodes[child].open += 1
            visits = nodes[child].visits
            bound = nodes[child].worth / visits + c * math.sqrt(math.log(nodes[child].open) / visits)
            if bias is not None:
                bound += bias * nodes[child].prior / (1 + visits)
            if bound > best_bound:
                best, best_bound = label, bound
        child = nodes[child].sibling
    return best


@compiled
def branch(nodes: Any, used: Any, node: int, label: int, prior: Any, advice: Any) -> int:
    """The branch of a node with a given label, added if missing, with the prior if there is advice."""
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
    if advice is not None:
        new.prior = prior[0]
    nodes[node].child = child
    return child


@dataclass
class ISMCTS(MonteCarloSearch):
    """Monte Carlo tree search over information sets; every simulation redeals what is hidden."""

    name: ClassVar[str] = "ismcts"

    c: float = option(0.7, low=0.0, public=100.0)  # exploration constant
    prior: str = option("", names=BOT)  # a bot with a network, whose probability of a move counts in selection …
    bias: float = option(BIAS, low=0.0, public=1000.0)  # … with this weight
    by: str = option("", names=BOT)  # the compiled player that moves in playouts; by default they are random
    playout: int = option(-1, low=-1, public=1000)  # plies of a playout before it is valued; −1: play to the end
    value: str = option("", names=BOT)  # a bot with a network, which values it; by default the rules do
    observers: str = option(OWN, choices=(OWN, ALL))  # all: a tree for each player, for games with secret moves
    # The capacity of all trees; when full, they stop growing.
    nodes: int = option(1_000_000, low=2, high=MOST_NODES, public=5_000_000)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._trees: tuple[Game, ObserverTrees] | None = None

    def option_misfit(self, game: Game) -> str | None:
        return policy_misfit(self.by, game) or advice_misfit(self.prior, game) or self._stop_misfit(game)

    def _stop_misfit(self, game: Game) -> str | None:
        if self.value:
            if self.playout < 0:
                return "value= is for playouts that stop early; add playout=0, or more plies."
            return leaf_values_misfit(self.value, game, "value")
        if self.playout >= 0 and not type(game).defines("evaluate"):
            return f"its rules have no evaluate(s, out); leave out playout={self.playout}, or add value=."
        return None

    def _stop(self, game: Game) -> Stop:
        if self.playout < 0:
            return Stop(game.max_plies)
        if self.value:
            return Stop(self.playout, None, *leaf_values_of(self.value, game))
        return Stop(self.playout, evaluation=True)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        several = self.observers == ALL and view.game.has_hidden_information  # otherwise all trees would be the same
        trees = self._planted(view, limit.simulations, several)
        policy, memory = policy_of(self.by, view.game)
        advice = advice_of(self.prior, view.game)
        bias = self.bias if self.prior else None
        stop = self._stop(view.game)

        def run(count: int) -> int:
            rng = view.rng.words
            return simulate(view.game, trees, view.player, self.c, rng, count, policy, memory, advice, bias, stop)

        run(0)  # compile or load the code before the clock starts
        work = spend(run, limit.simulations, Clock(limit))
        found = found_at(trees, view.player if several else ROOT)
        moves = []
        for move in view.moves:
            visits, worth = found.get(move, (0, 0.0))
            moves.append(Ranked(move, worth / max(visits, 1), visits, line=(move,)))
        moves.sort(key=lambda ranked: (-ranked.visits, -ranked.value))
        return Report(tuple(moves), work, "simulations", 1, running_time() - start)

    def _planted(self, view: View, sims: int | None, several: bool) -> ObserverTrees:
        """Trees reset to their roots, with room for the simulations."""
        game = view.game
        observers = list(range(game.players)) if several else [view.player]
        room = min(self.nodes, sims + 2) if sims and not several else self.nodes
        if self._trees is None or self._trees[0] is not game or len(self._trees[1].nodes) < room:
            self._trees = game, new_trees(game, room, len(observers), PRIOR_NODE if self.prior else NODE)
        trees = self._trees[1]
        trees.observers[:] = observers
        plant(trees, view.state)
        return trees
