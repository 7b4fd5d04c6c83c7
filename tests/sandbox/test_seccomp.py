"""Seccomp: which system calls the filters know, and what is left to a process behind one."""

import subprocess
import sys
from pathlib import Path

import pytest
from inmates import skip_unless_given

import kibitz
from kibitz.sandbox import seccomp
from kibitz.sandbox.levels import SandboxLevel


@pytest.fixture(autouse=True)
def library():
    skip_unless_given(SandboxLevel.LANDLOCK)


def test_every_forbidden_call_is_known():
    """A name with a typing error would be skipped, as one that the library does not know."""
    names = {
        *" ".join(seccomp.FORBIDDEN.values()).split(),
        *(rule[0] for rule in seccomp.FORBIDDEN_IF + seccomp.IDLE_IF),
    }
    resolve = seccomp.library().seccomp_syscall_resolve_name
    unknown = {name for name in names if resolve(name.encode()) == -1}
    assert unknown <= set(seccomp.NUMBERS)


def test_the_numbers_of_calls_are_those_of_the_library():
    resolve = seccomp.library().seccomp_syscall_resolve_name
    for name, number in seccomp.NUMBERS.items():
        assert resolve(name.encode()) in (-1, number)


def behind_a_filter(code, may_fork=True):
    """What a process prints that has loaded a filter."""
    root = str(Path(kibitz.__file__).parents[1])
    script = f"import os, sys; sys.path.insert(0, {root!r})\nfrom kibitz.sandbox.seccomp import Filter\n"
    script += f"Filter(may_fork={may_fork}).load()\n{code}"
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


ATTEMPT = """
import subprocess
try:
    subprocess.run(["true"], check=True)
    print("started")
except PermissionError:
    print("refused")
"""


@pytest.mark.parametrize(("may_fork", "outcome"), [(True, "started"), (False, "refused")])
def test_whether_a_process_may_start_others_is_chosen(may_fork, outcome):
    assert behind_a_filter(ATTEMPT, may_fork) == outcome


def test_a_filter_holds_for_programs_that_are_started_later():
    shell = "os.execvp('sh', ['sh', '-c', 'chmod 600 /dev/null 2> /dev/null; echo $?'])"
    assert behind_a_filter(shell) == "1"


def test_a_process_may_still_look_at_itself():
    assert behind_a_filter(
        "import fcntl, resource\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        "os.sched_setaffinity(0, os.sched_getaffinity(0))\n"
        "fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL))\n"
        "print(os.isatty(0), sys.stdout.isatty())"
    )
