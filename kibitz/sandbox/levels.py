"""The kinds of sandbox, strongest first, and which of them this machine can give."""

from __future__ import annotations

import enum
import functools
import os
import subprocess
import sys

from kibitz.errors import KibitzError
from kibitz.sandbox import bubblewrap, control_groups, landlock, seccomp

AUTO = "auto"
PROBE = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true")
PROBE_SECONDS = 60
NEEDS_SECCOMP = "libseccomp is not installed; on Debian: apt-get install libseccomp2"


class SandboxLevel(enum.StrEnum):
    """A kind of sandbox."""

    BWRAP = "bwrap"
    LANDLOCK = "landlock"
    NONE = "none"


CHOICES = (AUTO, *SandboxLevel)


def choose_level(wanted: str = AUTO) -> SandboxLevel:
    """The level to use; raises an error if this machine cannot give it."""
    if wanted not in CHOICES:
        raise KibitzError(f"There is no sandbox {wanted!r}; choose one of {', '.join(CHOICES)}.")
    if wanted == AUTO:
        return next(level for level in SandboxLevel if why_not(level) is None)
    level = SandboxLevel(wanted)
    if why := why_not(level):
        raise KibitzError(f"This machine cannot give the sandbox {level}: {why}.")
    return level


@functools.cache
def why_not(level: SandboxLevel) -> str | None:
    """Why this machine cannot give a level, as a clause that says what is missing; None if it can."""
    if level is SandboxLevel.NONE:
        return None
    if sys.platform != "linux":
        return "it needs Linux"
    if seccomp.library() is None:
        return NEEDS_SECCOMP
    return _why_no_bwrap() if level is SandboxLevel.BWRAP else _why_no_landlock()


def _why_no_bwrap() -> str | None:
    bwrap = bubblewrap.program()
    if bwrap is None:
        return "bubblewrap is not installed; on Debian: apt-get install bubblewrap"
    try:
        trial = subprocess.run(
            [bwrap, *bubblewrap.NAMESPACES, *PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap cannot be run ({error})"
    if trial.returncode:
        words = trial.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return f"bubblewrap may not create namespaces here ({words.removeprefix('bwrap: ')})"
    return None


def _why_no_landlock() -> str | None:
    return None if landlock.version() else "this kernel has no Landlock, or it is switched off"


def promises(level: SandboxLevel) -> list[tuple[bool, str]]:
    """What a level promises on this machine, and what it does not."""
    groups = bool(control_groups.parents())
    confined, wrapped = level is not SandboxLevel.NONE, level is SandboxLevel.BWRAP
    scoped = landlock.version() >= landlock.HIDES_SIGNALS
    return [
        (True, "Every game is played by a new process, which sees only what its player may know."),
        (True, "Time per move, memory per process, open files, file sizes and output are bounded."),
        (confined, "Files can only be read, and only those of the system, of kibitz and of the bot itself."),
        (wrapped, "Whether other files exist cannot be seen, and reading a file leaves no trace for a later game."),
        (confined, "There is no network, and no way to reach other programs."),
        (confined, "The memory, environment and files of other processes are out of reach."),
        (wrapped, "Other processes cannot be seen."),
        (wrapped or (confined and scoped), "Other processes cannot be sent signals."),
        (
            confined,
            "No process of a bot outlives its game." if wrapped else "A bot can start threads, but no processes.",
        ),
        (groups or (wrapped and _is_counted()), "The number of a bot's processes and threads is bounded."),
        (groups, "The memory of all processes of a bot together is bounded."),
    ]


def _is_counted() -> bool:
    """Whether the kernel counts this user's processes in a sandbox; it never does for root."""
    return os.geteuid() != 0
