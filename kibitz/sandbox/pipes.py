"""A channel to a process that reads questions from stdin and writes answers to stdout, one line each."""

from __future__ import annotations

import os
import select
import signal
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass

ANSWER_BYTES = 8192  # the maximum length of an answer


@dataclass(frozen=True)
class ProcessEnding:
    """How a process ended."""

    status: int | None  # its exit code, or minus the signal that ended it; None: it had to be killed
    stderr: str = ""  # the end of what it wrote there


class ProcessDied(ConnectionError):
    """A process ended without an answer; the message continues the sentence "its process …"."""

    def __init__(self, message: str, by_signal: bool = False) -> None:
        super().__init__(message)
        self.by_signal = by_signal


class Pipes:
    """A channel to a process, over pipes."""

    def __init__(self, questions: int, answers: int, end: Callable[[bool], ProcessEnding]) -> None:
        """`end` ends the process, or, if it is told to be patient, waits a moment until it has exited."""
        self._questions, self._answers, self._end = questions, answers, end
        os.set_blocking(questions, False)
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(questions, select.POLLOUT)
        self._readable.register(answers, select.POLLIN)
        self._unread = b""
        self._endings: list[ProcessEnding] = []
        self._close = weakref.finalize(self, _close, questions, answers, end, self._endings)

    def send(self, line: bytes, seconds: float) -> None:
        """Send a line. Raises TimeoutError if that takes too long, and ProcessDied if it is impossible."""
        if self._unread:
            raise ProcessDied("sent more than one reply")
        deadline = time.monotonic() + seconds
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self._questions, left) :]
            except BlockingIOError:  # the process is not reading
                _wait(self._writable, deadline)
            except BrokenPipeError:
                raise self._died(deadline) from None

    def receive(self, seconds: float) -> bytes:
        """Wait for the next line. Raises the same errors."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._unread:
            if len(self._unread) > ANSWER_BYTES:
                raise ProcessDied("sent an endless reply")
            _wait(self._readable, deadline)
            part = os.read(self._answers, ANSWER_BYTES)
            if not part:
                raise self._died(deadline)
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _died(self, deadline: float) -> Exception:
        """Why no answer will come; a process that ends too late is late."""
        late = time.monotonic() > deadline
        if self._close.detach():  # unless it has been closed already
            _close(self._questions, self._answers, self._end, self._endings, patiently=True)
        status = self.ending.status
        if late:
            return TimeoutError()
        if status is None:
            return ProcessDied("closed its output")
        if status < 0:
            return ProcessDied(f"was killed by {_signal_name(-status)}", by_signal=True)
        return ProcessDied(f"exited with code {status}")

    @property
    def ending(self) -> ProcessEnding:
        """How the process ended, once the channel is closed."""
        return self._endings[0]

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._close()


def _close(
    questions: int,
    answers: int,
    end: Callable[[bool], ProcessEnding],
    endings: list[ProcessEnding],
    patiently: bool = False,
) -> None:
    endings.append(end(patiently))  # first, or the process might exit by itself because nobody asks any more
    os.close(questions)
    os.close(answers)


def _wait(poll: select.poll, deadline: float) -> None:
    """Wait until a pipe is ready. One that is already ready is never too late: this process may have been paused."""
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
