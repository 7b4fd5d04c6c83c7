"""Landlock: a process takes from itself, and from all that it starts, what it may not open; see landlock(7).

Only what is allowed here can be opened. Looking up whether a path exists is not restricted.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterable, Iterator

from kibitz.sandbox.linux import PR_SET_NO_NEW_PRIVS, prctl, syscall
from kibitz.sandbox.policy import existing, is_within

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, with the same numbers everywhere
VERSION_FLAG, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
READ = EXECUTE | READ_FILE | READ_DIR
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE
RIGHTS_UP_TO = {1: 13, 2: 14, 3: 15, 4: 15}  # the number of rights to files that a version knows; later ones: 16
TCP, SIGNALS_AND_SOCKETS = 0b11, 0b11  # from version 4 on; from version 6 on
HIDES_SIGNALS = 6  # the version from which on signals do not leave the sandbox
DEVICES = ("/dev/null", "/dev/full")  # to write to; those to read from follow
SOURCES = ("/dev/zero", "/dev/random", "/dev/urandom")
OWN = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


@functools.cache
def version() -> int:
    """The version of Landlock in this kernel; 0 if there is none."""
    try:
        return syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    except OSError:
        return 0


class Rules:
    """What a process may open: found out once, enforced in any number of processes.

    In a folder with something hidden in it, that is what is there now, not what is added later.
    """

    def __init__(self, readable: Iterable[str], hidden: Iterable[str], writable: Iterable[str]) -> None:
        known = version()
        everything = (1 << RIGHTS_UP_TO.get(known, 16)) - 1
        self._scope = _Ruleset(
            everything, TCP if known >= 4 else 0, SIGNALS_AND_SOCKETS if known >= HIDES_SIGNALS else 0
        )
        self._size = ctypes.c_size_t(24 if known >= HIDES_SIGNALS else 16 if known >= 4 else 8)
        self._rights: dict[str, int] = {}  # by path
        masked = [os.path.realpath(path) for path in hidden]
        for path in sorted({os.path.realpath(path) for path in existing(readable)}):  # a link would show all of it
            for place, rights in _visible(path, masked):
                self._allow(place, rights & everything)
        for path in existing(DEVICES):
            self._allow(path, READ_FILE | WRITE_FILE)
        for path in existing(SOURCES):
            self._allow(path, READ_FILE)
        for path in OWN:  # not what it is a link to here: every process has its own
            self._allow(path, READ_FILE | READ_DIR)
        for path in existing(writable):
            self._allow(path, everything & ~EXECUTE)

    def _allow(self, path: str, rights: int) -> None:
        rights = rights if os.path.isdir(path) else rights & FILE_RIGHTS
        self._rights[path] = self._rights.get(path, 0) | rights

    def enforce(self) -> None:
        """Let this process, and all that it starts, open nothing else from now on."""
        ruleset = syscall(CREATE_RULESET, ctypes.byref(self._scope), self._size, ctypes.c_uint32(0))
        for path, rights in self._rights.items():
            _add_rule(ruleset, path, rights)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        syscall(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
        os.close(ruleset)


def _visible(path: str, masked: list[str]) -> Iterator[tuple[str, int]]:
    """A path and what may be done there; a folder with something hidden in it is taken apart."""
    if any(is_within(path, hidden) for hidden in masked):
        return
    if not any(is_within(hidden, path) for hidden in masked):
        yield path, READ
        return
    yield path, READ_DIR
    for entry in sorted(os.listdir(path)):
        inner = os.path.join(path, entry)
        if not os.path.islink(inner):  # what a link leads to must be readable by itself
            yield from _visible(inner, masked)


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # gone, or a dead link
        return
    try:
        rule = _PathBeneath(rights, place)
        syscall(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(place)
