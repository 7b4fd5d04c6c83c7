"""Sequential halving: the worse half of the moves is dropped after each stage (Karnin, Koren and Somekh, 2013).

All stages get an equal part of the budget, so that most of it goes to the best few moves.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.players.limit import Clock, spend
from kibitz.search.move_averages import MoveSums, best_first


def stages_of(count: int) -> list[int]:
    """The number of moves tried in each stage, from all of them down to two."""
    stages = [count]
    while stages[-1] > 2:
        stages.append((stages[-1] + 1) // 2)
    return stages


def try_in_stages(
    sums: MoveSums, stages: list[int], work: Callable[[int, int, int], int], budget: int | None, clock: Clock
) -> int:
    """Try moves in stages, sorted best first after each; return how much of the budget was used.

    `work(alive, done, count)` runs `count` more trials of the first `alive` moves, after `done` in this stage.
    """
    used = 0
    for left, alive in zip(range(len(stages), 0, -1), stages, strict=True):
        done = 0

        def run(count: int, alive: int = alive) -> int:
            nonlocal done
            done += work(alive, done, count)
            return count

        used += spend(run, None if budget is None else (budget - used) // left, clock.part(left))
        best_first(sums, alive)
    return used
