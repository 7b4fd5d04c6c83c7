"""The warden of a sandbox: starts it, has it fork a process for every game, and ends it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from kibitz import notices
from kibitz.errors import KibitzError
from kibitz.sandbox.bubblewrap import wrapped
from kibitz.sandbox.control_groups import ControlGroups
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.pipes import Pipes, ProcessEnding
from kibitz.sandbox.policy import Policy

PREPARE_SECONDS = 900.0  # to start a sandbox, load and compile the rules
END_SECONDS = 60.0  # for the zygote to kill what a bot has started; only a failure takes that long
ZYGOTE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from kibitz.sandbox.zygote import serve; serve(int(sys.argv[2]))"
)


class Warden:
    """A sandbox for the processes of one bot, one at a time. It is started when it is first needed."""

    def __init__(
        self,
        policy: Policy,
        level: SandboxLevel,
        environment: Mapping[str, str],
        *,
        prepare: tuple[str, Sequence[Any]] | None = None,
        command: Sequence[str] = (),
        heard: Callable[[str], None] = lambda words: None,
    ) -> None:
        """Every process runs a program, or what a function of kibitz returns: `prepare` is its name and arguments.

        `heard` is called with what a process has written to stderr, when it has ended.
        """
        self._policy, self._level, self._environment = policy, level, environment
        self._order = {"command": list(command)} if command else {"prepare": prepare}
        self._heard = heard
        self._sandbox: _Sandbox | None = None

    def start(self) -> Pipes:
        """A new process, and the channel to it. Raises a KibitzError if there can be none."""
        theirs, questions = os.pipe()
        answers, writes = os.pipe()
        try:
            sandbox = self._begin([theirs, writes])
        except BaseException:
            for fd in (questions, answers):
                os.close(fd)
            raise
        finally:
            os.close(theirs)
            os.close(writes)
        heard = self._heard

        def end(patiently: bool) -> ProcessEnding:
            ending = sandbox.end(patiently)
            if ending.stderr:
                heard(ending.stderr)
            return ending

        return Pipes(questions, answers, end)

    def _begin(self, files: Sequence[int]) -> _Sandbox:
        """Start a process; in a new sandbox if the last one has been killed, which a bot without one can do."""
        if self._sandbox is not None and self._sandbox.is_alive:
            with contextlib.suppress(OSError):  # it has just ended
                self._sandbox.begin(files)
                return self._sandbox
        self.close()
        self._sandbox = _Sandbox(self._policy, self._level, self._environment, self._order)
        try:
            self._sandbox.begin(files)
        except OSError:
            raise KibitzError("The sandbox of a bot has ended unexpectedly.") from None
        return self._sandbox

    def close(self) -> None:
        """End the sandbox, with everything in it."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


class _Sandbox:
    """A running sandbox, with a zygote in it."""

    def __init__(
        self, policy: Policy, level: SandboxLevel, environment: Mapping[str, str], order: Mapping[str, Any]
    ) -> None:
        # Among the bot's limits is one on memory for each of its processes; the group has room for the zygote, too.
        groups = ControlGroups(policy.memory, policy.processes)
        self._control, theirs = socket.socketpair()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the sandbox)
        path = [str(Path(__file__).resolve().parents[2]), *map(str, sys.path)]
        site = ["-S"] if "command" in order else []  # programs need none of the packages installed here
        command = [sys.executable, "-P", *site, "-c", ZYGOTE, json.dumps(path), str(theirs.fileno())]
        if level is SandboxLevel.BWRAP:
            command = wrapped(command, policy)
        with theirs:
            # In a session of its own, it never sees Ctrl-C, and all of it can be killed together.
            try:
                self._process = subprocess.Popen(
                    groups.joined_by(command),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=[theirs.fileno()],
                    env=dict(environment),
                    start_new_session=True,
                )
            except OSError as error:
                groups.remove()
                raise KibitzError(f"Could not start a process for a bot: {error}.") from None
        self._answers = self._control.makefile("rb")
        self._close = weakref.finalize(
            self, _close, self._process, self._control, [self._answers, self._errors], groups
        )
        self._control.settimeout(PREPARE_SECONDS)
        try:
            self._prepare({"policy": dataclasses.asdict(policy), "level": level, **order})
        except BaseException:
            self.close()
            raise

    def _prepare(self, order: Mapping[str, Any]) -> None:
        try:
            with contextlib.suppress(BrokenPipeError):  # its last words say why
                self._control.sendall(json.dumps(order).encode() + b"\n")
            while "notice" in (answer := self._answer()):
                notices.tell_compiling(answer["notice"])
        except (OSError, ValueError):
            raise KibitzError(f"The sandbox of a bot did not start: {self._last_words()}.") from None
        finally:
            notices.tell_compiled()
        if "failed" in answer:
            raise KibitzError(answer["failed"])

    def _answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._answers.readline())
        return answer

    def _last_words(self) -> str:
        """What went wrong, in the words of the sandbox itself."""
        self._errors.seek(0)
        words = self._errors.read()[-4096:].decode(errors="replace").strip().rpartition("\n")[2]
        return words.rstrip(".") or "it took too long, or was killed"

    @property
    def is_alive(self) -> bool:
        """Whether it can start processes."""
        return bool(self._close.alive) and self._process.poll() is None

    def begin(self, files: Sequence[int]) -> None:
        """Start a process that reads from the first file and writes to the second."""
        socket.send_fds(self._control, [b"begin"], files)

    def end(self, patiently: bool) -> ProcessEnding:
        """End the process."""
        if not self._close.alive:
            return ProcessEnding(None)
        self._control.settimeout(END_SECONDS)
        try:
            self._control.sendall(b"reap" if patiently else b"end")
            return ProcessEnding(**self._answer())
        except (OSError, ValueError):  # the zygote itself is gone: a bot without a sandbox can kill it
            self.close()
            return ProcessEnding(-signal.SIGKILL)
        except BaseException:  # Ctrl-C: a pending answer would be mistaken for the next one
            self.close()
            raise

    def close(self) -> None:
        """Kill everything in the sandbox."""
        self._close()


def _close(
    process: subprocess.Popen[bytes], control: socket.socket, files: Sequence[IO[bytes]], groups: ControlGroups
) -> None:
    with contextlib.suppress(OSError):
        control.shutdown(socket.SHUT_RDWR)  # the zygote now leaves, with everything in the sandbox …
    control.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=END_SECONDS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # … if it can
    process.wait()
    for file in files:  # the socket stays open as long as the file made of it
        file.close()
    groups.remove()
