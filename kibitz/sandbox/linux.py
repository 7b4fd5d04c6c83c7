"""System calls that Python has no functions for."""

from __future__ import annotations

import ctypes
import functools
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38
CAPABILITIES_VERSION = 0x20080522
# Made ahead: a process that has just been forked does not have to.
_CAPABILITIES_HEADER, _NO_CAPABILITIES = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int, more: int = 0) -> None:
    """Set an attribute of this process."""
    _checked(_libc().prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(more), 0, 0))


def drop_capabilities() -> None:
    """Give up what root may do beyond other users: with PR_SET_NO_NEW_PRIVS, for good."""
    _checked(_libc().capset(_CAPABILITIES_HEADER, _NO_CAPABILITIES))


def syscall(number: int, *arguments: object) -> int:
    """Make a system call. Raises an OSError if it fails."""
    return _checked(_libc().syscall(ctypes.c_long(number), *arguments))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
