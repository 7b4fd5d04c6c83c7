"""Value tables on disk: compact, checksummed, memory-mapped.

A table is a page of text that says what it holds, then one 32-bit float per position in the order of the index, within
3e-8 of the value.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiler import disk_cache as cache
from kibitz.errors import KibitzError
from kibitz.solve.index import Index

MAGIC = b"kibitz table of values 1\n"
PAGE = 4096  # bytes before the values
BLOCK = 1 << 20  # values converted at a time


@dataclass(frozen=True)
class Label:
    """What a table says about itself."""

    game: str
    index: str
    positions: int
    tolerance: float
    value: float  # the first player's share of the win
    sweeps: float
    seconds: float


def kept_path(index: Index) -> Path:
    """Where the table of an index is stored by default."""
    return _folders()[0] / f"{index.name}-{index.size}.table"


def find_kept(index: Index) -> Path | None:
    """The smallest stored table with all positions of an index; None if there is none."""
    sizes = {}
    for folder in reversed(_folders()):  # if several have it, that in the first one counts
        for path in folder.glob(f"{index.name}-*.table"):
            with contextlib.suppress(ValueError):
                sizes[int(path.stem.rpartition("-")[2])] = path
    return sizes[min(enough)] if (enough := [size for size in sizes if size >= index.size]) else None


def _folders() -> list[Path]:
    return [folder / "solutions" for folder in cache.folders()]


def write_table(path: Path, label: Label, values: Any) -> None:
    """Write a table atomically: all of it or, if that fails, nothing."""
    blocks = [np.asarray(values[i : i + BLOCK]) for i in range(0, len(values), BLOCK)]
    checksum = hashlib.sha256()
    for block in blocks:
        checksum.update(block.astype("<f4").tobytes())
    page = MAGIC + json.dumps({**asdict(label), "checksum": checksum.hexdigest()}).encode() + b"\n"
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}")  # unique, in case two processes write the same table
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            file.write(page.ljust(PAGE))
            for block in blocks:
                file.write(block.astype("<f4").tobytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        raise KibitzError(f"The table cannot be written to {path}: {error.strerror}.") from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()


def read_table(path: Path, index: Index) -> tuple[Label, np.ndarray]:
    """The label and the values of a table, which must hold all positions of an index."""
    try:
        with path.open("rb") as file:
            page = file.read(PAGE)
    except OSError as error:
        raise KibitzError(f"The table {path} cannot be read: {error.strerror}.") from None
    if not page.startswith(MAGIC):
        raise KibitzError(f"{path} is not a value table; create one with `kibitz solve GAME --out FILE`.")
    try:
        written = json.loads(page[len(MAGIC) :])
        checksum = written.pop("checksum")
        label = Label(**written)
        values = np.memmap(path, "<f4", "r", PAGE, (label.positions,))
    except (ValueError, TypeError, KeyError):
        raise _damaged(path) from None
    if label.index != index.name or label.positions < index.size:
        raise KibitzError(f"{path} is a table of {label.game}, another game; create one with `kibitz solve`.")
    if path.stat().st_size != PAGE + values.nbytes or hashlib.sha256(values.data).hexdigest() != checksum:
        raise _damaged(path)
    return label, np.asarray(values)


def _damaged(path: Path) -> KibitzError:
    return KibitzError(f"The table {path} is damaged; delete it and create it again with `kibitz solve`.")
