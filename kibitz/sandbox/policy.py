"""What the processes of a bot may see and use."""

from __future__ import annotations

import os
import shutil
import site
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# What every program needs: libraries and programs of the system, and where to find them.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/ssl/openssl.cnf", "/etc/ssl/certs"),
    "/sys/devices/system/cpu",
)
INSTALLED = ("bin", "shims")  # folders of programs that belong to what is beside them; shims are those of pyenv
PROCESSES = 64  # and a few more per core, for libraries that start a thread on each


@dataclass(frozen=True)
class Policy:
    """What the processes of a bot may see and use. Nothing else exists for them, and nothing can be written."""

    readable: tuple[str, ...]  # absolute paths of files, and of folders with everything in them …
    hidden: tuple[str, ...] = ()  # … except for these
    writable: str | None = None  # a folder, for code that a bot compiles before any game
    memory: int = 4_000_000_000  # bytes that a process may allocate
    processes: int = PROCESSES + 4 * (os.cpu_count() or 1)  # including threads


def python_paths() -> list[str]:
    """What this Python needs to run kibitz: its installation, packages, and kibitz itself."""
    package = Path(__file__).resolve().parents[1]
    chosen = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    chosen = [path for path in chosen if path and not _is_private(Path(path))]
    return [sys.prefix, sys.base_prefix, str(package), *chosen, *users, *packages]


def program_paths(command: Sequence[str]) -> list[str]:
    """What a program needs: its installation, or its folder, and the folders of the files among its arguments."""
    paths = []
    if found := shutil.which(command[0]):
        for program in dict.fromkeys([Path(found).absolute(), Path(found).resolve()]):
            is_installed = program.parent.name in INSTALLED and not _is_private(program.parent.parent)
            paths.append(str(program.parent.parent) if is_installed else folder_of(program))
    named = [Path(word) for word in command[1:] if is_opened(word)]
    return [*paths, *(str(path.absolute()) if path.is_dir() else folder_of(path) for path in named)]


def folder_of(path: Path) -> str:
    """What a bot may read beside its own file: its folder; or only the file, if the folder is somebody's home."""
    full = path.absolute()
    return str(full if _is_private(full.parent) else full.parent)


def is_opened(name: str) -> bool:
    """Whether a word of a bot's spec names a file or folder that the bot may read because of that.

    A link that came with the bot could lead anywhere: only what lies beside it, or below, is opened. And a folder is
    not, if it is somebody's home.
    """
    path = Path(name)
    if not path.exists() or (path.is_dir() and _is_private(path)):
        return False
    return not path.is_symlink() or is_within(os.path.realpath(path), os.path.realpath(path.parent))


def _is_private(folder: Path) -> bool:
    """Whether a folder is, or contains, the home directory or its ~/.local, or is shared by everybody."""
    try:
        home = Path.home().resolve()
    except RuntimeError:  # there is none
        home = Path("/root")
    real = folder.resolve()
    return real in (home, home / ".local", *home.parents) or str(real) in ("/tmp", "/var/tmp")


def existing(paths: Iterable[str]) -> Iterator[str]:
    """Those paths that exist, each once, also as what symbolic links make of them; parents before their children."""
    both = {where for path in paths for where in (os.path.abspath(path), os.path.realpath(path))}
    yield from sorted(path for path in both if os.path.exists(path))


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
