"""Sequential halving: the worse half of the moves is dropped, again and again (Karnin, Koren and Somekh, 2013).

Every stage gets an equal part of what is left of the budget, so that most of it goes to the best few.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from kibitz.search.budget import spend
from kibitz.search.sums import Sums, best_first


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
        best_first(sums, alive)
    return used
