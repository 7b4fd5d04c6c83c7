"""What a node checks and unpacks before it does anything else."""

import builtins
import threading
from pathlib import Path

import pytest

from kibitz.cluster import SENT_BYTES, pack
from kibitz.cluster.node import first_alone, unpack


@pytest.fixture
def sender(tmp_path, monkeypatch):
    """The folder of a machine that sends its files."""
    folder = tmp_path / "sender"
    (folder / "bots").mkdir(parents=True)
    (folder / "bots" / "mine.py").write_text("one = 1\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    return folder


def elsewhere(kit):
    """A kit as it arrives on another machine, which does not have the sender's folder."""
    return kit._replace(folder="/no/such/folder")


def test_a_node_that_has_the_same_files_works_in_the_same_folder(sender):
    assert unpack(pack([Path("bots/mine.py")])) == ("", str(sender))


def test_files_are_written_where_they_are_missing(sender, monkeypatch):
    kit = elsewhere(pack([Path("bots/mine.py")]))
    problem, folder = unpack(kit)
    assert problem == ""
    assert Path(folder, "bots/mine.py").read_text() == "one = 1\n"
    assert unpack(kit) == ("", folder)


def test_files_that_differ_are_not_used(sender):
    kit = pack([Path("bots/mine.py")])
    Path("bots/mine.py").write_text("one = 2\n")
    problem, folder = unpack(kit)
    assert problem == ""
    assert Path(folder, "bots/mine.py").read_text() == "one = 1\n"


def test_a_written_file_that_was_damaged_is_written_again(sender):
    kit = elsewhere(pack([Path("bots/mine.py")]))
    _, folder = unpack(kit)
    Path(folder, "bots/mine.py").write_text("damaged")
    unpack(kit)
    assert Path(folder, "bots/mine.py").read_text() == "one = 1\n"


@pytest.mark.parametrize("name", ["{}/bots/mine.py", "../sender/bots/mine.py"])
def test_files_outside_the_folder_are_not_written(sender, name, monkeypatch, tmp_path):
    kit = elsewhere(pack([Path(name.format(sender))]))
    Path("bots/mine.py").write_text("one = 2\n")
    problem, _ = unpack(kit)
    assert "mine.py, or a different one; name it relative to the current folder" in problem


def test_a_large_file_must_be_there(sender):
    with open("large", "wb") as file:
        file.truncate(SENT_BYTES + 1)
    kit = elsewhere(pack([Path("large")]))
    Path("large").unlink()
    assert unpack(kit)[0] == "it has no file large, which is too large to be sent along"


def test_a_program_must_be_there(sender):
    Path("run.sh").write_text("#!/bin/sh\n")
    Path("run.sh").chmod(0o755)
    assert unpack(elsewhere(pack([Path("run.sh")], ["./run.sh", "sh"])))[0] == ""
    assert unpack(pack([], ["no-such-program"]))[0] == "it has no program 'no-such-program'"


def test_another_version_of_kibitz_is_named(sender):
    assert unpack(pack([])._replace(version="9.9"))[0].startswith("it has kibitz ")
    assert unpack(pack([])._replace(version="9.9"))[0].endswith(", not 9.9; install the same on all machines")
    assert unpack(pack([])._replace(code="other"))[0] == "its kibitz differs; install the same on all machines"


def test_a_node_without_kibitz_says_so(sender, monkeypatch):
    kit, importing = pack([]), builtins.__import__

    def fail(name, *more):
        if name == "kibitz":
            raise ModuleNotFoundError(name)
        return importing(name, *more)

    monkeypatch.setattr(builtins, "__import__", fail)
    problem, _ = unpack(kit)
    assert problem.startswith(f"it has no kibitz; install kibitz {kit.version} there, for ")


def test_the_first_goes_ahead_and_the_others_wait_for_it(sender):
    done, seen = [], []
    began = threading.Event()

    def first():
        with first_alone("work"):
            began.set()
            other.start()
            other.join(0.2)  # it cannot end
            done.append("compiled")

    def second():
        began.wait()
        with first_alone("work"):
            seen.extend(done)

    other = threading.Thread(target=second)
    first()
    other.join()
    assert seen == ["compiled"]


def test_once_the_work_is_done_nobody_waits(sender):
    with first_alone("work"):
        pass
    with first_alone("work"), first_alone("work"):  # if it were locked, this would wait forever
        pass
