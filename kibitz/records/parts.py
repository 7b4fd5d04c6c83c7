"""The parts of a log, read in order and a batch at a time, so that a log of any length needs little memory.

Games are sorted within a part, and parts hardly overlap: only where workers finished out of order, and where a resumed
tournament filled gaps. So one pass merges them by the numbers of the games; in memory is a batch of each part that
holds the next games. Import this module when a log is opened: it needs pyarrow.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kibitz.records.columns import check_parquet, joined, parquet_batches, parquet_span, read_entries, read_parquet
from kibitz.records.journal import entries

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_AT_ONCE = 1000  # games of each part in memory, if very many parts overlap


class Part:
    """A part of a log as it is now: a Parquet file or, before it is sealed, the content of its journal."""

    def __init__(self, sealed: Path, journal: Path | None, intact: set[Path]) -> None:
        """`intact` are the files whose checksums have been verified: once written, a file never changes."""
        self._path, self._intact = sealed, intact
        self._table: pa.Table | None = None  # what is in the journal
        if journal is not None and not sealed.exists():
            with contextlib.suppress(FileNotFoundError):  # it has just been sealed
                self._table = joined([read_entries(entries(journal))])
        self.span = parquet_span(sealed) if self._table is None else _span(self._table["game"].to_numpy())

    def verify(self) -> None:
        """Raise an error if the part is damaged."""
        if self._table is None and self._path not in self._intact:
            check_parquet(self._path)
            self._intact.add(self._path)

    def overlaps(self, numbers: range) -> bool:
        """Whether it may contain games with these numbers."""
        return bool(self.span) and numbers.start < self.span.stop and self.span.start < numbers.stop

    def read(self, numbers: range) -> pa.Table:
        """The games with these numbers."""
        if self._table is not None:
            first, stop = np.searchsorted(self._table["game"].to_numpy(), [numbers.start, numbers.stop]).tolist()
            return self._table.slice(first, stop - first)
        self.verify()
        return read_parquet(self._path, numbers)

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """All games in order; if the part is sealed, only `rows` at a time are read."""
        if self._table is not None:
            yield self._table.select(columns)
        else:
            self.verify()
            yield from parquet_batches(self._path, columns, rows)


def in_order(parts: Sequence[Part], columns: Sequence[str], at_once: int) -> Iterator[pa.Table]:
    """The games of all parts in the order of their numbers, without duplicates, at least `at_once` at a time."""
    found: list[pa.Table] = []
    for table in _merged(parts, columns, at_once):
        found.append(table)
        if sum(map(len, found)) >= at_once:
            yield joined(found)
            found = []
    if found:
        yield joined(found)


def _merged(parts: Sequence[Part], columns: Sequence[str], at_once: int) -> Iterator[pa.Table]:
    later = sorted((part for part in parts if part.span), key=lambda part: part.span.start, reverse=True)
    rows = max(at_once // max(1, _most_overlapping(later)), min(at_once, LEAST_AT_ONCE))
    current: list[_Reader] = []
    while current or later:
        # As soon as all parts are open that begin before it, all games up to the lowest `last` are in memory.
        while later and (not current or later[-1].span.start <= min(reader.last for reader in current)):
            current += _Reader.of(later.pop().batches(columns, rows))
        last = min((reader.last for reader in current), default=-1)
        if found := [table for reader in current if len(table := reader.take(last))]:
            yield joined(found)
        current = [reader for reader in current if reader.has_more()]


class _Reader:
    """The games of a part that are still to come, the next ones in memory."""

    def __init__(self, batches: Iterator[pa.Table], batch: pa.Table) -> None:
        self._batches = batches
        self._hold(batch)

    @classmethod
    def of(cls, batches: Iterator[pa.Table]) -> list[_Reader]:
        """A reader; none if there are no games."""
        return [cls(batches, batch) for batch in itertools.islice(batches, 1)]

    def _hold(self, batch: pa.Table) -> None:
        self._batch, self._numbers = batch, batch["game"].to_numpy()

    @property
    def last(self) -> int:
        """The highest number of a game in memory."""
        return int(self._numbers[-1])

    def take(self, last: int) -> pa.Table:
        """Remove the games up to number `last` from memory."""
        count = int(np.searchsorted(self._numbers, last, "right"))
        taken = self._batch.slice(0, count)
        self._hold(self._batch.slice(count))
        return taken

    def has_more(self) -> bool:
        """Whether there are games left; if so, some of them are now in memory."""
        if not len(self._numbers):
            for batch in itertools.islice(self._batches, 1):
                self._hold(batch)
        return len(self._numbers) > 0


def _span(numbers: np.ndarray) -> range:
    """From the first of some ascending numbers to the last."""
    return range(int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else range(0)


def _most_overlapping(parts: Sequence[Part]) -> int:
    """How many parts may contain the same game, at most."""
    edges = sorted([(part.span.start, 1) for part in parts] + [(part.span.stop, -1) for part in parts])
    return max(itertools.accumulate(change for _, change in edges), default=0)
