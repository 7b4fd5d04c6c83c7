"""Policies: a bot may read itself, what it needs to run, and what its spec names; nobody's home."""

import os
import sys
from pathlib import Path

import pytest

import kibitz
from kibitz.sandbox.policy import existing, folder_of, is_opened, is_within, program_paths, python_paths


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The home directory, with a folder of bots in it."""
    folder = tmp_path / "home"
    (folder / "bots").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def executable(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_a_bot_may_read_its_folder():
    assert folder_of(Path("/srv/bots/bot.py")) == "/srv/bots"


def test_beside_a_bot_in_a_home_directory_only_the_bot_itself(home):
    assert folder_of(home / "bot.py") == str(home / "bot.py")
    assert folder_of(home / "bots" / "bot.py") == str(home / "bots")
    assert folder_of(home.parent / "bot.py") == str(home.parent / "bot.py")
    assert folder_of(Path("/tmp/bot.py")) == "/tmp/bot.py"
    assert folder_of(Path("/bot.py")) == "/bot.py"


def test_a_home_directory_behind_a_link_is_one(home, tmp_path):
    (tmp_path / "link").symlink_to(home)
    assert folder_of(tmp_path / "link" / "bot.py") == str(tmp_path / "link" / "bot.py")


def test_a_relative_path_becomes_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    assert folder_of(Path("bots/bot.py")) == str(tmp_path / "bots")


def test_an_installed_program_may_read_its_installation(home, tmp_path):
    program = executable(tmp_path / "tool" / "bin" / "run")
    assert program_paths([program]) == [str(tmp_path / "tool")]


def test_a_program_in_somebodys_bin_may_not_read_the_home(home):
    for folder in (home, home / ".local"):
        program = executable(folder / "bin" / "run")
        assert program_paths([program]) == [str(folder / "bin")]


def test_a_program_behind_a_link_may_read_both_places(home, tmp_path):
    program = Path(executable(tmp_path / "tool" / "bin" / "run"))
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "run").symlink_to(program)
    assert program_paths([str(tmp_path / "bots" / "run")]) == [str(tmp_path / "bots"), str(tmp_path / "tool")]


def test_a_program_may_read_the_files_and_folders_among_its_arguments(home, tmp_path):
    program = executable(tmp_path / "bots" / "run")
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "book.txt").write_text("")
    words = [str(tmp_path / "books" / "book.txt"), str(tmp_path / "books"), "--depth", "no such file"]
    assert set(program_paths([program, *words])) == {str(tmp_path / "bots"), str(tmp_path / "books")}


@pytest.mark.parametrize("name", ["/", "/tmp", "~", "~/..", "~/.local"])
def test_naming_a_home_or_what_contains_it_does_not_open_it(home, name):
    (home / ".local").mkdir()
    assert not is_opened(os.path.expanduser(name))


def test_a_link_opens_only_what_lies_beside_it(home, tmp_path, secret):
    bots = home / "bots"
    (bots / "run42.npz").write_text("")
    for name, target in (("latest.npz", "run42.npz"), ("key.npz", secret), ("folder", home), ("dead", "nothing")):
        (bots / name).symlink_to(target)
    assert is_opened(str(bots / "latest.npz"))
    assert is_opened(str(bots / "run42.npz"))
    for name in ("key.npz", "folder", "dead"):
        assert not is_opened(str(bots / name))


def test_python_bots_may_read_this_python_and_kibitz():
    paths = python_paths()
    assert {sys.prefix, sys.base_prefix, str(Path(kibitz.__file__).parent)} <= set(paths)


def test_what_pythonpath_names_may_be_read_unless_it_is_a_home(home, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home / "bots"), str(home), "", "/"]))
    paths = python_paths()
    assert str(home / "bots") in paths
    assert not {str(home), "", "/"} & set(paths)


def test_only_what_exists_counts_also_behind_links_parents_first(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "a").symlink_to(tmp_path / "b")
    paths = [tmp_path / "b" / "c", tmp_path / "a", tmp_path / "none", tmp_path / "b" / "c"]
    assert list(existing(map(str, paths))) == [str(tmp_path / name) for name in ("a", "b", "b/c")]


def test_a_folder_is_not_within_another_whose_name_begins_alike():
    assert is_within("/a/b", "/a/b")
    assert is_within("/a/b", "/")
    assert is_within("/a/b/c", "/a/b/")
    assert not is_within("/a/bc", "/a/b")
    assert not is_within("/a", "/a/b")
