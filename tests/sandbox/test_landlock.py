"""Landlock: a process that has restricted itself opens what is allowed, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inmates import skip_unless_given

import kibitz
from kibitz.sandbox import landlock
from kibitz.sandbox.levels import SandboxLevel

SCRIPT = """
import json, os, sys
sys.path[:0] = {path!r}
from kibitz.sandbox import landlock
if {version}:
    landlock.version = lambda: {version}
landlock.Rules(*{arguments!r}).enforce()

def attempt(path, mode="r"):
    try:
        with open(path, mode):
            return True
    except OSError:
        return False

print(json.dumps({code}))
"""


def restricted(code, *, readable=(), hidden=(), writable=(), version=None):
    """The value of an expression in a process that has restricted itself."""
    skip_unless_given(SandboxLevel.LANDLOCK)
    arguments = [[str(path) for path in paths] for paths in (readable, hidden, writable)]
    root = str(Path(kibitz.__file__).parents[1])
    script = SCRIPT.format(path=[root], arguments=arguments, code=code, version=version)
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        (folder / name).write_text(name)
    return folder


def opened(folder, *names, mode="r", **options):
    return restricted(f"[attempt(p, {mode!r}) for p in {[str(folder / name) for name in names]!r}]", **options)


def test_only_what_is_allowed_can_be_read(folder):
    names = ("a.txt", "sub/c.txt", "../secret.txt")
    (folder.parent / "secret.txt").write_text("secret")
    assert opened(folder, *names, readable=[folder]) == [True, True, False]
    assert opened(folder, *names, readable=[folder / "a.txt"]) == [True, False, False]


def test_what_is_hidden_is_not_part_of_a_folder(folder):
    names = ("a.txt", "b.txt", "sub/c.txt")
    assert opened(folder, *names, readable=[folder], hidden=[folder / "b.txt"]) == [True, False, True]
    assert opened(folder, *names, readable=[folder], hidden=[folder / "sub"]) == [True, True, False]
    assert opened(folder, *names, readable=[folder], hidden=[folder / "sub" / "c.txt"]) == [True, True, False]
    assert opened(folder, *names, readable=[folder], hidden=[folder]) == [False, False, False]


def test_a_link_next_to_something_hidden_opens_nothing(folder):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.txt").write_text("secret")
    (folder / "link").symlink_to(elsewhere)
    (folder / "beside").symlink_to("a.txt")
    names = ("link/secret.txt", "beside", "b.txt")
    assert opened(folder, *names, readable=[folder], hidden=[folder / "b.txt"]) == [False, True, False]


def test_a_folder_behind_a_link_does_not_show_what_is_hidden_in_it(folder):
    (folder.parent / "link").symlink_to(folder)
    names = ("a.txt", "b.txt", "../link/a.txt", "../link/b.txt")
    shown = opened(folder, *names, readable=[folder.parent / "link"], hidden=[folder / "b.txt"])
    assert shown == [True, False, True, False]


def test_nothing_can_be_written_but_below_what_is_writable(folder):
    options = {"readable": [folder], "writable": [folder / "sub"], "mode": "a"}
    assert opened(folder, "a.txt", "sub/c.txt", "sub/new.txt", **options) == [False, True, True]
    assert not restricted("attempt('/dev/shm/kibitz-test', 'w')")


@pytest.mark.parametrize("version", range(1, 7))
def test_every_version_of_the_interface_is_understood(folder, version):
    """Later kernels still understand earlier versions."""
    if version > landlock.version():
        pytest.skip(f"this kernel has version {landlock.version()}")
    assert opened(folder, "a.txt", "../none", readable=[folder], version=version) == [True, False]


def test_of_all_processes_it_sees_only_itself():
    own, others = restricted("[attempt('/proc/self/status'), attempt(f'/proc/{os.getppid()}/status')]")
    assert (own, others) == (True, False)
