"""The disk cache of machine code: one checksummed file per entry, named by its content, without an index.

Files are written under a temporary name and renamed, so any number of processes can share the folder; a damaged
file counts as missing. The least recently used files are pruned. `KIBITZ_CACHE` sets the folder. If it cannot be
read or written, nothing is cached: no function here raises.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import uuid
from pathlib import Path

LIMIT_BYTES = 1 << 30  # prune above this …
KEEP_BYTES = LIMIT_BYTES * 3 // 4  # … down to this
_CHECKSUM_BYTES = 32


def folder() -> Path:
    """The folder of the cache: $KIBITZ_CACHE, or `kibitz` in the user's cache folder."""
    if chosen := os.environ.get("KIBITZ_CACHE"):
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home directory: nothing can be stored below devnull
        home = Path(os.devnull)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "kibitz" / "code"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "kibitz" / "code"


def load(key: str) -> bytes | None:
    """The payload saved under a key; None if it is missing or damaged."""
    path = _path(key)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # a read-only folder works too
        os.utime(path)  # pruning goes by the time of last use
    checksum, payload = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
    return payload if hashlib.sha256(payload).digest() == checksum else None


def save(key: str, payload: bytes) -> None:
    """Save a payload under a key, replacing any previous one."""
    path = _path(key)
    aside = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.replace(aside, path)
    except OSError:
        with contextlib.suppress(OSError):
            aside.unlink()


def prune(limit: int = LIMIT_BYTES, keep: int = KEEP_BYTES) -> int:
    """Delete the least recently used files once the folder exceeds `limit` bytes; return the number deleted."""
    files = []
    for path in folder().glob("??/*"):
        with contextlib.suppress(OSError):  # another process pruned it
            stat = path.stat()
            files.append((stat.st_mtime_ns, stat.st_size, path))
    size = sum(file_size for _, file_size, _ in files)
    if size <= limit:
        return 0
    gone = 0
    for _, file_size, path in sorted(files):
        if size <= keep:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            gone += 1
        size -= file_size
    return gone


def _path(key: str) -> Path:
    return folder() / key[:2] / f"{key}.code"
