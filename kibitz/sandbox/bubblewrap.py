"""Bubblewrap: a process in namespaces of its own, with a file system that holds only what it may read.

It has no network, sees no process but its own, and everything it starts ends with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence

from kibitz.sandbox.policy import SYSTEM, Policy, existing, is_within

# Namespaces for processes, network, users and all others; the command is process 1, so that nothing outlives it.
NAMESPACES = ("--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox")


def program() -> str | None:
    """The path of bubblewrap; None if it is not installed."""
    return shutil.which("bwrap")


def _places(hidden: Iterable[str], visible: Iterable[str]) -> list[str]:
    """Where hidden files and folders would be seen: also below a link that leads to a folder around them."""
    places = set()
    for path in {os.path.realpath(path) for path in existing(hidden)}:
        for shown in visible:
            real = os.path.realpath(shown)
            if is_within(path, real):
                places.add(shown + path.removeprefix(real))
    return sorted(places)


def wrapped(command: Sequence[str], policy: Policy) -> list[str]:
    """The command, to be run in a sandbox in the same working directory."""
    bwrap = program()
    assert bwrap is not None, "the level was chosen because there is one"
    here = os.getcwd()
    visible = list(existing([*SYSTEM, *policy.readable]))
    arguments = [bwrap, *NAMESPACES, "--proc", "/proc", "--dev", "/dev"]
    for path in visible:
        arguments += ["--ro-bind", path, path]
    for path in _places(policy.hidden, visible):
        empty = ["--tmpfs", path, "--remount-ro", path]
        arguments += empty if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    if policy.writable:
        arguments += ["--bind", policy.writable, policy.writable]
    arguments += ["--dir", here]
    for path in ("/proc", "/dev", "/"):  # in /proc, settings of the zygote, which the next game would inherit
        arguments += ["--remount-ro", path]
    return [*arguments, "--chdir", here, "--", *command]
