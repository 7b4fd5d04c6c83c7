"""Moves that are tried in playouts, and what these came to."""

from __future__ import annotations

from typing import Any, Protocol

from kibitz.bots import Ranked


class Sums(Protocol):
    """Moves, in any order, and the sum and the number of their results."""

    @property
    def legal(self) -> Any: ...
    @property
    def worth(self) -> Any: ...
    @property
    def visits(self) -> Any: ...


def best_first(sums: Sums, alive: int) -> None:
    """Sort the first `alive` moves by their averages, and leave the others after them as they are."""
    order = sorted(range(alive), key=lambda i: -_mean(sums, i))
    for column in (sums.legal, sums.worth, sums.visits):
        column[:alive] = [column[i] for i in order]


def ranked(sums: Sums, count: int) -> tuple[Ranked, ...]:
    """What was found of the first `count` moves."""
    found = []
    for i in range(count):
        move = int(sums.legal[i])
        found.append(Ranked(move, _mean(sums, i), int(sums.visits[i]), line=(move,)))
    return tuple(found)


def _mean(sums: Sums, i: int) -> float:
    return float(sums.worth[i] / max(sums.visits[i], 1))
