"""Who plays the batches of a training run: threads on this machine, or workers on a cluster (on_cluster.py).

A batch does not depend on who plays it, so the choice does not affect what is learned.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from kibitz.errors import KibitzError
from kibitz.learn.zero.batches import Batches
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.on_cluster import ClusterPlayers
from kibitz.tournament.executors import LOCAL, RAY

ENGINES = LOCAL, RAY


class SelfPlayers(Protocol):
    """Play batches."""

    def prepare(self) -> None:
        """Get ready, and compile what it takes."""

    def play(self, network: Network | None, numbers: Sequence[int]) -> list[Examples]:
        """What there is to learn from the batches with these numbers.

        They are played by a network, which nobody changes meanwhile, or without one by the teacher.
        """
        ...

    def close(self) -> None:
        """Stop, whatever is going on."""


def choose_self_players(batches: Batches, workers: int, engine: str, address: str | None) -> SelfPlayers:
    """Choose who plays, by the name of an engine. `address` is that of a Ray cluster."""
    if engine not in ENGINES:
        raise KibitzError(f"There is no engine {engine!r} for self-play; choose one of {', '.join(ENGINES)}.")
    if engine == RAY:
        return ClusterPlayers(batches, workers, address)
    if address is not None:
        raise KibitzError(f"An address is for the engine ray; the engine {engine} runs on this machine.")
    return ThreadPlayers(batches, workers)


class ThreadPlayers:
    """Threads on this machine; a single one is this thread."""

    def __init__(self, batches: Batches, workers: int) -> None:
        self._batches, self._workers = batches, workers
        self._pool, self._stop = ThreadPoolExecutor(workers), threading.Event()

    def prepare(self) -> None:
        self._batches.prepare()

    def play(self, network: Network | None, numbers: Sequence[int]) -> list[Examples]:
        def play_one(number: int) -> Examples:
            return self._batches.play(network, number, self._stop.is_set)

        return list((self._pool.map if self._workers > 1 else map)(play_one, numbers))

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)
