"""What `kibitz solve --engine ray` runs on the nodes of a cluster: it solves one layer at a time.

The code of this module is sent to the nodes, where kibitz may be missing: it imports kibitz late.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz.cluster.node import Kit, first_alone, unpack

if TYPE_CHECKING:
    import numpy as np

    from kibitz.solve.iteration import Iteration


class Orders(NamedTuple):
    """What to solve."""

    game: str
    tolerance: float
    memory: int


class LayerSolver:
    """Keeps the values that it has been given or has found so far."""

    _iteration: Iteration

    def prepare(self, kit: Kit) -> tuple[str, str]:
        """Unpack a kit; return the name of this node and what it lacks, if anything."""
        problem, folder = unpack(kit)
        self._digest = kit.digest
        if not problem:
            os.chdir(folder)
        return os.uname().nodename, problem

    def start(self, orders: Orders) -> str:
        """Find the game and compile everything; return what went wrong, if anything."""
        from kibitz.errors import KibitzError
        from kibitz.rules.registry import find_game
        from kibitz.solve.index import own_index
        from kibitz.solve.iteration import Iteration

        try:
            game = find_game(orders.game)
            index = own_index(game)
            assert index is not None  # the sender has checked that
            self._iteration = Iteration(game, index, orders.tolerance, orders.memory)
            with first_alone(f"{self._digest} {orders}"):
                self._iteration.compile()
        except KibitzError as error:
            return str(error)
        return ""

    def work(self, place: int, new: list[int], *values: np.ndarray) -> Any:
        """Solve a layer, given the values of those that it needs and that are new here; return its number of sweeps
        and its values, or an error."""
        from kibitz.errors import KibitzError

        for needed, its_values in zip(new, values, strict=True):
            self._iteration.restore(needed, its_values)
        try:
            return self._iteration.solve_layer(place)
        except KibitzError as error:
            return error

    def end(self) -> None:
        """Stop, whatever is going on."""
        self._iteration.stop()
