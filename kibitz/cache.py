"""The disk cache of machine code: one checksummed file per entry, named by its content, no index.

Files are written aside and renamed, so that any number of processes may share the folder; a damaged
file counts as missing. The folder is pruned by last use. `KIBITZ_CACHE` moves it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from pathlib import Path

LIMIT_BYTES = 1 << 30  # prune above this …
KEEP_BYTES = LIMIT_BYTES * 3 // 4  # … down to this
_CHECKSUM_BYTES = 32


def folder() -> Path:
    """Where compiled code is kept: $KIBITZ_CACHE, or `kibitz` in the user's cache folder."""
    if chosen := os.environ.get("KIBITZ_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "kibitz" / "code"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kibitz" / "code"


def load(key: str) -> bytes | None:
    """The payload saved under a key; None when it is missing or damaged."""
    path = _path(key)
    try:
        data = path.read_bytes()
        os.utime(path)  # the time of last use, which pruning goes by
    except OSError:
        return None
    checksum, payload = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    return payload if hashlib.sha256(payload).digest() == checksum else None


def save(key: str, payload: bytes) -> None:
    """Keep a payload under a key. A folder that cannot be written is as good as no cache."""
    path = _path(key)
    aside = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.replace(aside, path)
    except OSError:
        aside.unlink(missing_ok=True)


def prune(limit: int = LIMIT_BYTES, keep: int = KEEP_BYTES) -> int:
    """Delete the longest unused files once the folder exceeds `limit`; return how many went."""
    files = []
    for path in folder().glob("??/*"):
        try:
            stat = path.stat()
        except OSError:
            continue  # another process pruned it
        files.append((stat.st_mtime, stat.st_size, path))
    size = sum(bytes_ for _, bytes_, _ in files)
    if size <= limit:
        return 0
    gone = 0
    for _, bytes_, path in sorted(files):
        if size <= keep:
            break
        path.unlink(missing_ok=True)
        size -= bytes_
        gone += 1
    return gone


def _path(key: str) -> Path:
    return folder() / key[:2] / f"{key}.code"
