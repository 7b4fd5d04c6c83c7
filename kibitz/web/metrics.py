"""What a server measures of itself, for Prometheus. Every server has its own numbers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from kibitz.web.snapshots import RoomSnapshot
from kibitz.web.store import Store

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)  # memory, files, processor time
        self.moves = Counter("kibitz_moves", "Moves that were made.", ["by"], registry=self._registry)
        self.move_seconds = self._seconds("kibitz_move", "From a person's move to its publication, when it is safe.")
        self.save_seconds = self._seconds("kibitz_save", "The time it took to save a table.")
        self.failed_saves = Counter("kibitz_failed_saves", "Saves that failed.", registry=self._registry)
        self.request_seconds = Histogram(
            "kibitz_request_seconds",
            "From a request's headers to the end of its answer.",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=self._registry,
        )

    def _seconds(self, name: str, words: str) -> Histogram:
        return Histogram(f"{name}_seconds", words, buckets=SECONDS, registry=self._registry)

    def watch(self, name: str, words: str, count: Callable[[], float]) -> None:
        """Have something counted whenever somebody reads the numbers."""
        Gauge(name, words, registry=self._registry).set_function(count)

    def text(self) -> bytes:
        """All numbers in the text format of Prometheus."""
        return generate_latest(self._registry)


def measured(store: Store, metrics: Metrics) -> Store:
    """The same store; what is saved there is measured."""
    return cast(Store, _MeasuredStore(store, metrics))


class _MeasuredStore:
    """Passes everything on to a store."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def save(self, snapshot: RoomSnapshot, after: int | None) -> None:
        began = time.monotonic()
        try:
            await self._store.save(snapshot, after)
        except Exception:
            self._metrics.failed_saves.inc()
            raise
        self._metrics.save_seconds.observe(time.monotonic() - began)
