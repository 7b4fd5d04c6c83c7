"""How a process takes second place on the machine: what answers people comes first.

A high niceness alone is not enough on Linux: whoever runs keeps the core until its time slice is over, a few
milliseconds, even if the server wakes up meanwhile. A process that asks for long slices can be interrupted at once by
all who have shorter ones (since Linux 6.12).
"""

from __future__ import annotations

import contextlib
import ctypes
import os

LONG_SLICE = 100_000_000  # nanoseconds, the most that Linux gives
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}  # the number of the system call, for which C libraries have no function


class _SchedulingAttributes(ctypes.Structure):
    """`struct sched_attr` of Linux."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def take_low_priority(niceness: int) -> None:
    """Add to the niceness of this process, and let others interrupt it, as far as the system can do that."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(niceness)
        _ask_for_long_slices()


def _ask_for_long_slices() -> None:
    call = SCHED_SETATTR.get(os.uname().machine) if os.uname().sysname == "Linux" else None
    if call is not None:
        nice = os.getpriority(os.PRIO_PROCESS, 0)
        wanted = _SchedulingAttributes(ctypes.sizeof(_SchedulingAttributes), nice=nice, runtime=LONG_SLICE)
        ctypes.CDLL(None).syscall(call, 0, ctypes.byref(wanted), 0)
