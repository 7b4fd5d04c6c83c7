"""What runs on a node of a cluster before anything else there: it checks kibitz and unpacks files.

The code of this module is sent to the nodes, because kibitz may be missing there or have another version. It must not
import anything but the standard library at its top.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class File(NamedTuple):
    """A file that a node needs."""

    hash: str
    content: bytes | None  # None: it is too large to be sent
    mode: int


class Kit(NamedTuple):
    """Everything that a node needs."""

    version: str  # of kibitz
    code: str  # a digest of its code
    folder: str  # where the files are, on the machine that sends them
    files: dict[str, File]
    programs: tuple[str, ...]

    @property
    def digest(self) -> str:
        """A digest of what is in the kit."""
        what = self.code, self.programs, sorted((name, file.hash) for name, file in self.files.items())
        return hashlib.sha256(repr(what).encode()).hexdigest()


def hash_of(path: Path) -> str:
    """The SHA-256 of a file; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def kibitz_here() -> tuple[str, str]:
    """The version of kibitz on this machine, and a digest of its code and of the networks that ship with it."""
    from kibitz import version

    root = Path(version.__file__).parent
    files = sorted(path for ending in ("py", "npz") for path in root.rglob(f"*.{ending}"))
    sources = [(path.relative_to(root).as_posix(), hash_of(path)) for path in files]
    return version.VERSION, hashlib.sha256(repr(sources).encode()).hexdigest()


def unpack(kit: Kit) -> tuple[str, str]:
    """Make sure that this node has everything in a kit: what it lacks, as the end of a sentence, and the folder to
    work in. That is the sender's folder if it is the same here, otherwise one to which its files are written.
    """
    try:
        version, code = kibitz_here()
    except ImportError:
        return f"it has no kibitz; install kibitz {kit.version} there, for {sys.executable}", ""
    if (version, code) != (kit.version, kit.code):
        differs = f"it has kibitz {version}, not {kit.version}" if version != kit.version else "its kibitz differs"
        return f"{differs}; install the same on all machines", ""
    folder = Path(kit.folder)
    if not folder.is_dir() or not all(hash_of(folder / name) == file.hash for name, file in kit.files.items()):
        for name, file in kit.files.items():
            if not _can_be_written(name) and hash_of(Path(name)) != file.hash:
                lacks = f"it has no file {name}, or a different one"
                return f"{lacks}; name it relative to the current folder, so that it is sent along", ""
            if file.content is None and hash_of(Path(name)) != file.hash:
                return f"it has no file {name}, which is too large to be sent along", ""
        folder = _written(kit)
    with contextlib.chdir(folder):
        missing = [program for program in kit.programs if not shutil.which(program)]
    return (f"it has no program {missing[0]!r}" if missing else ""), str(folder)


def _can_be_written(name: str) -> bool:
    """Whether a file lies below the folder, so that it can be written to another one."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _written(kit: Kit) -> Path:
    """A folder with the files of a kit: the same one for all workers that need the same files."""
    from kibitz.compiler import disk_cache

    folder = disk_cache.folder() / "files" / kit.digest
    for name, file in kit.files.items():
        path = folder / name
        if file.content is None or not _can_be_written(name) or hash_of(path) == file.hash:
            continue
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        aside = path.with_name(f"{path.name}.{os.getpid()}")
        aside.write_bytes(file.content)
        aside.chmod(file.mode)
        aside.replace(path)
    return folder


@contextlib.contextmanager
def first_alone(what: str) -> Iterator[None]:
    """Let the first process on this node go ahead alone, and the others, with the same `what`, wait until it is done.

    So only one compiles; the others find its code in the cache.
    """
    from kibitz.compiler import disk_cache

    try:
        import fcntl

        folder = disk_cache.folder()
        folder.mkdir(0o700, parents=True, exist_ok=True)
        file = (folder / "first-alone").open("a+")
    except (ImportError, OSError):  # no locks on this system, or no cache, so that there is nothing to wait for
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if file.read() == what:
            fcntl.flock(file, fcntl.LOCK_UN)
            yield
        else:
            yield
            file.truncate(0)
            file.write(what)
