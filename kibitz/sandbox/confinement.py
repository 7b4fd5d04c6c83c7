"""What a process does to itself before it runs a bot's code: it gives up, for good, what the bot may not have."""

from __future__ import annotations

import resource
import sys

from kibitz.sandbox import landlock
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.linux import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, drop_capabilities, prctl
from kibitz.sandbox.policy import SYSTEM, Policy
from kibitz.sandbox.seccomp import Filter

CPU_SECONDS = 3600  # of one process, in one game
FILE_BYTES = 1 << 28  # the size of a file that a bot compiles
OPEN_FILES = 256


class Confinement:
    """The confinement of a bot's processes: prepared once, entered by each."""

    def __init__(self, policy: Policy, level: SandboxLevel) -> None:
        self._policy, self._level = policy, level
        if level is SandboxLevel.NONE:
            return
        self._filter = Filter(may_fork=level is SandboxLevel.BWRAP)
        writable = [policy.writable] if policy.writable else []
        self._rules = landlock.Rules([*SYSTEM, *policy.readable], policy.hidden, writable)

    def enter(self) -> None:
        """Confine this process. There is no way back."""
        policy = self._policy
        if sys.platform == "linux":
            prctl(PR_SET_PDEATHSIG, 9)  # so that it ends with the zygote, whatever becomes of that
        _limit(resource.RLIMIT_DATA, policy.memory)
        _limit(resource.RLIMIT_STACK, resource.getrlimit(resource.RLIMIT_STACK)[0], policy.memory)
        _limit(resource.RLIMIT_CPU, CPU_SECONDS)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
        _limit(resource.RLIMIT_FSIZE, FILE_BYTES if policy.writable else 0)
        if self._level is SandboxLevel.NONE:
            return
        if self._level is SandboxLevel.BWRAP:  # elsewhere, all processes of the user would count
            _limit(resource.RLIMIT_NPROC, policy.processes)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        drop_capabilities()
        if landlock.version():
            self._rules.enforce()
        self._filter.load()


def _limit(what: int, most: int, at_last: int | None = None) -> None:
    """Limit a resource; the process can raise the limit itself, up to `at_last`."""
    _, hard = resource.getrlimit(what)
    bounds = [_least(bound, hard) for bound in (most, most if at_last is None else at_last)]
    resource.setrlimit(what, (_least(*bounds), bounds[1]))


def _least(*limits: int) -> int:
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=resource.RLIM_INFINITY)
