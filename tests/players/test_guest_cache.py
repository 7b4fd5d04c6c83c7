"""The cache of bots that are not trusted: a folder of this process, gone with it."""

import os
import subprocess
import sys

import pytest

from kibitz.compiler import disk_cache
from kibitz.players.guest_cache import guest_cache


@pytest.fixture
def everyone(tmp_path, monkeypatch):
    """The folder for the caches of all processes."""
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "code"))
    guest_cache.cache_clear()
    yield tmp_path / "code-guests"
    guest_cache.cache_clear()


def test_it_belongs_to_this_user_and_is_not_where_this_process_loads_from(everyone):
    folder = guest_cache()
    assert folder.parent == everyone
    assert folder.stat().st_mode & 0o077 == 0
    assert not any(place == folder or place in folder.parents for place in disk_cache.folders())
    assert guest_cache() == folder


def test_those_of_processes_that_were_killed_are_removed(everyone):
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, running = everyone / f"kibitz-{ended.pid}-abc", everyone / f"kibitz-{os.getppid()}-abc"
    for folder in (left, running, everyone / "something else"):
        folder.mkdir(parents=True)
    guest_cache()
    assert not left.exists()
    assert running.exists()
    assert (everyone / "something else").exists()


def test_it_is_gone_with_its_process(everyone):
    script = "from kibitz.players.guest_cache import guest_cache; print(guest_cache())"
    folder = subprocess.check_output([sys.executable, "-c", script], text=True).strip()
    assert folder.startswith(str(everyone))
    assert os.listdir(everyone) == []


def test_a_machine_without_a_place_for_caches_has_one_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "file" / "code"))
    guest_cache.cache_clear()
    folder = guest_cache()
    assert folder.is_dir()
    folder.rmdir()
    guest_cache.cache_clear()
