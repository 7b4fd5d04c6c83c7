"""Where the values of solved layers are kept: in memory, or in a file from which a run that was killed resumes.

The file lies next to the future table (`.part`). It begins with a page that says what it belongs to; then come the
values of all positions in full precision, and after them an entry for each finished layer.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kibitz.errors import KibitzError
from kibitz.solve.index import Index, Layer

PAGE = 4096  # bytes before the values
BLOCK = 1 << 20  # values read or written at a time
_ENTRY = struct.Struct("<qI")  # the index of a layer and the checksum of its values


class LayerStore:
    """The values of solved layers, in memory."""

    def __init__(self, layers: list[Layer]) -> None:
        self.layers = layers
        self.solved: set[int] = set()  # the indices of the layers
        self.values = self._room(max(end for layer in layers for _, end in layer.spans))

    def _room(self, size: int) -> np.ndarray:
        return np.zeros(size)

    @property
    def done(self) -> int:
        """The number of positions solved so far."""
        return sum(self.layers[place].size for place in self.solved)

    def read(self, first: int, end: int) -> np.ndarray:
        """The values of the positions first … end − 1."""
        return self.values[first:end]

    def keep(self, place: int, values: np.ndarray) -> None:
        """Store the values of a layer, span by span."""
        for first, end in self.layers[place].spans:
            self.values[first:end], values = values[: end - first], values[end - first :]
        self.solved.add(place)

    def layer_values(self, place: int) -> np.ndarray:
        """The values of a layer, as `keep` takes them."""
        return np.concatenate([self.read(*span) for span in self.layers[place].spans])


class UnfinishedTable(LayerStore):
    """The values of solved layers in a file, with those that an earlier run has left."""

    def __init__(self, table: Path, index: Index, tolerance: float) -> None:
        self.path = table.with_name(table.name + ".part")
        self._title = json.dumps([index.name, index.size, tolerance]).encode() + b"\n"
        self._entries = PAGE + 8 * index.size  # where they begin
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("r+b" if self.path.exists() else "w+b")
            self._begin()
            super().__init__(index.layers())
            self._restore()
        except OSError as error:
            raise KibitzError(f"{self.path} cannot be written: {error.strerror}.") from None

    def _begin(self) -> None:
        title = self._file.readline()
        if not self._title.startswith(title):
            raise KibitzError(f"{self.path} belongs to another game or tolerance; delete it to start over.")
        if title != self._title:
            self._file.seek(0)
            self._file.write(self._title)
        if self._file.seek(0, 2) < self._entries:
            self._file.truncate(self._entries)
        self._file.flush()

    def _room(self, size: int) -> np.ndarray:
        return np.memmap(self.path, "<f8", "r", PAGE, (size,))

    def _restore(self) -> None:
        """Find the layers that are intact, and drop everything after the first that is not."""
        intact = self._entries
        self._file.seek(intact)
        for place, checksum in list(_entries(self._file)):
            if not 0 <= place < len(self.layers) or checksum != self._checksum(place):
                break
            self.solved.add(place)
            intact += _ENTRY.size
        self._file.truncate(intact)

    def _checksum(self, place: int) -> int:
        checksum = 0
        for first, end in self.layers[place].spans:
            for at in range(first, end, BLOCK):
                checksum = zlib.crc32(self.read(at, min(at + BLOCK, end)).tobytes(), checksum)
        return checksum

    def read(self, first: int, end: int) -> np.ndarray:
        # Not from self.values: pages that are mapped would stay in memory.
        return np.fromfile(self.path, "<f8", end - first, offset=PAGE + 8 * first)

    def keep(self, place: int, values: np.ndarray) -> None:
        checksum = zlib.crc32(np.ascontiguousarray(values, "<f8").data)
        for first, end in self.layers[place].spans:
            self._file.seek(PAGE + 8 * first)
            self._file.write(np.ascontiguousarray(values[: end - first], "<f8").data)
            values = values[end - first :]
        self._file.flush()  # before the entry that says that it is there
        self._file.seek(0, 2)
        self._file.write(_ENTRY.pack(place, checksum))
        self._file.flush()
        self.solved.add(place)

    def close(self) -> None:
        """Close the file, and delete it if no layer is solved: there is nothing to resume."""
        self._file.close()
        if not self.solved:
            self.path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the file, once the table is written."""
        self._file.close()
        self.path.unlink(missing_ok=True)


def _entries(file: BinaryIO) -> Iterator[tuple[int, int]]:
    while len(entry := file.read(_ENTRY.size)) == _ENTRY.size:
        place, checksum = _ENTRY.unpack(entry)
        yield place, checksum
