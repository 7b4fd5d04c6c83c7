"""Atomically written files that survive a power failure, and folders locked for one writer at a time."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kibitz.errors import KibitzError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ASIDE = ".aside"  # the suffix of a file while it is being written


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[BinaryIO]:
    """Write a file atomically: it replaces `path` in one step on success; on failure nothing changes.

    At the end, it is on the disk, not only in the system's memory.
    """
    aside = path.with_name(path.name + ASIDE)
    try:
        with aside.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        sync_folder(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Make sure that files created or renamed in a folder are found there even after a power failure."""
    with contextlib.suppress(OSError):  # folders that may not be read, and systems on which they cannot be synced
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Create a folder, with its parents, unless it exists."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


class Lock:
    """Keeps other writers out of a folder; the system releases it when the process ends, however it ends."""

    def __init__(self, path: Path, use: str) -> None:
        """`use` is what a process does that has the lock, as in "The log runs/first is being written"."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if sys.platform == "win32":
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            owner = b"" if sys.platform == "win32" else os.read(self._file, 20)  # Windows locks the content too
            os.close(self._file)
            who = f"process {int(owner)}" if owner.isdigit() else "another process"
            raise KibitzError(f"{use} by {who}; wait for it to end.") from None
        except OSError:
            os.close(self._file)
            raise
        os.ftruncate(self._file, 0)
        os.write(self._file, str(os.getpid()).encode())

    @property
    def descriptor(self) -> int:
        """For a process that inherits it, and then keeps the lock even when this one has released it."""
        return self._file

    def release(self) -> None:
        os.close(self._file)
