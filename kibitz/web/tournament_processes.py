"""The processes of the tournaments of a server: one plays each of them, and one at a time writes a report.

What they do is in tournament_process.py. They end with the server, however that ends.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import kibitz
from kibitz.errors import KibitzError
from kibitz.web.limits import Busy
from kibitz.web.tournament_folder import TournamentFolder
from kibitz.web.tournament_process import OUT_OF_MEMORY

REPORT_SECONDS = 120.0
STOP_SECONDS = 10.0  # that a process has to end in; only one that hangs takes longer
ERRORS = "errors.txt"  # what the process of a tournament complained about

log = logging.getLogger("kibitz.web")


class TournamentProcesses:
    """The processes that this server has started for tournaments."""

    def __init__(self, niceness: int, seconds: float) -> None:
        """Each has a niceness, and may play for so many seconds."""
        self._niceness = niceness
        self._seconds = seconds
        self._playing: dict[str, subprocess.Popen[bytes]] = {}
        self._problems: dict[str, str] = {}  # what ended the process of a tournament that did not end well
        self._one_report = threading.Lock()  # held while a report is written

    def play(self, folder: TournamentFolder) -> None:
        """Start the process that plays a tournament. It holds the lock, so that no other one plays it."""
        self._problems.pop(folder.id, None)
        folder.ask_to_stop(False)
        lock = folder.claim()
        try:
            self._playing[folder.id] = self._start("play", folder, lock.descriptor)
        finally:
            lock.release()  # the process has it now

    def is_running(self, folder: TournamentFolder) -> bool:
        """Whether a tournament is being played, by a process of this server or of another one."""
        process = self._playing.get(folder.id)
        if process is None:
            return folder.is_claimed  # by the process of another server
        if process.poll() is None:
            return True
        self._bury(folder, process)
        return False

    def _bury(self, folder: TournamentFolder, process: subprocess.Popen[bytes]) -> None:
        """Note how a process has ended."""
        self._playing.pop(folder.id, None)
        if process.returncode == OUT_OF_MEMORY:
            self._problems[folder.id] = "It was stopped because it needed too much memory."
        elif process.returncode:
            words = _last_words(folder.path / ERRORS)
            log.error("Tournament %s has failed (status %d): %s", folder.id, process.returncode, words)
            self._problems[folder.id] = "It has failed; the log of the server says why."
        if process.stdin is not None:
            process.stdin.close()

    def problem(self, folder: TournamentFolder) -> str:
        """What ended a tournament that did not end well, in a sentence; otherwise nothing."""
        return self._problems.get(folder.id, "")

    def report(self, folder: TournamentFolder, is_final: bool) -> str:
        """The report of a tournament, written by a process, one at a time; that of a finished one only once."""
        if not self._one_report.acquire(timeout=REPORT_SECONDS):
            raise Busy("Many reports are being written; please try again later.")
        try:
            if not is_final or not folder.report.exists():
                folder.report.unlink(missing_ok=True)
                process = self._start("report", folder)
                try:
                    process.wait(REPORT_SECONDS)
                except subprocess.TimeoutExpired:
                    raise Busy("The report takes too long; please try again later.") from None
                finally:
                    _end(process)
                if process.returncode:
                    log.error("No report of tournament %s: %s", folder.id, _last_words(folder.path / ERRORS))
            return folder.report.read_text(encoding="utf-8")
        except OSError:
            raise KibitzError("The report could not be written.") from None
        finally:
            self._one_report.release()

    def _start(self, task: str, folder: TournamentFolder, lock: int | None = None) -> subprocess.Popen[bytes]:
        """Start a process for a tournament, which ends with this one and inherits a lock."""
        arguments = [task, str(folder.path.resolve()), str(self._niceness), str(self._seconds)]
        root = str(Path(kibitz.__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
        with (folder.path / ERRORS).open("wb") as errors:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "kibitz.web.tournament_process", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=environment,
                pass_fds=[lock] if lock is not None and os.name == "posix" else (),
                start_new_session=True,  # so that Ctrl-C ends only the server, and that ends the process
            )

    def close(self) -> None:
        """End them all: the tournaments can be resumed."""
        for process in self._playing.values():
            if process.stdin is not None:
                process.stdin.close()  # it stops by itself …
        for process in self._playing.values():
            _end(process)  # … or else
        self._playing.clear()


def _end(process: subprocess.Popen[bytes]) -> None:
    """See a process to its end."""
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_words(errors: Path) -> str:
    try:
        return errors.read_text(errors="replace")[-2000:].strip()
    except OSError:
        return ""
