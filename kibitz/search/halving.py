"""Sequential halving: the worse half of the moves is dropped, again and again (Karnin, Koren and Somekh, 2013).

Every stage gets an equal part of what is left of the budget, so that most of it goes to the best few.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from kibitz.bots import Ranked
from kibitz.search.budget import spend


class Sums(Protocol):
    """Moves, in any order, and what their playouts came to."""

    @property
    def legal(self) -> Any: ...
    @property
    def worth(self) -> Any: ...
    @property
    def visits(self) -> Any: ...


def stages_of(count: int) -> list[int]:
    """How many moves are tried in each stage, from all of them to two."""
    stages = [count]
    while stages[-1] > 2:
        stages.append((stages[-1] + 1) // 2)
    return stages


def try_in_stages(
    sums: Sums, stages: list[int], work: Callable[[int, int, int], int], budget: int, ms: float, start: float
) -> int:
    """Try moves in stages, the best first after each; return how much of the budget was used since `start`.

    `work(alive, done, count)` tries the first `alive` moves for so much more after `done` of this stage.
    """
    used = 0
    for left, alive in zip(range(len(stages), 0, -1), stages, strict=True):
        done = 0

        def run(count: int, alive: int = alive) -> int:
            nonlocal done
            done += work(alive, done, count)
            return count

        spent = 1000 * (time.perf_counter() - start)
        used += spend(run, (budget - used) // left if budget else 0, max((ms - spent) / left, 0.1) if ms else 0)
        _best_first(sums, alive)
    return used


def ranked(sums: Sums, count: int) -> tuple[Ranked, ...]:
    """What was found of the first `count` moves."""
    found = []
    for i in range(count):
        move = int(sums.legal[i])
        found.append(Ranked(move, _mean(sums, i), int(sums.visits[i]), line=(move,)))
    return tuple(found)


def _mean(sums: Sums, i: int) -> float:
    return float(sums.worth[i] / max(sums.visits[i], 1))


def _best_first(sums: Sums, alive: int) -> None:
    """Sort the first `alive` moves by their averages, and leave the others after them as they are."""
    order = sorted(range(alive), key=lambda i: -_mean(sums, i))
    for column in (sums.legal, sums.worth, sums.visits):
        column[:alive] = [column[i] for i in order]
