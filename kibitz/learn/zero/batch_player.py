"""What `kibitz train --method zero --engine ray` runs on the nodes of a cluster: it plays one batch at a time.

The code of this module is sent to the nodes, where kibitz may be missing: it imports kibitz late.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz.cluster.node import Kit, first_alone, unpack

if TYPE_CHECKING:
    import numpy as np

    from kibitz.learn.zero.batches import Batches
    from kibitz.learn.zero.self_play import Manner


class BatchOrders(NamedTuple):
    """Which batches to play."""

    game: str
    digest: str  # of the games that were watched to find its features
    manner: Manner
    seed: int
    games: int  # in each
    teacher: str


class BatchPlayer:
    """Plays batches of one training run. `end` may be called while another method is running."""

    _batches: Batches

    def __init__(self) -> None:
        self._stop = threading.Event()

    def prepare(self, kit: Kit) -> tuple[str, str]:
        """Unpack a kit; return the name of this node and what it lacks, if anything."""
        problem, folder = unpack(kit)
        self._kit = kit.digest
        if not problem:
            os.chdir(folder)
        return os.uname().nodename, problem

    def start(self, orders: BatchOrders) -> str:
        """Find the game and compile everything; return what went wrong, if anything."""
        from kibitz.errors import KibitzError
        from kibitz.learn.method_features import ZERO, features_for
        from kibitz.learn.watched_features import watched_features
        from kibitz.learn.zero.batches import Batches
        from kibitz.rules.registry import find_game

        try:
            game = find_game(orders.game)
            with first_alone(f"{self._kit} {orders}"):
                if watched_features(game).digest != orders.digest:
                    return f"{orders.game} plays differently there"
                features = features_for(game, ZERO)
                self._batches = Batches(game, features, orders.manner, orders.seed, orders.games, orders.teacher)
                self._batches.prepare()
        except KibitzError as error:
            return str(error)
        return ""

    def work(self, weights: tuple[np.ndarray, ...] | None, number: int) -> Any:
        """What there is to learn from a batch played by the network with these weights, or an error."""
        from kibitz.errors import KibitzError
        from kibitz.learn.zero.network import Network
        from kibitz.learn.zero.self_play import Stopped

        # What Ray hands over can only be read.
        network = None if weights is None else Network(*(array.copy() for array in weights))
        try:
            return self._batches.play(network, number, self._stop.is_set)
        except KibitzError as error:
            return error
        except Stopped:  # nobody waits for it any more
            return None

    def end(self) -> None:
        """Stop, whatever is going on."""
        self._stop.set()
