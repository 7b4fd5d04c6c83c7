"""A folder for what bots that are not trusted compile: theirs alone, never loaded by this process, gone with it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
from pathlib import Path

from kibitz.compiler import disk_cache

NAME = "guests"


@functools.cache
def guest_cache() -> Path:
    """The folder of this process. Those of processes that were killed are removed."""
    everyone = disk_cache.folder().parent / f"{disk_cache.folder().name}-{NAME}"
    try:
        everyone.mkdir(0o700, parents=True, exist_ok=True)
    except OSError:
        everyone = Path(tempfile.gettempdir())
    for left in everyone.glob("kibitz-*-*"):
        pid = left.name.split("-")[1]
        if pid.isdecimal() and not _is_running(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"kibitz-{os.getpid()}-", dir=everyone))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_running(pid: int) -> bool:
    with contextlib.suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
    return True
