"""Processes that a test starts, and waiting for them.

Other processes come and go meanwhile, so anything that is read about one may be missing a moment later.
"""

import contextlib
import gc
import os
import signal
import time
from pathlib import Path

LONG = 300.0  # seconds; only a failure takes that long, however busy the machine is
WAITS = ("Compiling ", "No worker is ready yet; ")  # how lines begin that say what a command is waiting for


def wait_for(condition, seconds=LONG):
    """Wait until a condition holds; return its value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def apart_from_waiting(err):
    """What a command printed to stderr, without the lines that say what it is waiting for: a busy machine, perhaps."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith(WAITS))


def open_files():
    """The file descriptors of this process, apart from those of objects that earlier tests left to the collector."""
    gc.collect()
    return sorted(os.listdir("/dev/fd"))


# ------------------------------------------------------------------ one process


def _read(pid, file):
    """A file about a process; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/{file}").read_text(errors="replace")
    return ""


def _status(pid):
    """The fields of a process's status after its name: its state, its parent, …; none if it has ended."""
    return _read(pid, "stat").rpartition(")")[2].split()


def is_running(pid):
    return _status(pid)[:1] not in ([], ["Z"], ["X"])


def parent_of(pid):
    """The process that started a process, or has adopted it; None if it has ended."""
    return int(status[1]) if (status := _status(pid)) else None


def ticks_of(pid):
    """The processor time that a process has used in its own code, in ticks of the system's clock."""
    return int(status[11]) if (status := _status(pid)) else 0


def command_of(pid):
    return _read(pid, "cmdline")


def name_of(pid):
    """The name that a process has given itself; "" if it has ended."""
    return _read(pid, "comm").strip()


def send_signal(pid, number):
    """Send a signal to a process that may have just ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def kill(pid):
    """Kill a process, and wait until it is gone."""
    send_signal(pid, signal.SIGKILL)
    wait_for(lambda: not is_running(pid))


# ------------------------------------------------------------------ families


def descendants(pid):
    """The processes that a process started, in any of its threads, and those that they started.

    From the parent of every process here, since /proc/…/children can omit some while others end.
    """
    parents = _parents()
    family, found = {pid}, {one for one, parent in parents.items() if parent == pid}
    while found:
        family |= found
        found = {one for one, parent in parents.items() if parent in found} - family
    return family - {pid}


def _parents():
    """The parent of every process; read again if one ended meanwhile, since its children then have another parent."""
    hidden = {0}  # from this user, or outside of this container
    while True:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
        parents = {pid: parent for pid in pids if (parent := parent_of(pid)) is not None}
        missing = {*parents.values()} - parents.keys()
        if missing <= hidden:
            return parents
        hidden |= missing


def descendants_with(words):
    """The processes that this one started, directly or not, whose command contains some words."""
    return [pid for pid in descendants(os.getpid()) if words in command_of(pid)]


def zygotes_of(pid):
    """The processes, among a process and those that it started, that start bots."""
    family = {one for one in {pid, *descendants(pid)} if _is_forked_from_a_zygote(one)}
    return {one for one in family if parent_of(one) not in family}


def guests_of(pid):
    """The processes, among those that a process started, that play a game now."""
    return {guest for zygote in zygotes_of(pid) for guest in descendants(zygote) if parent_of(guest) == zygote}


def _is_forked_from_a_zygote(pid):
    """Whether a process is a zygote, or still has its name."""
    return name_of(pid).startswith("python") and "sandbox.zygote" in command_of(pid)
