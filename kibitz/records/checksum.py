"""The checksum of a Parquet file, kept in the file itself.

Parquet protects the content of its pages, but neither their headers nor the footer, so a flipped bit there may change
what is read. A reader finds the footer from the end of the file and everything else by offsets in the footer; what lies
just before the footer, it never sees. There kibitz puts a mark and the SHA-256 of all other bytes. For other tools the
file is an ordinary Parquet file.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import BinaryIO

_END = struct.Struct("<I4s")  # of a Parquet file: the length of the footer and a magic number
_MARK = b"kibitz sha-256: "
_BLOCK_BYTES = len(_MARK) + hashlib.sha256().digest_size
_READ_BYTES = 1 << 20


def add_checksum(file: BinaryIO) -> None:
    """Add the checksum to a Parquet file that is complete and open for reading and writing."""
    begin = _footer(file)
    file.seek(begin)
    footer = file.read()
    checksum = _checksum(file, begin, footer)
    file.seek(begin)
    file.write(_MARK + checksum + footer)


def is_damaged(path: Path) -> bool:
    """Whether a file is not as it was written; False if it has no checksum, as in logs of earlier versions."""
    with path.open("rb") as file:
        begin = _footer(file)
        file.seek(max(0, begin - _BLOCK_BYTES))
        block = file.read(_BLOCK_BYTES)
        return block.startswith(_MARK) and block != _MARK + _checksum(file, begin - _BLOCK_BYTES, file.read())


def _footer(file: BinaryIO) -> int:
    """Where the footer of a Parquet file begins; 0 if it is none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size))
    end = file.read()
    return max(0, size - _END.size - int(_END.unpack(end)[0])) if len(end) == _END.size else 0


def _checksum(file: BinaryIO, length: int, rest: bytes) -> bytes:
    """The checksum of the first `length` bytes of a file and `rest`."""
    checksum = hashlib.sha256()
    file.seek(0)
    for start in range(0, length, _READ_BYTES):
        checksum.update(file.read(min(_READ_BYTES, length - start)))
    checksum.update(rest)
    return checksum.digest()
