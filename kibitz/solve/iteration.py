"""Value iteration: two-player games with chance, solved to a tolerance, layer by layer, on all cores.

The value of a position to player 0 is the expectation, over the chance outcomes, of the best that the player to act can
reach. These sums are written once as a graph (kibitz/solve/graph.py). Sweeps then update the positions of a layer in
place (Gauss-Seidel) until the change still to come is within the tolerance. A position and its twin, the same with the
other player to act, are swept one right after the other, which saves two sweeps in five.

If the graph of a layer does not fit into memory, part of it holds only the best choices by the values so far, and is
written again until no choice changes its values (modified policy iteration). Layers that do not need each other are
solved in parallel, and the parts of a graph are written in parallel; every layer is swept by one thread, so that the
values do not depend on the number of threads.

Shapley 1953 (the values of stochastic games); Bertsekas and Tsitsiklis 1989 (Gauss-Seidel iteration); Puterman and Shin
1978 (modified policy iteration).
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from rich.filesize import decimal

from kibitz.allocator import give_back_free_memory
from kibitz.compiler import is_plain, numbers
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.solve.graph import Graph, copy_of, new_graph, policy_bytes, positions_per_graph, size_of, sweep, write_graph
from kibitz.solve.index import Index, Layer
from kibitz.solve.positions import MOST_POSITIONS, new_buffers
from kibitz.solve.store import LayerStore

MOST_SWEEPS = 10_000
FINER = 100  # the factor by which a policy is valued more precisely than it seems to be good
SWEEPS_COST = 2.0  # by experience: all sweeps compared with writing a graph
REWRITES = 8  # by experience: how often part of a graph is written again
UNKNOWN = 0.5  # the initial value
VALUE_BYTES = 8
SAMPLES, SAMPLE_POSITIONS = 16, 1000


class Estimate(NamedTuple):
    """What solving a game will take, roughly."""

    memory: int  # in bytes
    seconds: float


class _Sample(NamedTuple):
    """What a graph takes per position."""

    bytes: float
    seconds: float


class _Part(NamedTuple):
    """Positions of a layer whose sums are written to one graph."""

    first: int
    end: int
    every_choice: bool


class _Local(NamedTuple):
    """The values of a layer and of those that it needs, in one array, and where they are (see graph.place_of)."""

    values: Any
    spans: Any


class _Stopped(Exception):
    """Ends the worker threads after the main thread was interrupted."""


class _GraphWriter:
    """Writes graphs, in any thread."""

    def __init__(self, game: Game, index: Index, stopped: threading.Event) -> None:
        self.stopped = stopped
        self._game = game
        self._fixed = game, index, index.tables()
        self._buffers = threading.local()

    def write(self, part: _Part, local: _Local) -> list[Graph]:
        """The graph of a part, in several pieces if too many constants occur."""
        if not hasattr(self._buffers, "step"):
            self._buffers.step, self._buffers.graph = new_buffers(self._game), new_graph(self._game)
        step, graph = self._buffers.step, self._buffers.graph
        written, end = [], part.end
        while end > part.first:
            if self.stopped.is_set():
                raise _Stopped
            end = write_graph(*self._fixed, step, *local, part.every_choice, graph, part.first, end)
            written.append(copy_of(graph))
        return written

    def compile(self) -> None:
        """Compile everything without solving anything."""
        graph = new_graph(self._game)
        local = _Local(numbers(1, "f8"), numbers((1, 3), "i8"))
        write_graph(*self._fixed, new_buffers(self._game), *local, True, graph, 0, 0)
        sweep(copy_of(graph), local.values)


class _LayerSolver:
    """Solves one layer."""

    def __init__(self, writer: _GraphWriter, parts: list[_Part], tolerance: float) -> None:
        self.progress = 0.0  # the share of the layer that seems to be done
        self._writer = writer
        self._parts = parts
        self._tolerance = tolerance
        self._sweeps = 0

    def solve(self, local: _Local, writers: ThreadPoolExecutor) -> int:
        """Find the values of the layer, given those that it needs; return the number of sweeps."""
        graphs: list[list[Graph]] = [[] for _ in self._parts]
        to_write = list(range(len(self._parts)))
        rewritten = [i for i in to_write if not self._parts[i].every_choice]
        while True:
            written = writers.map(lambda i: self._writer.write(self._parts[i], local), to_write)
            for i, pieces in zip(to_write, written, strict=True):
                graphs[i] = pieces
            gain = self._converge(list(itertools.chain.from_iterable(graphs)), local.values, bool(rewritten))
            if not rewritten or gain <= self._tolerance:
                return self._sweeps
            to_write = rewritten

    def _converge(self, graphs: list[Graph], values: Any, is_provisional: bool) -> float:
        """Sweep until the change still to come is within the tolerance or, if the graphs will be rewritten, small
        compared with that of the first sweep; return by how much the values may have changed in all."""
        before, ratio, first_change = 1.0, 1.0, 0.0
        while self._sweeps < MOST_SWEEPS:
            change = self._sweep(graphs, values)
            first_change = first_change or change
            # In the end changes shrink by a constant factor per sweep, so those still to come are a geometric series.
            # Take the greater of the last two factors, in case one of the sweeps was lucky.
            ratio, last_ratio = change / before, ratio
            factor = min(max(ratio, last_ratio), 0.99)
            goal = max(self._tolerance / 2, first_change / FINER) if is_provisional else self._tolerance
            if change * factor / (1 - factor) <= goal:
                return first_change * factor / (1 - factor)
            before = change
            self.progress = min(max(math.log(change) / math.log(self._tolerance), self.progress), 1.0)
        raise KibitzError(f"The values do not converge: they change by {change:.1g} after {MOST_SWEEPS:,} sweeps.")

    def _sweep(self, graphs: list[Graph], values: Any) -> float:
        self._sweeps += 1
        change = 0.0
        for graph in graphs:
            change = max(change, sweep(graph, values))
            if self._writer.stopped.is_set():
                raise _Stopped
        return change


class Iteration:
    """The value iteration of a game."""

    def __init__(
        self, game: Game, index: Index, tolerance: float, memory: int, store: LayerStore | None = None
    ) -> None:
        """`memory` is the limit in bytes, for the values and graphs of the layers being solved, and for the values of
        all others unless they are stored in a file."""
        self.game = game
        self.tolerance = tolerance
        self.layers = index.layers()
        self._index = index
        self._memory = memory - (0 if store else VALUE_BYTES * index.size)
        self._policy_bytes = policy_bytes(game)
        needed = max(self._least_memory(layer) for layer in self.layers)
        if needed > self._memory or max(layer.size for layer in self.layers) > MOST_POSITIONS:
            in_all = decimal(needed + memory - self._memory)
            raise KibitzError(
                f"{spec_of(game)} has {index.size:,} positions, which take {in_all} to solve; "
                "allow more with --memory, or choose a smaller variant."
            )
        self.store = store or LayerStore(self.layers)
        self._restored = self.store.done  # positions
        self._updates = 0  # of positions, in all sweeps
        self._running: dict[Future[tuple[int, np.ndarray]], tuple[int, _LayerSolver]] = {}
        self._writer = _GraphWriter(game, index, threading.Event())

    @property
    def done(self) -> int:
        """The number of positions solved so far."""
        return self.store.done

    @property
    def almost_done(self) -> int:
        """The number of positions solved so far, with those being solved counted in part."""
        running = sum(solver.progress * self.layers[place].size for place, solver in self._running.values())
        return self.done + int(running)

    @property
    def sweeps(self) -> float:
        """The average number of sweeps per position, not counting restored ones."""
        return self._updates / max(self.done - self._restored, 1)

    def unsolved(self) -> list[int]:
        """The indices of the layers still to be solved."""
        return [place for place in range(len(self.layers)) if place not in self.store.solved]

    def can_begin(self, place: int) -> bool:
        """Whether all layers that a layer needs are solved."""
        return self.store.solved.issuperset(self.layers[place].needs)

    def solve_layer(self, place: int) -> tuple[int, np.ndarray]:
        """Solve one layer, in this thread; return the number of sweeps and its values."""
        with ThreadPoolExecutor(1) as writers:
            sweeps, values = self._solve(place, self._new_solver(place), writers)
        self.store.keep(place, values)
        return sweeps, values

    def take(self, place: int, sweeps: int, values: np.ndarray) -> None:
        """Take over the values of a layer that was solved elsewhere."""
        self.store.keep(place, values)
        self._updates += sweeps * self.layers[place].size

    def restore(self, place: int, values: np.ndarray) -> None:
        """Take over the values of a layer that was solved before."""
        self.store.keep(place, values)
        self._restored += self.layers[place].size

    def stop(self) -> None:
        """Stop solving, in all threads."""
        self._writer.stopped.set()

    def compile(self) -> None:
        """Compile everything before the clock starts."""
        self._writer.compile()

    def estimate(self, threads: int = 0) -> Estimate:
        """What solving the remaining layers will take, going by a sample of the largest one."""
        costs = {}
        for place in self.unsolved():
            rewriting = REWRITES * (1 - self._full_share(place))
            costs[place] = self.layers[place].size * self._sample.seconds * (1 + SWEEPS_COST + rewriting)
        chain: dict[int, float] = {}  # the time until a layer is done, if only those it needs have to be waited for
        for place, cost in costs.items():
            chain[place] = cost + max((chain.get(need, 0.0) for need in self.layers[place].needs), default=0.0)
        seconds = max(sum(costs.values()) / (threads or os.cpu_count() or 1), *chain.values(), 0.0)
        return Estimate(max(map(self._memory_for, costs), default=0), seconds)

    @functools.cached_property
    def _sample(self) -> _Sample:
        """What the graph of the largest layer takes, if it holds every choice."""
        layer = max(self.layers, key=lambda layer: layer.size)
        first, end = layer.spans[-1]  # a position here is written along with its twin, if that is elsewhere
        local = self._local(layer, known=False)
        rows = size = 0
        seconds = 0.0
        for i in range(SAMPLES):
            at = first + (end - first) * i // SAMPLES
            start = time.thread_time()  # other programs must not count
            written = self._writer.write(_Part(at, min(at + SAMPLE_POSITIONS, end), every_choice=True), local)
            seconds += time.thread_time() - start
            size += sum(size_of(graph) for graph in written)
            rows += sum(len(graph.place) for graph in written)
        return _Sample(size / rows, seconds / rows)

    def _values_bytes(self, layer: Layer) -> int:
        return VALUE_BYTES * (layer.size + sum(self.layers[need].size for need in layer.needs))

    def _least_memory(self, layer: Layer) -> int:
        return self._values_bytes(layer) + self._policy_bytes * layer.size

    def _full_share(self, place: int) -> float:
        """The share of a layer's graph that can hold every choice."""
        layer = self.layers[place]
        spare = self._memory - self._least_memory(layer)
        return min(spare / (layer.size * max(self._sample.bytes - self._policy_bytes, 1)), 1.0)

    def _memory_for(self, place: int) -> int:
        layer = self.layers[place]
        return min(self._memory, self._values_bytes(layer) + int(self._sample.bytes * layer.size))

    def _has_room(self, place: int, running: Sequence[int]) -> bool:
        return not running or sum(map(self._memory_for, (place, *running))) <= self._memory

    def _parts(self, place: int) -> Iterator[_Part]:
        """The parts of a layer's graph, the highest numbers first."""
        share, most = self._full_share(place), positions_per_graph(self.game)
        for first, end in reversed(self.layers[place].spans):
            full_from = end - round(share * (end - first))
            for part_end in range(end, first, -most):
                part_first = max(first, part_end - most)
                yield _Part(part_first, part_end, every_choice=part_first >= full_from)

    def _local(self, layer: Layer, known: bool = True) -> _Local:
        """The values that are needed to solve a layer: all 0 if they need not be known."""
        own = _joined(layer.spans)
        others = _joined(sorted(span for need in layer.needs for span in self.layers[need].spans))
        values = numbers(self._values_bytes(layer) // VALUE_BYTES, "f8")
        spans = numbers((len(own) + len(others), 3), "i8")
        at = 0
        for i, (first, end) in enumerate((*own, *others)):
            spans[i, 0], spans[i, 1], spans[i, 2] = first, end, at
            if known:
                values[at : at + end - first] = UNKNOWN if i < len(own) else self.store.read(first, end)
            at += end - first
        return _Local(values, spans)

    def _new_solver(self, place: int) -> _LayerSolver:
        return _LayerSolver(self._writer, list(self._parts(place)), self.tolerance)

    def _solve(self, place: int, solver: _LayerSolver, writers: ThreadPoolExecutor) -> tuple[int, np.ndarray]:
        layer = self.layers[place]
        local = self._local(layer)
        sweeps = solver.solve(local, writers)
        give_back_free_memory()
        return sweeps, np.array(local.values[: layer.size])

    def run(self, threads: int = 0, meanwhile: Callable[[], None] = lambda: None) -> Iterator[int]:
        """Solve all layers, by default on all cores; yield the index of each once it is solved.

        `meanwhile` is called now and then while layers are being solved.
        """
        threads = 1 if is_plain() else threads or os.cpu_count() or 1
        waiting = self.unsolved()
        running = self._running
        with ThreadPoolExecutor(threads) as solvers, ThreadPoolExecutor(threads) as writers:
            try:
                while waiting or running:
                    for place in [place for place in waiting if self.can_begin(place)]:
                        if len(running) < threads and self._has_room(place, [there for there, _ in running.values()]):
                            solver = self._new_solver(place)
                            running[solvers.submit(self._solve, place, solver, writers)] = place, solver
                            waiting.remove(place)
                    for ended in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done:
                        place, _ = running.pop(ended)
                        self.take(place, *ended.result())
                        del ended  # and its values: the next layers need the memory
                        yield place
                    meanwhile()
            except BaseException:  # most likely Ctrl-C
                self.stop()
                raise


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same spans, with those that follow each other made one."""
    joined: list[tuple[int, int]] = []
    for first, end in spans:
        if joined and joined[-1][1] == first:
            first = joined.pop()[0]
        joined.append((first, end))
    return joined
