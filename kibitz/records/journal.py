"""An append-only file of checksummed entries, which survive if the process is killed.

An entry is a header (a magic number, the length and checksum of the payload, the checksum of the header itself) and the
payload, written in one go. If the process dies in the middle, a partial entry remains at the end of the file and is
ignored; any other inconsistency has a different cause and counts as damage.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from pathlib import Path

from kibitz.errors import KibitzError

_MARK = b"game"
_HEADER = struct.Struct("<4sQI")
_CHECKSUM = struct.Struct("<I")
_HEADER_BYTES = _HEADER.size + _CHECKSUM.size


class Journal:
    """A new journal to append to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags, 0o666)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return os.fstat(self._file).st_size

    def append(self, payload: bytes) -> None:
        """Append an entry; if that raises, nothing has been added."""
        header = _HEADER.pack(_MARK, len(payload), zlib.crc32(payload))
        rest = memoryview(header + _CHECKSUM.pack(zlib.crc32(header)) + payload)
        before = self.size
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, before)
            raise

    def close(self) -> None:
        os.close(self._file)


def entries(path: Path) -> list[bytes]:
    """The complete entries of a journal."""
    content = memoryview(path.read_bytes())
    found = []
    while len(content) >= _HEADER_BYTES:
        header = content[: _HEADER.size]
        mark, length, checksum = _HEADER.unpack(header)
        if mark != _MARK or _CHECKSUM.unpack(content[_HEADER.size : _HEADER_BYTES]) != (zlib.crc32(header),):
            raise _damaged(path)
        if len(content) < _HEADER_BYTES + length:
            break
        payload = bytes(content[_HEADER_BYTES : _HEADER_BYTES + length])
        if zlib.crc32(payload) != checksum:
            raise _damaged(path)
        found.append(payload)
        content = content[_HEADER_BYTES + length :]
    return found


def _damaged(path: Path) -> KibitzError:
    return KibitzError(f"{path} is damaged; move it out of the log to continue without its games.")
