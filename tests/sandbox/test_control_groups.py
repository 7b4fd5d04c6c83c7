"""Control groups: what all processes of a bot use together is bounded, where this user may say so."""

import os
import subprocess

import pytest

from kibitz.sandbox import control_groups
from kibitz.sandbox.control_groups import MARGIN_BYTES, ControlGroups, parents

needs_groups = pytest.mark.skipif(not parents(), reason="this user may create no control groups here")


@pytest.fixture
def groups():
    made = ControlGroups(memory=1 << 28, processes=10)
    yield made
    made.remove()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Folders instead of control groups."""
    monkeypatch.setattr(control_groups, "parents", lambda: (tmp_path,))
    return tmp_path


@needs_groups
def test_a_command_is_a_member_from_its_first_moment_on(groups):
    out = subprocess.check_output(groups.joined_by(["cat", "/proc/self/cgroup"]), text=True)
    assert out.count(f"kibitz-{os.getpid()}-") == len(parents())


@needs_groups
def test_the_limits_are_set(groups):
    found = {}
    for folder in groups._folders:
        for name in ("memory.max", "memory.limit_in_bytes", "pids.max"):
            if (folder / name).exists():
                found[name.partition(".")[0]] = int((folder / name).read_text())
    expected = {"memory": MARGIN_BYTES + (1 << 28), "pids": 18}
    assert found and found == {name: expected[name] for name in found}


@needs_groups
def test_removing_kills_what_is_left_in_them(groups):
    process = subprocess.Popen(groups.joined_by(["sh", "-c", "echo started; exec sleep 1000"]), stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"started\n"
    folders = list(groups._folders)
    assert all(folder.exists() for folder in folders)
    groups.remove()
    assert not any(folder.exists() for folder in folders)
    assert process.wait() == -9
    process.stdout.close()


@needs_groups
def test_those_of_processes_that_were_killed_are_removed_by_the_next(groups):
    done = subprocess.Popen(["true"])
    done.wait()
    left = parents()[0] / f"kibitz-{done.pid}-0"
    left.mkdir()
    parents.cache_clear()
    parents()
    assert not left.exists()
    assert all(folder.exists() for folder in groups._folders)


def test_a_machine_without_them_runs_the_command_itself(monkeypatch):
    monkeypatch.setattr(control_groups, "parents", tuple)
    groups = ControlGroups(1, 1)
    assert groups.joined_by(["sleep", "1"]) == ["sleep", "1"]
    groups.remove()


def test_a_command_that_cannot_join_does_not_run(tree):
    groups = ControlGroups(1, 1)
    (folder,) = groups._folders
    folder.rmdir()
    done = subprocess.run(groups.joined_by(["echo", "free"]), capture_output=True)
    assert done.returncode != 0
    assert done.stdout == b""
