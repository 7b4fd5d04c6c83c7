"""Processes of the server: forked from one that has loaded kibitz, of low priority, with limits on what they use."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from kibitz.web.low_priority import take_low_priority

VARIABLES = ("KIBITZ_", "NUMBA_")  # how those of the environment begin that concern compiling


class ProcessLimits(NamedTuple):
    """What a process may use."""

    niceness: int  # that is added to the server's own
    memory: int  # bytes of address space
    cpu_seconds: int | None = None


class ChildProcess:
    """A process that runs a function of a module, and a connection to it."""

    def __init__(self, limits: ProcessLimits, function: Callable[..., None], *args: Any) -> None:
        """`function` is called with its end of the connection and `args`."""
        context: Any = _context()
        self.connection, theirs = context.Pipe()
        order = theirs, _environment(), limits, function, args
        self._process = context.Process(target=_begin, args=order, daemon=True)
        with theirs:
            self._process.start()

    @property
    def id(self) -> int | None:
        return self._process.pid

    @property
    def memory(self) -> int:
        """The bytes of memory that it uses; 0 if the system does not say it."""
        return memory_of(self._process.pid)

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        self._process.kill()

    def close(self) -> None:
        """End the process at once, and wait until it has ended."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def memory_of(process: int | str | None) -> int:
    """The bytes of memory that a process uses; 0 if it has ended, or if the system does not say it."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _context() -> Any:
    """How processes are started: forked from one that has loaded kibitz, where the system can do that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kibitz.web.workbench"])
    return context


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}


def _begin(
    connection: Connection,
    environment: Mapping[str, str],
    limits: ProcessLimits,
    function: Callable[..., None],
    args: tuple[Any, ...],
) -> None:
    """Run a function within limits; called in the process."""
    for name in _environment().keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
    take_low_priority(limits.niceness)
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has all of them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        if limits.cpu_seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, EOFError):  # the server is gone, or hung up
        function(connection, *args)
