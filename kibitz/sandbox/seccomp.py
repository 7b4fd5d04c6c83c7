"""Seccomp filters: system calls that no bot needs, and that would let it out or remember a game, fail; see libseccomp.

A bot that may only read can still leave marks that its process in the next game finds: times and modes of files, which
files are in memory, the priority or the limits of the zygote. And it can meet another bot at a lock. All of that fails.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os

from kibitz.sandbox.linux import PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, prctl

ALLOW, FAIL = 0x7FFF0000, 0x00050000
MODE_FILTER = 2  # of PR_SET_SECCOMP
INSTRUCTION_BYTES = 8
NOT_EQUAL, LESS, GREATER, MASKED_EQUAL = 1, 2, 6, 7
INT = 0xFFFF_FFFF  # the bits of an argument that the kernel looks at, if it is an int
CLONE_THREAD = 0x00010000
NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
# By what they would reach.
FORBIDDEN = {
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp move_pages "
    "migrate_pages setpriority ioprio_set sched_setscheduler sched_setattr sched_setparam",
    "the network, and servers on this machine": "socket connect bind listen accept accept4",
    "times, modes and other attributes of files": "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime "
    "utimes futimesat utimensat setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr "
    "removexattrat file_setattr truncate truncate64",
    "what others do with files, and what is in memory": "inotify_init inotify_init1 mincore cachestat fadvise64 "
    "fadvise64_64",
    "memory and messages that outlive a process": "shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop "
    "semtimedop semctl mq_open mq_unlink keyctl add_key request_key",
    "the file system as a whole": "mount umount2 move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr "
    "pivot_root chroot unshare setns open_by_handle_at name_to_handle_at quotactl fanotify_init",
    "other system calls, past this filter": "io_uring_setup io_uring_enter io_uring_register bpf",
    "the kernel": "perf_event_open userfaultfd memfd_secret acct swapon swapoff reboot kexec_load kexec_file_load "
    "init_module finit_module delete_module syslog iopl ioperm modify_ldt vhangup",
    "clocks and names": "settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname",
}
# Calls that older versions of the library do not know; their numbers are the same on all processors.
NUMBERS = {
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "cachestat": 451,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
    "file_setattr": 469,
}
# Calls that fail if one of their arguments, counted from 0, compares like this.
FORBIDDEN_IF: tuple[tuple[str, int, int, int, int], ...] = (
    ("prlimit64", 0, NOT_EQUAL, 0, 0),  # the limits of another process
    ("sched_setaffinity", 0, NOT_EQUAL, 0, 0),
    ("prctl", 0, MASKED_EQUAL, INT, 1),  # PR_SET_PDEATHSIG: every process ends with the zygote
    ("ioctl", 1, LESS, 0x5400, 0),  # all but those of terminals: some change files that are open for reading only
    ("ioctl", 1, GREATER, 0x54FF, 0),
    ("socketpair", 1, MASKED_EQUAL, 0xF, 2),  # SOCK_DGRAM and SOCK_RAW: they can be sent to anybody
    ("socketpair", 1, MASKED_EQUAL, 0xF, 3),
    ("mmap", 3, MASKED_EQUAL, 0x21, 0x21),  # MAP_SHARED | MAP_ANONYMOUS: memory that no limit counts
    ("preadv2", 5, MASKED_EQUAL, 0x8, 0x8),  # RWF_NOWAIT: whether a file is in memory
    *(("madvise", 2, MASKED_EQUAL, INT, advice) for advice in (20, 21)),  # MADV_COLD, MADV_PAGEOUT
    *(("fcntl", 1, MASKED_EQUAL, INT, what) for what in (5, 36, 1024, 1025, 1026)),  # who holds a lock; leases, notices
)
# Calls that do nothing, successfully: locks, with which two bots could talk; nothing that a bot can read is written.
IDLE_IF: tuple[tuple[str, int, int, int, int] | tuple[str], ...] = (
    ("flock",),
    *(("fcntl", 1, MASKED_EQUAL, INT, what) for what in (6, 7, 37, 38)),
)


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("mask", ctypes.c_uint64),  # to compare under; for other comparisons than MASKED_EQUAL, the value
        ("value", ctypes.c_uint64),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library libseccomp; None if it is not installed."""
    try:
        found = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return None
    found.seccomp_init.restype = ctypes.c_void_p
    found.seccomp_init.argtypes = [ctypes.c_uint32]
    found.seccomp_rule_add_array.argtypes = [
        *(ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint),
        ctypes.POINTER(_Comparison),
    ]
    found.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    found.seccomp_release.argtypes = [ctypes.c_void_p]
    return found


class Filter:
    """A filter for system calls. It is compiled once, and can be loaded in any number of processes."""

    def __init__(self, may_fork: bool) -> None:
        """Without `may_fork`, a process can start threads and become another program, but start no process."""
        found = library()
        assert found is not None, "the level was chosen because there is one"
        self._library = found
        self._filter = found.seccomp_init(ALLOW)
        for name in " ".join(FORBIDDEN.values()).split():
            self._fail(name, errno.EPERM)
        self._fail("clone3", errno.ENOSYS)  # its flags are not in a register; programs then use clone
        for name, *comparison in FORBIDDEN_IF:
            self._fail(name, errno.EPERM, *comparison)
        for name, *comparison in IDLE_IF:
            self._fail(name, 0, *comparison)
        for flag in NAMESPACES:
            self._fail("clone", errno.EPERM, 0, MASKED_EQUAL, flag, flag)
        if not may_fork:
            self._fail("fork", errno.EPERM)
            self._fail("vfork", errno.EPERM)
            self._fail("clone", errno.EPERM, 0, MASKED_EQUAL, CLONE_THREAD, 0)
        self._code = self._compiled()
        self._program = _Program(len(self._code) // INSTRUCTION_BYTES, ctypes.addressof(self._code))

    def _fail(self, name: str, error: int, *comparison: int) -> None:
        """Let a system call fail with an error (0: let it do nothing): always, or if an argument compares like this."""
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number == -1:  # unknown to this version of the library
            number = NUMBERS.get(name, -1)
        if number == -1:
            return
        comparisons = (_Comparison * 1)(*([_Comparison(*comparison)] if comparison else []))
        count = len(comparison) and 1
        code = self._library.seccomp_rule_add_array(self._filter, FAIL | error, number, count, comparisons)
        if code not in (0, -errno.EDOM, -errno.EOPNOTSUPP):  # the processor does not have every call
            raise OSError(-code, f"cannot filter the system call {name}")

    def _compiled(self) -> ctypes.Array[ctypes.c_char]:
        """The filter as a program for the kernel."""
        with os.fdopen(os.memfd_create("filter"), "rb") as file:
            if code := self._library.seccomp_export_bpf(self._filter, file.fileno()):
                raise OSError(-code, "cannot compile a filter of system calls")
            file.seek(0)
            program = file.read()
        self._library.seccomp_release(self._filter)
        return ctypes.create_string_buffer(program, len(program))

    def load(self) -> None:
        """Apply the filter to this process, and all that it starts, from now on."""
        prctl(PR_SET_NO_NEW_PRIVS, 1)  # or the kernel takes it from root alone
        prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(self._program))
