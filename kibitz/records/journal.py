"""An append-only file of checksummed entries, which survive if the process is killed or the power fails.

An entry is a header (a magic number, the length and checksum of the payload, the checksum of the header itself) and the
payload, written in one go. If the process is killed, all entries survive: the system has them. If the power fails, all
but those of the last SYNC_SECONDS do: that often they are forced to the disk, in a thread of their own.

If the process dies in the middle of an entry, the file ends with a part of it; if the power fails, it may end in zeros,
because its length reached the disk before its content. Such a tail is ignored. Any other inconsistency has a different
cause and counts as damage.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import zlib
from pathlib import Path

from kibitz.errors import KibitzError
from kibitz.records.files import sync_folder

SYNC_SECONDS = 2.0  # how long an entry may be in the system's memory only
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
        self._syncing = threading.Lock()  # held while the file is being forced to the disk, or closed
        self._timer: threading.Timer | None = None  # runs while there are entries that may not be on the disk
        self._failure: OSError | None = None  # what went wrong in its thread
        self._is_closed = False
        sync_folder(path.parent)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return os.fstat(self._file).st_size

    def append(self, payload: bytes) -> None:
        """Append an entry; if that raises, nothing has been added."""
        header = _HEADER.pack(_MARK, len(payload), zlib.crc32(payload))
        rest = memoryview(header + _CHECKSUM.pack(zlib.crc32(header)) + payload)
        before = self.size
        if self._failure is not None:
            raise self._failure
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, before)
            raise
        if self._timer is None:
            self._timer = threading.Timer(SYNC_SECONDS, self._sync)
            self._timer.daemon = True
            self._timer.start()

    def _sync(self) -> None:
        with self._syncing:
            if self._is_closed:
                return
            self._timer = None  # before the file is synced: an entry that comes during that needs another
            try:
                os.fsync(self._file)
            except OSError as error:
                self._failure = error

    def close(self) -> None:
        """Force all entries to the disk and close the file; raises an OSError if the disk did not take them."""
        with self._syncing:
            self._is_closed = True
            if self._timer is not None:
                self._timer.cancel()
            try:
                os.fsync(self._file)
            finally:
                os.close(self._file)
        if self._failure is not None:
            raise self._failure


def entries(path: Path) -> list[bytes]:
    """The entries of a journal that were written completely."""
    content = path.read_bytes()
    found, at = [], 0
    while len(content) - at >= _HEADER_BYTES:
        begin = at + _HEADER_BYTES
        header = content[at : at + _HEADER.size]
        mark, length, checksum = _HEADER.unpack(header)
        if mark != _MARK or _CHECKSUM.unpack(content[at + _HEADER.size : begin]) != (zlib.crc32(header),):
            if _may_end_before(content, begin):
                break
            raise _damaged(path)
        end = begin + length
        if end > len(content):
            break
        if zlib.crc32(content[begin:end]) != checksum:
            if _may_end_before(content, end):
                break
            raise _damaged(path)
        found.append(content[begin:end])
        at = end
    return found


def _may_end_before(content: bytes, end: int) -> bool:
    """Whether the content may have been written up to a point before `end` only: a tail of zeros may not have been."""
    return len(content.rstrip(b"\0")) < end


def _damaged(path: Path) -> KibitzError:
    return KibitzError(f"{path} is damaged; move it out of the log to continue without its games.")
