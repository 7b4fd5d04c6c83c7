"""Bubblewrap: what its sandbox holds, by itself, without the other means of confinement."""

import os
import subprocess
import sys

import pytest
from inmates import skip_unless_given

from kibitz.sandbox.bubblewrap import wrapped
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.policy import Policy, python_paths


@pytest.fixture(autouse=True)
def bwrap():
    skip_unless_given(SandboxLevel.BWRAP)


def run(script, readable=(), **policy):
    """What a shell prints in a sandbox."""
    command = wrapped(["sh", "-c", script], Policy((*python_paths(), *map(str, readable)), **policy))
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def test_files_outside_the_policy_do_not_exist(tmp_path):
    (tmp_path / "shown").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "shown" / "file").write_text("shown")
    (tmp_path / "shown" / "link").symlink_to(tmp_path / "secret")
    script = f"cd {tmp_path}; cat shown/file; ls; cat shown/link secret /etc/passwd"
    out = run(script, readable=[tmp_path / "shown"])
    assert out.startswith("shownshown\n")
    assert out.count("No such file") == 3


def test_hidden_folders_are_empty_and_read_only_and_hidden_files_are_empty(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "games").write_text("games")
    (tmp_path / "opponent.py").write_text("knowledge")
    hidden = (str(tmp_path / "log"), str(tmp_path / "opponent.py"), str(tmp_path / "none"))
    out = run(f"cd {tmp_path}; ls log; cat opponent.py; mkdir log/memory", readable=[tmp_path], hidden=hidden)
    assert "games" not in out and "knowledge" not in out
    assert "Read-only file system" in out
    assert os.listdir(tmp_path / "log") == ["games"]


def test_what_is_hidden_is_also_hidden_behind_links(tmp_path):
    (tmp_path / "bots" / "log").mkdir(parents=True)
    (tmp_path / "bots" / "log" / "games").write_text("games")
    (tmp_path / "link").symlink_to(tmp_path / "bots")
    out = run(
        f"cd {tmp_path}; ls -d bots/log link/log; ls */log", [tmp_path / "link"], hidden=(f"{tmp_path}/bots/log",)
    )
    assert "bots/log" in out and "link/log" in out
    assert "games" not in out


@pytest.mark.parametrize("folder", ["/", "/tmp", "/dev", "/dev/shm", ".", "/usr"])
def test_nothing_can_be_written(folder):
    out = run(f"mkdir -p {folder} 2> /dev/null; mkdir {folder}/kibitz-test && echo written")
    assert "written" not in out


def test_the_folder_of_a_warm_up_can_be_written_to(tmp_path):
    run(f"echo compiled > {tmp_path}/code", writable=str(tmp_path))
    assert (tmp_path / "code").read_text() == "compiled\n"


def test_it_starts_in_the_same_working_directory_even_if_that_is_empty_there(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("")
    monkeypatch.chdir(tmp_path)
    assert run("pwd; ls").strip() == str(tmp_path)


def test_it_sees_only_its_own_processes_and_no_network():
    script = "import os, socket; print(os.getpid(), [p for p in os.listdir('/proc') if p.isdigit()], "
    script += "[name for _, name in socket.if_nameindex()], socket.gethostname())"
    assert run(f'exec {sys.executable} -I -S -c "{script}"') == "1 ['1'] ['lo'] sandbox\n"
