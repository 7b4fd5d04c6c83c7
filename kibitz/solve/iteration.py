"""Value iteration: two-player games with chance, solved to a tolerance, layer by layer, on all cores.

The value of a position to player 0 is the expectation, over the chance outcomes, of the best that the player to act can
reach: a sum of weighted maxima. The sums of a layer are written once, as a graph in which everything outside the layer
is already a number. Sweeps then update the positions in place (Gauss-Seidel) until the change still to come is within
the tolerance. A position and its twin, the same with the other player to act, are swept one right after the other,
which saves two sweeps in five. Layers that do not need each other are solved in parallel, each by one thread, so that
the values do not depend on the number of threads.

Shapley 1953 (the values of stochastic games); Bertsekas and Tsitsiklis 1989 (Gauss-Seidel iteration).
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled, is_plain, numbers
from kibitz.errors import KibitzError
from kibitz.rules.contract import OVER, Game
from kibitz.rules.registry import spec_of
from kibitz.solve.index import Index, Layer
from kibitz.solve.positions import MOST_POSITIONS, TurnBuffers, begin, new_buffers, take_outcome

CHUNK_EDGES = 1 << 19  # a graph is written in parts of this many edges, between which it can be interrupted
MOST_SWEEPS = 10_000
NOTHING = -1.0  # the maximum of no values: less than any of them
UNKNOWN = 0.5  # the initial value
VALUE_BYTES, GRAPH_BYTES = 8, 160  # per position; the latter roughly, for a game with as many choices as Ur


class Graph(NamedTuple):
    """The sums of some positions, one row each, in the order of a sweep: `constant` plus, for each term of the row,
    `weight` × the maximum of `least` and the values at the ends of the term's edges."""

    number: Any  # of the position
    constant: Any
    terms: Any  # where the terms of each row start, and where the last ones end
    weight: Any  # of each term; negative where player 1 chooses
    least: Any  # the best of a term's choices that lead out of the layer
    edges_from: Any  # where the edges of each term start, and where the last ones end
    edges: Any  # twice the number of a position, plus 1 if 1 − its value counts


@compiled
def write_graph(
    game: Any, index: Any, tables: Any, step: TurnBuffers, values: Any, spans: Any, graph: Graph, first: int, end: int
) -> int:
    """Write the sums of the positions end − 1 … first, each followed by that of its twin; return the number of rows.

    The spans are those of the layer. A position whose twin has a greater number is written together with the twin.
    """
    graph.terms[0] = graph.edges_from[0] = 0
    rows = 0
    for number in range(end - 1, first - 1, -1):
        twin = index.twin(game, number, step, tables)
        if twin <= number:
            write_row(game, index, tables, step, values, spans, graph, rows, number)
            rows += 1
        if twin < number:
            write_row(game, index, tables, step, values, spans, graph, rows, twin)
            rows += 1
    return rows


@compiled
def write_row(
    game: Any, index: Any, tables: Any, step: TurnBuffers, values: Any, spans: Any, graph: Graph, row: int, number: int
) -> None:
    """Write the sum of one position."""
    states, outcomes, odds, moves, shares = step.states, step.outcomes, step.odds, step.moves, step.shares
    edges_from, edges = graph.edges_from, graph.edges
    index.write(game, number, step, tables)
    constant = 0.0
    term = graph.terms[row]
    edge = edges_from[term]
    for i in range(begin(game, states, outcomes, odds)):
        take_outcome(game, states, outcomes[i])
        chooser = states[1].turn
        least = NOTHING
        for j in range(game.moves(states[1], moves) if chooser >= 0 else 1):
            states[2] = states[1]
            if chooser >= 0:
                game.play(states[2], moves[j])
            if states[2].turn == OVER:
                game.normalized_payoff(states[2], shares)
                least = max(least, shares[1 if chooser == 1 else 0])
                continue
            end = index.number(game, step, 2, tables)
            if chooser == 1:
                end ^= 1
            if is_within(end >> 1, spans):
                edges[edge] = end
                edge += 1
            else:
                least = max(least, value_at(values, end))
        weight = odds[i]
        if chooser == 1:  # what player 1 gains, player 0 loses
            constant += weight
            weight = -weight
        if edge == edges_from[term]:
            constant += weight * least
        else:
            graph.weight[term] = weight
            graph.least[term] = least
            term += 1
            edges_from[term] = edge
    graph.number[row] = number
    graph.constant[row] = constant
    graph.terms[row + 1] = term


@compiled
def is_within(number: int, spans: Any) -> bool:
    found = False
    for i in range(len(spans)):
        found |= spans[i, 0] <= number < spans[i, 1]
    return found


