"""Processes that a test starts, and waiting for them."""

import contextlib
import os
import time
from pathlib import Path

LONG = 300.0  # seconds; only a failure takes that long, however busy the machine is


def wait_for(condition, seconds=LONG):
    """Wait until a condition holds; return its value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def descendants(pid):
    """The processes that a process started, in any of its threads, and those that they started."""
    children = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            children.update(map(int, path.read_text().split()))
    return children.union(*(descendants(child) for child in children))


def descendants_with(words):
    """The processes that this one started, directly or not, whose command contains some words."""
    found = []
    for pid in descendants(os.getpid()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            if words in Path(f"/proc/{pid}/cmdline").read_text():
                found.append(pid)
    return found


def is_running(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def apart_from_compiling(err):
    """What a command printed to stderr, without the lines that say what is being compiled."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("Compiling "))


def name_of(pid):
    """The name that a process has given itself; "" if it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""
