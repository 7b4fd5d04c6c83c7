"""The equations of a layer as a graph, which makes updating a position as cheap as a dozen look-ups.

The value of a position is a sum over its chance outcomes: weight × the best value that the player to act can reach. A
graph holds these sums either with every choice or, in half the memory, with the best ones by the values so far: that is
the graph of a policy. Values and graph refer to positions by their places in one array: those of the layer come first,
then those of the layers that it needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, numbers
from kibitz.rules.contract import OVER, Game
from kibitz.solve.positions import TurnBuffers, begin, take_outcome

CHUNK_EDGES = 1 << 19  # a graph is written in parts of at most this many edges, between which it can be interrupted
CONSTANTS = 64  # in one part, and the few more of its last position
NOTHING = -1.0  # the maximum of no values: less than any of them
ROWS, TERMS, EDGES, USED = range(4)  # of Graph.counts


class Graph(NamedTuple):
    """Sums in the order of a sweep, one row each: of weight × the best value among the edges of each term."""

    counts: Any  # of rows, terms, edges and constants
    constants: Any  # the weights and payoffs that occur
    place: Any  # of each row: that of the position
    terms: Any  # of each row: how many
    weight: Any  # of each term, as an index of constants; negative where player 1 chooses
    choices: Any  # of each term: how many
    edges: Any  # twice a place, plus 1 if 1 − its value counts; or −1 − i: the payoff constants[i]


def new_graph(game: Game) -> Graph:
    """Room for one part of a graph."""
    outcomes = max(game.max_outcomes, 1)
    rows = 2 * positions_per_graph(game)
    new_constants = 2 * outcomes * (1 + game.max_moves)  # of a position and its twin, at most
    return Graph(
        counts=numbers(4, "i8"),
        constants=numbers(CONSTANTS + new_constants, "f8"),
        place=numbers(rows, "i4"),
        terms=numbers(rows, np.min_scalar_type(outcomes)),
        weight=numbers(rows * outcomes, np.min_scalar_type(CONSTANTS + new_constants)),
        choices=numbers(rows * outcomes, np.min_scalar_type(game.max_moves)),
        edges=numbers(rows * outcomes * game.max_moves, "i4"),
    )


def positions_per_graph(game: Game) -> int:
    """The number of positions that one part of a graph has room for, not counting their twins."""
    return max(1, CHUNK_EDGES // (2 * max(game.max_outcomes, 1) * game.max_moves))


def policy_bytes(game: Game) -> int:
    """The memory that the graph of a policy takes per position, at most."""
    _, _, place, terms, weight, choices, edges = (np.asarray(array).itemsize for array in new_graph(game))
    return place + terms + max(game.max_outcomes, 1) * (weight + choices + edges)


def copy_of(graph: Graph) -> Graph:
    """A copy of what was last written, no larger than that is."""
    rows, terms, edges, used = (int(count) for count in graph.counts)
    copies = []
    for array, length in zip(graph, (4, used, rows, rows, terms, terms, edges), strict=True):
        copy = numbers(length, np.asarray(array).dtype)
        copy[:] = array[:length]
        copies.append(copy)
    return Graph(*copies)


def size_of(graph: Graph) -> int:
    """The memory that a graph takes, in bytes."""
    return sum(np.asarray(array).nbytes for array in graph)


@compiled
def write_graph(
    game: Any,
    index: Any,
    tables: Any,
    step: TurnBuffers,
    values: Any,
    spans: Any,
    every_choice: bool,
    graph: Graph,
    first: int,
    end: int,
) -> int:
    """Write the sums of the positions end − 1 … first, each followed by that of its twin, until the graph is full.

    Returns the last position written. A position whose twin has a greater number is written together with the twin.
    """
    graph.counts[:] = 0
    number = end
    while number > first and graph.counts[USED] <= CONSTANTS and graph.counts[ROWS] + 2 <= len(graph.place):
        number -= 1
        twin = index.twin(game, number, step, tables)
        if twin <= number:
            write_row(game, index, tables, step, values, spans, every_choice, graph, number)
        if twin < number:
            write_row(game, index, tables, step, values, spans, every_choice, graph, twin)
    return number


@compiled
def write_row(
    game: Any,
    index: Any,
    tables: Any,
    step: TurnBuffers,
    values: Any,
    spans: Any,
    every_choice: bool,
    graph: Graph,
    number: int,
) -> None:
    """Write the sum of one position."""
    states, outcomes, odds, moves, counts = step.states, step.outcomes, step.odds, step.moves, graph.counts
    index.write(game, number, step, tables)
    terms = begin(game, states, outcomes, odds)
    for i in range(terms):
        take_outcome(game, states, outcomes[i])
        chooser = states[1].turn
        choices = game.moves(states[1], moves) if chooser >= 0 else 1
        first = counts[EDGES]
        best = NOTHING
        for j in range(choices):
            states[2] = states[1]
            if chooser >= 0:
                game.play(states[2], moves[j])
            edge = edge_to(game, index, tables, step, spans, graph, chooser)
            if every_choice:
                graph.edges[first + j] = edge
            elif value_of_edge(values, graph.constants, edge) > best:
                best = value_of_edge(values, graph.constants, edge)
                graph.edges[first] = edge
        term = counts[TERMS]
        graph.weight[term] = constant(graph, -odds[i] if chooser == 1 else odds[i])
        graph.choices[term] = choices if every_choice else 1
        counts[EDGES] = first + graph.choices[term]
        counts[TERMS] = term + 1
    graph.place[counts[ROWS]] = place_of(number, spans)
    graph.terms[counts[ROWS]] = terms
    counts[ROWS] += 1


@compiled
def edge_to(game: Any, index: Any, tables: Any, step: TurnBuffers, spans: Any, graph: Graph, chooser: int) -> int:
    """The edge that leads to states[2], where its value to the player who has chosen it is."""
    if step.states[2].turn == OVER:
        game.normalized_payoff(step.states[2], step.shares)
        return -1 - constant(graph, step.shares[1 if chooser == 1 else 0])
    end = index.number(game, step, 2, tables)
    return 2 * place_of(end >> 1, spans) + (end & 1 ^ (1 if chooser == 1 else 0))


@compiled
def place_of(number: int, spans: Any) -> int:
    """Where the value of a position is. A span is its first number, its end and the place of the first."""
    i = 0
    while not spans[i, 0] <= number < spans[i, 1]:
        i += 1
    return number - spans[i, 0] + spans[i, 2]


@compiled
def constant(graph: Graph, value: float) -> int:
    """The index of a number among the constants."""
    used = graph.counts[USED]
    for i in range(used):
        if graph.constants[i] == value:
            return i
    graph.constants[used] = value
    graph.counts[USED] = used + 1
    return used


@compiled
def value_at(values: Any, edge: int) -> float:
    """The value at the end of an edge that leads to a position."""
    value = values[edge >> 1]
    return 1.0 - value if edge & 1 else value


@compiled
def value_of_edge(values: Any, constants: Any, edge: int) -> float:
    """The value at the end of any edge."""
    return constants[-1 - edge] if edge < 0 else value_at(values, edge)


@compiled
def sweep(graph: Graph, values: Any) -> float:
    """Update the value of every row in place; return the greatest change."""
    constants, place, terms = graph.constants, graph.place, graph.terms
    weights, choices, edges = graph.weight, graph.choices, graph.edges
    greatest = 0.0
    term = edge = 0
    for row in range(len(place)):
        total = 0.0
        for _ in range(terms[row]):
            best = NOTHING
            for _ in range(choices[term]):
                best = max(best, value_of_edge(values, constants, edges[edge]))
                edge += 1
            weight = constants[weights[term]]
            total += weight * best if weight > 0.0 else weight * (best - 1.0)  # what player 1 gains, player 0 loses
            term += 1
        greatest = max(greatest, abs(total - values[place[row]]))
        values[place[row]] = total
    return greatest
