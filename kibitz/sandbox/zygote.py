"""The zygote: kibitz's own process inside a sandbox, which forks a fresh process for every game of its bot.

It never runs a line of the bot's code. What it has loaded before the first fork (kibitz, the rules, their machine code)
every game's process has at once. It is told what to do over a socket:

    the first line    what to prepare: {"policy": …, "level": …, "prepare": [function, arguments]} or {…, "command": …}
                      → any number of {"notice": what is being compiled}, then {"ready": true} or {"failed": sentence}
    "begin"           with two file descriptors: fork a process with these as its stdin and stdout
    "end" or "reap"   kill that process and all that it started; "reap" gives it a moment to exit by itself
                      → {"status": exit code, or minus a signal; null if it had to be killed, "stderr": its last words}

When the other end hangs up, even by kill -9, the zygote kills what is left and exits.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from kibitz import notices
from kibitz.errors import KibitzError
from kibitz.notices import Notice
from kibitz.sandbox.confinement import Confinement
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.linux import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, prctl
from kibitz.sandbox.policy import Policy

STDERR_BYTES = 16_384  # the end of a bot's stderr that is kept from each game
PIPE_READS = 16  # enough for all that fits into a pipe
REAP_SECONDS = 3.0  # how long a process that has closed its output may take to exit, on a busy machine
CANNOT_RUN = 127  # the exit code of a process that could not become its program


class Zygote:
    """Forks one process after another, each for one game."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._child: int | None = None
        self._stderr: int | None = None  # what the child writes there
        self._words = b""
        self._is_init = os.getpid() == 1  # the first process of a sandbox: all that is left in it ends with the game
        self._is_confined = False  # whether the processes will be

    def prepare(self) -> None:
        """Load all that the processes will need."""
        order = json.loads(self._control.makefile("rb").readline())
        order["policy"]["readable"] = tuple(order["policy"]["readable"])
        order["policy"]["hidden"] = tuple(order["policy"]["hidden"])
        level = SandboxLevel(order["level"])
        self._confinement = Confinement(Policy(**order["policy"]), level)
        self._is_confined = level is not SandboxLevel.NONE
        try:
            self._run = self._runner(order)
        except KibitzError as error:
            self._say({"failed": str(error)})
            os._exit(0)
        gc.collect()
        gc.freeze()  # so that forked processes share the memory of what has been loaded
        self._say({"ready": True})

    def _runner(self, order: dict[str, Any]) -> Callable[[], object]:
        """What every process is to run."""
        if command := order.get("command"):
            return lambda: _become(command)
        function, arguments = order["prepare"]
        module, _, name = function.partition(":")
        notices.listener = self._pass_on
        try:
            run: Callable[[], object] = getattr(importlib.import_module(module), name)(*arguments)
        finally:
            notices.listener = None
        return run

    def _pass_on(self, notice: Notice, what: str) -> None:
        if notice is Notice.COMPILING:
            self._say({"notice": what})

    def serve(self) -> None:
        """Do what is asked, until the other end hangs up."""
        while True:
            control = self._control.fileno()
            heard = [control] if self._stderr is None else [control, self._stderr]
            ready, _, _ = select.select(heard, [], [])
            if self._stderr in ready:
                self._listen()
            if control not in ready:
                continue
            order, files, _, _ = socket.recv_fds(self._control, 64, 2)
            match order:
                case b"begin":
                    self._begin(files)
                case b"end" | b"reap":
                    self._say(self._end(patiently=order == b"reap"))
                case _:
                    return

    def _begin(self, files: Sequence[int]) -> None:
        """Fork a process, and listen to what it writes to stderr."""
        self._words = b""
        self._stderr, theirs = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            try:
                self._start(files[0], files[1], theirs)
            except BaseException as error:
                os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
            finally:
                os._exit(CANNOT_RUN)
        for fd in (*files, theirs):
            os.close(fd)

    def _start(self, stdin: int, stdout: int, stderr: int) -> None:
        os.setsid()
        for fd, target in ((stdin, 0), (stdout, 1), (stderr, 2)):
            os.dup2(fd, target)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        for inherited in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):  # ignored here, or where kibitz was started
            signal.signal(inherited, signal.SIG_DFL)
        self._confinement.enter()
        self._run()

    def _listen(self) -> None:
        """Keep the end of what the process writes to stderr."""
        assert self._stderr is not None
        part = os.read(self._stderr, 65_536)
        self._words = (self._words + part)[-STDERR_BYTES:]
        if not part:
            os.close(self._stderr)
            self._stderr = None

    def _end(self, patiently: bool) -> dict[str, Any]:
        """Kill the process and all that it started; how it ended, and its last words."""
        deadline = time.monotonic() + (REAP_SECONDS if patiently else 0.0)
        status = self._status()
        while status is None and self._child is not None and time.monotonic() < deadline:
            time.sleep(0.0005)
            status = self._status()
        self._kill_all()
        self._child = None
        for _ in range(PIPE_READS):
            if self._stderr is None or not select.select([self._stderr], [], [], 0)[0]:
                break
            self._listen()
        if self._stderr is not None:  # held open by a process that could not be found
            os.close(self._stderr)
            self._stderr = None
        return {"status": status, "stderr": self._words.decode(errors="replace")}

    def _status(self) -> int | None:
        """The exit code of the process, or minus the signal that killed it; None if it runs."""
        if self._child is None:
            return None
        pid, status = os.waitpid(self._child, os.WNOHANG)
        if not pid:
            return None
        self._child = None
        return os.waitstatus_to_exitcode(status)

    def _kill_all(self) -> None:
        """Kill every process that this one has started, directly or not, and wait until they are gone."""
        if self._child is not None and self._is_confined:  # then no other process can be tracing it, and keep it
            os.kill(-1 if self._is_init else self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)  # what it has started, if it may, is now a child of this process
            self._child = None
        while True:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            with contextlib.suppress(ProcessLookupError):
                if self._is_init:
                    os.kill(-1, signal.SIGKILL)
                else:
                    for pid in _descendants(os.getpid(), self._child):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.0005)

    def close(self) -> None:
        """Leave nothing behind."""
        self._kill_all()

    def _say(self, words: dict[str, Any]) -> None:
        self._control.sendall(json.dumps(words).encode() + b"\n")


def _descendants(pid: int, child: int | None) -> list[int]:
    """The processes that a process started, and those that they started; at least the known child."""
    children = []
    with contextlib.suppress(OSError):  # it has just ended, or there is no /proc
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += [int(one) for one in (task / "children").read_text().split()]
    if child is not None and child not in children:
        children.append(child)
    return [*(deeper for one in children for deeper in _descendants(one, None)), *children]


def _become(command: list[str]) -> NoReturn:
    """Replace this process by a program."""
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, but by few other programs
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"Cannot run {command[0]}: {error.strerror}.\n".encode())
        os._exit(CANNOT_RUN)


def serve(fd: int) -> None:
    """Run the zygote."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what to do about Ctrl-C is decided at the other end
    if sys.platform == "linux":
        prctl(PR_SET_CHILD_SUBREAPER, 1)  # daemons become children of this process
        prctl(PR_SET_DUMPABLE, 0)  # no other process may look into it
    zygote = Zygote(socket.socket(fileno=fd))
    try:
        zygote.prepare()
        zygote.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the other end is gone
    finally:
        zygote.close()
        os._exit(0)
