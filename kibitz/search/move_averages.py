"""Average results of the moves tried in playouts."""

from __future__ import annotations

from typing import Any, Protocol

from kibitz.players.bot import Ranked


class MoveSums(Protocol):
    """Moves in any order, with the sum and the number of their results."""

    @property
    def legal(self) -> Any: ...
    @property
    def worth(self) -> Any: ...
    @property
    def visits(self) -> Any: ...


def best_first(sums: MoveSums, alive: int) -> None:
    """Sort the first `alive` moves by average, best first; the others stay where they are."""
    order = sorted(range(alive), key=lambda i: -_mean(sums, i))
    for column in (sums.legal, sums.worth, sums.visits):
        column[:alive] = [column[i] for i in order]


def ranked(sums: MoveSums, count: int) -> tuple[Ranked, ...]:
    """The first `count` moves with their averages."""
    found = []
    for i in range(count):
        move = int(sums.legal[i])
        found.append(Ranked(move, _mean(sums, i), int(sums.visits[i]), line=(move,)))
    return tuple(found)


def _mean(sums: MoveSums, i: int) -> float:
    return float(sums.worth[i] / max(sums.visits[i], 1))
