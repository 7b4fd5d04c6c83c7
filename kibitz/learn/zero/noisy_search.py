"""Choosing moves in self-play: tree search with Dirichlet noise on the priors of the root (Silver et al., 2018).

The noise makes every move likely to be tried now and then. What is learned as the policy is how often each move was
visited; a proven win counts alone, and proven losses hardly count. In the opening, the move to play is drawn in
proportion to that; later it is the most visited one.
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

CONCENTRATION = 10.0  # the parameter α of the noise, times the number of moves
LOSS = 0.01  # the weight of a visit to a lost move
FRESH = 0.25  # the least share of the simulations that are new, however many the kept tree has
TINY = 1e-30


class RootMoves(NamedTuple):
    """The moves from the root, in the order of its children."""

    children: Any  # their nodes
    noise: Any
    values: Any  # to the player to act
    policy: Any  # what the search suggests, as probabilities


def new_root_moves(game: Game) -> RootMoves:
    """Room for the moves of a game."""
    return RootMoves(numbers(game.max_moves, "i8"), *(numbers(game.max_moves, "f8") for _ in range(3)))


@compiled
def search_root(game: Any, search: GuidedSearch, moves: RootMoves, rng: Any, simulations: int, noise: float) -> int:
    """Search the position in descent.states[0], where a player acts; write moves.policy, return the number of moves.

    Visits in a tree that was kept count as simulations. descent.totals gets the payoffs of the new ones.
    """
    tree, descent, is_open, sets = search.tree, search.descent, search.is_open, search.sets
    nodes, player = tree.nodes, descent.states[0].turn
    descent.totals[:] = 0.0
    descent.counted[0] = 0
    count = list_children(tree, is_open, sets, moves.children)
    if count == 0:
        simulate_any(game, search, is_open, sets, rng, 1, 0)
        count = list_children(tree, is_open, sets, moves.children)
    visits = 0
    for i in range(count):
        visits += nodes[moves.children[i]].visits
    if noise > 0.0:
        add_noise(nodes, moves, count, noise, rng)
        sort_unvisited(nodes, moves.children, count, is_open)
    simulate_any(game, search, is_open, sets, rng, max(simulations - visits, int(FRESH * simulations)), 0)
    weigh_visits(nodes, tree.exact, player, moves, count)
    return count


@compiled
def add_noise(nodes: Any, moves: RootMoves, count: int, share: float, rng: Any) -> None:
    """Mix Dirichlet noise into the priors of the root's children."""
    total = TINY
    for i in range(count):
        moves.noise[i] = gamma(rng, CONCENTRATION / count)
        total += moves.noise[i]
    for i in range(count):
        child = nodes[moves.children[i]]
        child.prior = (1.0 - share) * child.prior + share * moves.noise[i] / total


@compiled
def sort_unvisited(nodes: Any, children: Any, count: int, is_open: Any) -> None:
    """Put the unvisited children of the root, which come last, in the order of their priors: PUCT relies on it."""
    if is_open is not None:
        first = 0
        while first < count and nodes[children[first]].visits > 0:
            first += 1
        for i in range(first + 1, count):
            prior, move = nodes[children[i]].prior, nodes[children[i]].move
            j = i
            while j > first and nodes[children[j - 1]].prior < prior:
                nodes[children[j]].prior = nodes[children[j - 1]].prior
                nodes[children[j]].move = nodes[children[j - 1]].move
                j -= 1
            nodes[children[j]].prior = prior
            nodes[children[j]].move = move


@compiled
def weigh_visits(nodes: Any, exact: Any, player: int, moves: RootMoves, count: int) -> None:
    """Write the policy, and the value of each move to the player."""
    total, won = 0.0, -1
    for i in range(count):
        child = nodes[moves.children[i]]
        moves.policy[i] = child.visits
        moves.values[i] = child.worth / child.visits if child.visits > 0 else nodes[ROOT].guess
        if child.proven:
            moves.values[i] = exact[moves.children[i], player]
            if moves.values[i] >= 1.0:
                won = i
            elif moves.values[i] < LOST:
                moves.policy[i] *= LOSS
        total += moves.policy[i]
    if total <= 0.0:
        moves.policy[0] = total = 1.0
    for i in range(count):
        moves.policy[i] = moves.policy[i] / total if won < 0 else 1.0 if i == won else 0.0


@compiled
def pick_child(moves: RootMoves, count: int, is_drawn: bool, rng: Any) -> int:
    """The child to play: drawn by the policy, or the one with the highest."""
    choice, left = 0, uniform(rng)
    for i in range(count):
        if is_drawn and left >= 0.0 and moves.policy[i] > 0.0:
            choice = i
            left -= moves.policy[i]
        elif not is_drawn and moves.policy[i] > moves.policy[choice]:
            choice = i
    return moves.children[choice]


@compiled
def gamma(rng: Any, shape: float) -> float:
    """A sample of the gamma distribution (Marsaglia and Tsang, 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = math.pow(1.0 - uniform(rng), 1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
                return boost * d * v


@compiled
def normal(rng: Any) -> float:
    """A sample of the normal distribution (Box and Muller, 1958)."""
    return math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))
