"""Choosing moves in self-play: Gumbel noise and sequential halving at the root (Danihelka et al., 2022).

Every legal move gets a random bonus on top of the logarithm of its prior (the Gumbel trick: the highest sum is a sample
from the priors). The best few are simulated equally often; then the worse half is dropped, again and again, by bonus,
prior and value. The winner is played. That improves on the priors with any number of simulations, however few.

What is learned as the policy is the priors improved by the values that were found, softmax(log P + σ(Q)), where an
unvisited move counts as the position does.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.learn.zero.guided_search import GuidedSearch, list_children, simulate_any
from kibitz.learn.zero.puct import LOST
from kibitz.rules.contract import Game
from kibitz.rules.rng import uniform
from kibitz.search.tree_arrays import ROOT

MOST_CONSIDERED = 16  # moves that are tried
BASE_VISITS, VALUE_SCALE = 50.0, 1.0  # σ(q) = (BASE_VISITS + the most visits of a move) · VALUE_SCALE · q
TINY = 1e-9
NEVER = -1e9  # the bonus of a lost move: it is played if all others are lost, too


class RootMoves(NamedTuple):
    """The moves from the root, in the order of its children."""

    children: Any  # their nodes
    alive: Any  # those still considered, as numbers from 0
    logits: Any
    bonus: Any  # the logits plus Gumbel noise
    values: Any  # to the player to act
    policy: Any  # what the search suggests, as probabilities


def new_root_moves(game: Game) -> RootMoves:
    """Room for the moves of a game."""
    whole = (numbers(game.max_moves, "i8") for _ in range(2))
    return RootMoves(*whole, *(numbers(game.max_moves, "f8") for _ in range(4)))


@compiled
def search_root(game: Any, search: GuidedSearch, moves: RootMoves, rng: Any, simulations: int) -> int:
    """Search the position in descent.states[0], where a player acts; return the child to play, and write moves.policy.

    descent.totals gets the payoffs of all simulations.
    """
    tree, descent, is_open, sets = search.tree, search.descent, search.is_open, search.sets
    nodes, player = tree.nodes, descent.states[0].turn
    descent.totals[:] = 0.0
    descent.counted[0] = 0
    used, count = 0, list_children(tree, is_open, sets, moves.children)
    if count == 0:
        used = simulate_any(game, search, is_open, sets, rng, 1, 0)
        count = list_children(tree, is_open, sets, moves.children)
    for i in range(count):
        moves.logits[i] = math.log(nodes[moves.children[i]].prior + TINY)
        moves.bonus[i] = moves.logits[i] + gumbel(rng)
        if nodes[moves.children[i]].proven and tree.exact[moves.children[i], player] < LOST:
            moves.bonus[i] += NEVER
        moves.alive[i] = i
        moves.values[i] = 0.0
    keep_best(moves, count, 0.0)
    alive = min(count, MOST_CONSIDERED, max(simulations, 1))
    stages = 1
    while 1 << stages < alive:
        stages += 1
    while True:
        each = max(1, (simulations - used) // (stages * alive))
        for i in range(alive):
            child = moves.children[moves.alive[i]]
            if not nodes[child].proven:
                some = min(each, simulations - used)
                used += simulate_any(game, search, is_open, sets, rng, some, child)
        scale = weigh(nodes, tree.exact, player, moves, count)
        keep_best(moves, alive, scale)
        if alive <= 2 or used >= simulations or nodes[ROOT].proven:
            break
        alive = (alive + 1) // 2
        stages = max(stages - 1, 1)
    suggest(moves, count, scale)
    return moves.children[moves.alive[0]]


@compiled
def gumbel(rng: Any) -> float:
    """A sample of the Gumbel distribution."""
    return -math.log(-math.log(uniform(rng) * (1.0 - 2.0 * TINY) + TINY))


@compiled
def weigh(nodes: Any, exact: Any, player: int, moves: RootMoves, count: int) -> float:
    """Write the value of each move to the player; return the factor of values in σ."""
    visits, most, expected, seen = 0, 0, 0.0, 0.0
    for i in range(count):
        child = nodes[moves.children[i]]
        if child.visits > 0:
            moves.values[i] = exact[moves.children[i], player] if child.proven else child.worth / child.visits
            visits += child.visits
            most = max(most, child.visits)
            expected += child.prior * moves.values[i]
            seen += child.prior
    average = float(nodes[ROOT].guess)
    if visits > 0:
        average = (average + visits * expected / max(seen, TINY)) / (1 + visits)
    for i in range(count):
        if nodes[moves.children[i]].visits == 0:
            moves.values[i] = average
    return (BASE_VISITS + most) * VALUE_SCALE


@compiled
def keep_best(moves: RootMoves, alive: int, scale: float) -> None:
    """Sort the first `alive` moves by bonus and value, best first."""
    order = moves.alive
    for i in range(1, alive):
        move = order[i]
        score = moves.bonus[move] + scale * moves.values[move]
        j = i
        while j > 0 and moves.bonus[order[j - 1]] + scale * moves.values[order[j - 1]] < score:
            order[j] = order[j - 1]
            j -= 1
        order[j] = move


@compiled
def suggest(moves: RootMoves, count: int, scale: float) -> None:
    """Write the improved policy."""
    highest = NEVER
    for i in range(count):
        moves.policy[i] = moves.logits[i] + scale * moves.values[i]
        highest = max(highest, moves.policy[i])
    total = 0.0
    for i in range(count):
        moves.policy[i] = math.exp(moves.policy[i] - highest)
        total += moves.policy[i]
    for i in range(count):
        moves.policy[i] /= total
