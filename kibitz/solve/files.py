"""Value tables on disk: compact, checksummed, memory-mapped.

A table is a page of text that says what it holds; then the values in the order of the index, packed
(kibitz/solve/packing.py); then what is needed to find them: the least value of each block, where each block begins, and
the checksum of each section.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from kibitz.compiler import as_buffer
from kibitz.compiler import disk_cache as cache
from kibitz.errors import KibitzError
from kibitz.solve.index import Index
from kibitz.solve.packing import BLOCK, BLOCK_WORDS, SECTION, Packed, bits_for, packed_sections

MAGIC = b"kibitz table of values 2\n"
PAGE = 4096  # bytes before the values
PIECE = 32 * SECTION * BLOCK  # values packed at a time
WORD = 4  # bytes


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
    return _folders()[0] / f"{index.name}-{index.size}.values"


def find_kept(index: Index) -> Path | None:
    """The smallest stored table with all positions of an index; None if there is none."""
    sizes = {}
    for folder in reversed(_folders()):  # if several have it, that in the first one counts
        for path in folder.glob(f"{index.name}-*.values"):
            with contextlib.suppress(ValueError):
                sizes[int(path.stem.rpartition("-")[2])] = path
    return sizes[min(enough)] if (enough := [size for size in sizes if size >= index.size]) else None


def _folders() -> list[Path]:
    return [folder / "solutions" for folder in cache.folders()]


def write_table(path: Path, label: Label, read: Callable[[int, int], np.ndarray]) -> None:
    """Write a table atomically, all of it or nothing, given what reads the values of a range of positions."""
    bits, size = bits_for(label.tolerance), label.positions
    pieces = (read(first, min(first + PIECE, size)) for first in range(0, size, PIECE))
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}")  # unique, in case two processes write the same table
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            file.write(b" " * PAGE)
            least, widths, checksums = [], [], []
            for section in packed_sections(pieces, bits):
                file.write(section.words.astype("<u4").tobytes())
                least.append(section.least)
                widths.append(section.widths)
                checksums.append(section.checksum)
            file.write(bytes(WORD))  # see Packed.words
            start = np.concatenate([[0], np.cumsum(np.concatenate(widths))])
            blocks = b"".join(
                part.astype("<u4").tobytes() for part in (np.concatenate(least), start, np.array(checksums))
            )
            file.write(blocks)
            checksum = hashlib.sha256(blocks).hexdigest()
            file.seek(0)
            file.write(MAGIC + json.dumps({**asdict(label), "bits": bits, "checksum": checksum}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        raise KibitzError(f"The table cannot be written to {path}: {error.strerror}.") from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()


def read_table(path: Path, index: Index) -> tuple[Label, Packed]:
    """The label and the values of a table, which must hold all positions of an index.

    The values stay on disk until they are looked up.
    """
    try:
        with path.open("rb") as file:
            page = file.read(PAGE)
            size = file.seek(0, 2)
    except OSError as error:
        raise KibitzError(f"The table {path} cannot be read: {error.strerror}.") from None
    if not page.startswith(MAGIC):
        raise KibitzError(
            f"{path} is not a value table of this version of kibitz; create one with `kibitz solve GAME --out FILE`."
        )
    try:
        written = json.loads(page[len(MAGIC) :])
        checksum, bits = written.pop("checksum"), int(written.pop("bits"))
        label = Label(**written)
        blocks = -(-label.positions // BLOCK)
        sections = -(-blocks // SECTION)
        directory = WORD * (2 * blocks + 1 + sections)  # bytes, at the end of the file
        numbers = np.memmap(path, "<u4", "r", PAGE, ((size - PAGE) // WORD,))
        words, least, start, checksums = np.split(
            np.asarray(numbers), np.cumsum([len(numbers) - directory // WORD, blocks, blocks + 1])
        )
    except (ValueError, OverflowError, TypeError, KeyError):
        raise _damaged(path) from None
    if label.index != index.name or label.positions < index.size:
        raise KibitzError(f"{path} is a table of {label.game}, another game; create one with `kibitz solve`.")
    found = hashlib.sha256(b"".join(part.tobytes() for part in (least, start, checksums))).hexdigest()
    if size % WORD or found != checksum or len(words) != int(start[-1]) * BLOCK_WORDS + 1:
        raise _damaged(path)
    arrays = (as_buffer(part) for part in (least, start, checksums, words, np.zeros(sections, "?")))
    return label, Packed(float((1 << bits) - 1), *arrays)


def _damaged(path: Path) -> KibitzError:
    return KibitzError(f"The table {path} is damaged; delete it and create it again with `kibitz solve`.")