@compiled
def value_at(values: Any, end: int) -> float:
    """The value at the end of an edge."""
    value = values[end >> 1]
    return 1.0 - value if end & 1 else value


@compiled
def sweep(graph: Graph, values: Any) -> float:
    """Update the value of every row in place; return the greatest change."""
    constant, terms, weight, least = graph.constant, graph.terms, graph.weight, graph.least
    number, edges_from, edges = graph.number, graph.edges_from, graph.edges
    greatest = 0.0
    for row in range(len(number)):
        total = constant[row]
        for term in range(terms[row], terms[row + 1]):
            best = least[term]
            for edge in range(edges_from[term], edges_from[term + 1]):
                best = max(best, value_at(values, edges[edge]))
            total += weight[term] * best
        greatest = max(greatest, abs(total - values[number[row]]))
        values[number[row]] = total
    return greatest


class _Stopped(Exception):
    """Ends the worker threads after the main thread was interrupted."""


class _LayerSolver:
    """The graph and the buffers with which one thread solves layers."""

    def __init__(self, game: Game, index: Index, tables: Any, values: Any, stopped: threading.Event) -> None:
        self.values = values
        self.stopped = stopped
        self.progress = 0.0  # the share of the current layer that seems to be done
        choices = max(game.max_outcomes, 1)
        self.chunk = max(1, CHUNK_EDGES // (2 * choices * game.max_moves))
        rows = 2 * self.chunk  # a position and its twin
        self.graph = Graph(
            number=numbers(rows, "i4"),
            constant=numbers(rows, "f8"),
            terms=numbers(rows + 1, "i4"),
            weight=numbers(rows * choices, "f8"),
            least=numbers(rows * choices, "f8"),
            edges_from=numbers(rows * choices + 1, "i4"),
            edges=numbers(rows * choices * game.max_moves, "i4"),
        )
        self.fixed = game, index, tables, new_buffers(game), values

    def compile(self) -> None:
        """Compile everything without solving anything."""
        write_graph(*self.fixed, numbers((1, 2), "i8"), self.graph, 0, 0)
        sweep(self._written(0), self.values)

    def solve(self, layer: Layer, tolerance: float) -> int:
        """Solve a layer once those it needs are solved; return the number of sweeps."""
        for first, end in layer.spans:
            self.values[first:end] = UNKNOWN
        self.progress = 0.0
        graphs = list(self._graphs(layer))
        before, ratio = 1.0, 1.0
        for sweeps in range(1, MOST_SWEEPS + 1):
            change = 0.0
            for graph in graphs:
                change = max(change, sweep(graph, self.values))
                if self.stopped.is_set():
                    raise _Stopped
            # In the end changes shrink by a constant factor per sweep, so those still to come are a geometric series.
            # Take the greater of the last two factors, in case one of the sweeps was lucky.
            ratio, last_ratio = change / before, ratio
            factor = min(max(ratio, last_ratio), 0.99)
            if change * factor / (1 - factor) <= tolerance:
                return sweeps
            before = change
            self.progress = min(max(math.log(change) / math.log(tolerance), 0.0), 1.0)  # changes shrink geometrically
        raise KibitzError(f"The values do not converge: they change by {change:.1g} after {MOST_SWEEPS:,} sweeps.")

    def _graphs(self, layer: Layer) -> Iterator[Graph]:
        """The graphs of a layer, the highest numbers first."""
        spans = numbers((len(layer.spans), 2), "i8")
        for i, span in enumerate(layer.spans):
            spans[i, 0], spans[i, 1] = span
        for first, end in reversed(layer.spans):
            for chunk_end in range(end, first, -self.chunk):
                rows = write_graph(*self.fixed, spans, self.graph, max(first, chunk_end - self.chunk), chunk_end)
                if self.stopped.is_set():
                    raise _Stopped
                if rows:
                    yield self._written(rows)

    def _written(self, rows: int) -> Graph:
        """A copy of the rows last written."""
        terms = int(self.graph.terms[rows])
        edges = int(self.graph.edges_from[terms])
        lengths = Graph(rows, rows, rows + 1, terms, terms, terms + 1, edges)
        written = []
        for array, length in zip(self.graph, lengths, strict=True):
            copy = numbers(length, np.asarray(array).dtype)
            copy[:] = array[:length]
            written.append(copy)
        return Graph(*written)


class Iteration:
    """The value iteration of a game."""

    def __init__(self, game: Game, index: Index, tolerance: float, memory: int) -> None:
        """`memory` is the limit in bytes for all values and the graphs of the layers being solved."""
        self.game = game
        self.tolerance = tolerance
        self.layers = index.layers()
        largest = max(layer.size for layer in self.layers)
        if (needed := VALUE_BYTES * index.size + GRAPH_BYTES * largest) > memory or index.size > MOST_POSITIONS:
            raise KibitzError(
                f"{spec_of(game)} has {index.size:,} positions, which take {needed / 1e9:.1f} GB to solve; "
                "allow more with --memory, or choose a smaller variant."
            )
        self._room = (memory - VALUE_BYTES * index.size) // GRAPH_BYTES  # for positions in graphs
        self.values = numbers(index.size, "f8")
        self._restored = 0  # positions
        self._updates = 0  # of positions, in all sweeps
        self._index = index
        self._tables = index.tables()
        self._solved: set[int] = set()
        self._running: dict[Future[int], tuple[int, _LayerSolver]] = {}
        self._stopped = threading.Event()

    @property
    def done(self) -> int:
        """The number of positions solved so far."""
        return sum(self.layers[place].size for place in self._solved)

    @property
    def almost_done(self) -> int:
        """The number of positions solved so far, with those being solved counted in part."""
        running = sum(solver.progress * self.layers[place].size for place, solver in self._running.values())
        return self.done + int(running)

    @property
    def sweeps(self) -> float:
        """The average number of sweeps per position, not counting restored ones."""
        return self._updates / max(self.done - self._restored, 1)

    def values_of(self, place: int) -> list[np.ndarray]:
        """The values of a solved layer, given by its index, span by span."""
        return [np.asarray(self.values[first:end], "<f8") for first, end in self.layers[place].spans]

    def layer_values(self, place: int) -> np.ndarray:
        """The values of a solved layer, as `restore` takes them."""
        return np.concatenate(self.values_of(place))

    def unsolved(self) -> list[int]:
        """The indices of the layers still to be solved."""
        return [place for place in range(len(self.layers)) if place not in self._solved]

    def can_begin(self, place: int) -> bool:
        """Whether all layers that a layer needs are solved."""
        return self._solved.issuperset(self.layers[place].needs)

    def solve_layer(self, place: int) -> tuple[int, np.ndarray]:
        """Solve one layer, in this thread; return the number of sweeps and its values."""
        sweeps = self._new_solver().solve(self.layers[place], self.tolerance)
        self._solved.add(place)
        return sweeps, self.layer_values(place)

    def take(self, place: int, sweeps: int, values: np.ndarray) -> None:
        """Take over the values of a layer that was solved elsewhere."""
        self.restore(place, values)
        self._restored -= self.layers[place].size
        self._updates += sweeps * self.layers[place].size

    def stop(self) -> None:
        """Stop solving, in all threads."""
        self._stopped.set()

    def restore(self, place: int, values: np.ndarray) -> None:
        """Take over the values of a layer that was solved before."""
        for first, end in self.layers[place].spans:
            self.values[first:end], values = values[: end - first], values[end - first :]
        self._solved.add(place)
        self._restored += self.layers[place].size

    def compile(self) -> None:
        """Compile everything before the clock starts."""
        self._new_solver().compile()

    def _new_solver(self) -> _LayerSolver:
        return _LayerSolver(self.game, self._index, self._tables, self.values, self._stopped)

    def _has_room(self, place: int, running: Sequence[int]) -> bool:
        return not running or sum(self.layers[there].size for there in (place, *running)) <= self._room

    def run(self, threads: int = 0, meanwhile: Callable[[], None] = lambda: None) -> Iterator[int]:
        """Solve all layers, by default on all cores; yield the index of each once it is solved.

        `meanwhile` is called now and then while layers are being solved.
        """
        threads = 1 if is_plain() else threads or os.cpu_count() or 1
        free = [self._new_solver() for _ in range(threads)]
        waiting = self.unsolved()
        running = self._running
        with ThreadPoolExecutor(threads) as pool:
            try:
                while waiting or running:
                    for place in [place for place in waiting if self.can_begin(place)]:
                        if free and self._has_room(place, [there for there, _ in running.values()]):
                            solver = free.pop()
                            running[pool.submit(solver.solve, self.layers[place], self.tolerance)] = place, solver
                            waiting.remove(place)
                    for ended in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done:
                        place, solver = running.pop(ended)
                        self._updates += ended.result() * self.layers[place].size
                        self._solved.add(place)
                        free.append(solver)
                        yield place
                    meanwhile()
            except BaseException:  # most likely Ctrl-C
                self.stop()
                raise
