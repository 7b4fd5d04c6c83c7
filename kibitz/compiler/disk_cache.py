"""The disk cache of machine code: one authenticated file per entry, named by its content, without an index.

To load an entry is to run code, so only entries that this user saved are loaded: each begins with a message
authentication code under a random secret, which is created with the folder and readable by the user alone. Folders
and files that belong to somebody else, or that others can write to, are ignored. So is anything damaged.

Files are written under a temporary name and renamed, so any number of processes can share the folder. The least
recently used files are pruned. `KIBITZ_CACHE` sets the folder. `KIBITZ_CACHE_READ` lists further folders (separated
like those in PATH) that are only read: a process that must not write to its host's cache can still load from it, if
it may read the secret there. If a folder cannot be read or written, nothing is cached: no function here raises.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

from kibitz import notices

LIMIT_BYTES = 1 << 30  # prune above this …
KEEP_BYTES = LIMIT_BYTES * 3 // 4  # … down to this
SECRET = "secret"  # the name of its file
SUFFIX = ".signed"
_SECRET_BYTES = _CODE_BYTES = 32
_refused: set[Path] = set()  # the folders about which the user has been told


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


def folders() -> list[Path]:
    """The folders to look in: that of the cache, and those in $KIBITZ_CACHE_READ."""
    further = os.environ.get("KIBITZ_CACHE_READ", "").split(os.pathsep)
    return [folder(), *(Path(path) for path in further if path)]


def load(key: str) -> bytes | None:
    """The payload saved under a key; None if there is none that can be trusted."""
    found = (_load(place, key) for place in folders())
    return next((payload for payload in found if payload is not None), None)


def _load(place: Path, key: str) -> bytes | None:
    path = _path(place, key)
    content = _read(path) if _is_trusted(place) else None
    secret = _read_secret(place)
    if content is None or secret is None:
        return None
    with contextlib.suppress(OSError):  # a read-only folder works too
        os.utime(path)  # pruning goes by the time of last use
    code, payload = content[:_CODE_BYTES], content[_CODE_BYTES:]
    return payload if hmac.compare_digest(code, _code(secret, key, payload)) else None


def save(key: str, payload: bytes) -> None:
    """Save a payload under a key, replacing any previous one."""
    place = folder()
    path = _path(place, key)
    with contextlib.suppress(OSError):
        place.mkdir(0o700, parents=True, exist_ok=True)
        if not _is_trusted(place):
            return
        if secret := _read_secret(place) or _create_secret(place):
            path.parent.mkdir(0o700, exist_ok=True)
            with _written_aside(path, _code(secret, key, payload) + payload) as aside:
                os.replace(aside, path)


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


def _path(place: Path, key: str) -> Path:
    return place / key[:2] / f"{key}{SUFFIX}"


# ------------------------------------------------------------------ trust


def signature(text: str) -> str | None:
    """A code that only this user can compute, to recognize what they have written; None if there is no cache."""
    place = folder()
    with contextlib.suppress(OSError):
        place.mkdir(0o700, parents=True, exist_ok=True)
        if _is_trusted(place) and (secret := _read_secret(place) or _create_secret(place)):
            return hmac.new(secret, b"signature\0" + text.encode(), hashlib.sha256).hexdigest()
    return None


def _code(secret: bytes, key: str, payload: bytes) -> bytes:
    """The authentication code of an entry; it includes the key, so that no entry can be passed off as another."""
    return hmac.digest(secret, key.encode() + b"\0" + payload, hashlib.sha256)


def _read_secret(place: Path) -> bytes | None:
    secret = _read(place / SECRET)
    return secret if secret and len(secret) == _SECRET_BYTES and any(secret) else None  # zeros: the power failed


def _create_secret(place: Path) -> bytes | None:
    """Create the secret of a folder, unless another process has just done so; return the one that counts."""
    path = place / SECRET
    with _written_aside(path, secrets.token_bytes(_SECRET_BYTES)) as aside:
        with contextlib.suppress(OSError):
            os.link(aside, path)  # unlike a replacement, it fails if there is one
        if _read_secret(place) is None:  # what is there is unusable, or the file system has no links
            os.replace(aside, path)
    return _read_secret(place)


def _is_trusted(place: Path) -> bool:
    """Whether nobody else can put files into a folder; if somebody can, say so, once."""
    try:
        if _is_ours(place.stat()):
            return True
    except OSError:
        return False
    if place not in _refused:
        _refused.add(place)
        notices.tell(
            f"Compiled code is not cached: {place} belongs to another user, or others can write to it "
            "(chmod go-w makes it yours alone)."
        )
    return False


def _is_ours(stat: os.stat_result) -> bool:
    """Whether a file belongs to this user, or to root, who can do anything anyway, and nobody else can write to it."""
    return sys.platform == "win32" or (stat.st_uid in (0, os.geteuid()) and not stat.st_mode & 0o022)


def _read(path: Path) -> bytes | None:
    with contextlib.suppress(OSError), path.open("rb") as file:
        if _is_ours(os.fstat(file.fileno())):
            return file.read()
    return None


@contextlib.contextmanager
def _written_aside(path: Path, content: bytes) -> Iterator[Path]:
    """A temporary file with some content, which only this user can read; deleted if it is still there at the end."""
    aside = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        yield aside
    finally:
        aside.unlink(missing_ok=True)
