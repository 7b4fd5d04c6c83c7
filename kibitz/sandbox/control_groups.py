"""Control groups: bounds on what all processes of a bot use together, where this user may create such groups.

Both versions of the interface are used as they are found: version 2, where the system has handed a part of the tree to
this user, and version 1, as root.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MARGIN_BYTES = 1 << 30  # for the zygote, and for files in memory
REMOVE_SECONDS = 60.0  # only a failure takes that long
# A shell joins the groups named before "--" and becomes the command after it.
JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'
_numbers = itertools.count()


class ControlGroups:
    """The groups of one sandbox; none if this machine does not allow any."""

    def __init__(self, memory: int, processes: int) -> None:
        self._folders: list[Path] = []
        limits = {
            "memory.max": memory + MARGIN_BYTES,
            "memory.limit_in_bytes": memory + MARGIN_BYTES,
            "memory.swap.max": 0,
            "pids.max": processes + 8,  # those of the sandbox itself
        }
        name = f"kibitz-{os.getpid()}-{next(_numbers)}"
        for parent in parents():
            folder = parent / name
            with contextlib.suppress(OSError):
                folder.mkdir()
                self._folders.append(folder)
                for file, value in limits.items():
                    if (folder / file).exists():
                        (folder / file).write_text(str(value))

    def joined_by(self, command: Sequence[str]) -> list[str]:
        """The command, as a member of the groups from its first moment on."""
        if not self._folders:
            return list(command)
        return ["sh", "-c", JOIN, "sh", *map(str, self._folders), "--", *command]

    def remove(self) -> None:
        """Kill what is left in the groups, and remove them."""
        deadline = time.monotonic() + REMOVE_SECONDS
        while self._folders and time.monotonic() < deadline:
            self._folders = [folder for folder in self._folders if not _removed(folder)]


def _removed(folder: Path) -> bool:
    try:
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # the last process is not quite gone
        time.sleep(0.001)
        return False
    return True


@functools.cache
def parents() -> tuple[Path, ...]:
    """The groups of this process in which it can create others with limits of memory and processes."""
    found = []
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return ()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        own = Path(path.lstrip("/"))
        if not controllers:
            found += [place / own for place in (ROOT, ROOT / "unified") if (place / "cgroup.controllers").exists()]
        found += [ROOT / name / own for name in controllers.split(",") if name in ("memory", "pids")]
    usable = tuple(parent for parent in found if _allows_limits(parent))
    for parent in usable:
        _remove_leftovers(parent)
    return usable


def _allows_limits(parent: Path) -> bool:
    """Whether a group can have others in it, with limits."""
    trial = parent / f"kibitz-{os.getpid()}-trial"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        return any((trial / file).exists() for file in ("memory.max", "memory.limit_in_bytes", "pids.max"))
    finally:
        trial.rmdir()


def _remove_leftovers(parent: Path) -> None:
    """Remove the groups of processes that were killed before they could do so."""
    for folder in parent.glob("kibitz-*"):
        owner = re.match(r"kibitz-(\d+)-", folder.name)
        if owner and not Path(f"/proc/{owner[1]}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
