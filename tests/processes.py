"""Processes that a test starts, and waiting for them."""

import contextlib
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
    """The processes that a process started, and those that they started."""
    children = set()
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        children = {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    return children.union(*(descendants(child) for child in children))


def is_running(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def apart_from_compiling(err):
    """What a command printed to stderr, without the lines that say what is being compiled."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("Compiling "))
