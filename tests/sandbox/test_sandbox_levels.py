"""Levels: the strongest sandbox that this machine gives is chosen, and what is missing is said."""

import ctypes

import pytest

from kibitz import KibitzError
from kibitz.sandbox import bubblewrap, control_groups, landlock, levels, seccomp
from kibitz.sandbox.levels import SandboxLevel, choose_level, promises, why_not


@pytest.fixture(autouse=True)
def nothing_is_known():
    """What this machine gives is found out anew, before each test and after it."""
    for function in (why_not, landlock.version, seccomp.library):
        function.cache_clear()
    yield
    for function in (why_not, landlock.version, seccomp.library):
        function.cache_clear()


@pytest.fixture
def everything(monkeypatch):
    """A machine that gives every level, as far as can be seen from here."""
    monkeypatch.setattr(levels.sys, "platform", "linux")
    monkeypatch.setattr(seccomp, "library", lambda: ctypes.CDLL(None))
    monkeypatch.setattr(landlock, "version", lambda: 7)
    monkeypatch.setattr(bubblewrap, "program", lambda: "true")


@pytest.fixture
def broken(tmp_path):
    """A program called bwrap that fails."""
    path = tmp_path / "bwrap"
    path.write_text("#!/bin/sh\necho warning >&2\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    path.chmod(0o755)
    return str(path)


def test_the_strongest_level_is_chosen(everything, monkeypatch, broken):
    assert choose_level() is SandboxLevel.BWRAP
    why_not.cache_clear()
    monkeypatch.setattr(bubblewrap, "program", lambda: broken)
    assert choose_level() is SandboxLevel.LANDLOCK
    why_not.cache_clear()
    monkeypatch.setattr(landlock, "version", lambda: 0)
    assert choose_level() is SandboxLevel.NONE


def test_a_level_can_be_demanded(everything):
    for level in SandboxLevel:
        assert choose_level(level) is level
        assert choose_level(str(level)) is level


def test_there_are_only_these_levels():
    with pytest.raises(KibitzError) as caught:
        choose_level("docker")
    assert str(caught.value) == "There is no sandbox 'docker'; choose one of auto, bwrap, landlock, none."


def sentence_for(level):
    with pytest.raises(KibitzError) as caught:
        choose_level(level)
    return str(caught.value)


def test_a_machine_without_linux_says_so(everything, monkeypatch):
    monkeypatch.setattr(levels.sys, "platform", "darwin")
    assert sentence_for("bwrap") == "This machine cannot give the sandbox bwrap: it needs Linux."
    assert choose_level() is SandboxLevel.NONE


def test_a_machine_without_libseccomp_says_so(everything, monkeypatch):
    monkeypatch.setattr(seccomp, "library", lambda: None)
    for level in ("bwrap", "landlock"):
        assert "libseccomp is not installed; on Debian: apt-get install libseccomp2" in sentence_for(level)


def test_a_machine_without_bubblewrap_says_so(everything, monkeypatch):
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    assert "bubblewrap is not installed; on Debian: apt-get install bubblewrap" in sentence_for("bwrap")


def test_a_machine_that_forbids_namespaces_says_so(everything, monkeypatch, broken):
    monkeypatch.setattr(bubblewrap, "program", lambda: broken)
    assert sentence_for("bwrap") == (
        "This machine cannot give the sandbox bwrap: bubblewrap may not create namespaces here "
        "(setting up uid map: Permission denied)."
    )


def test_a_bubblewrap_that_cannot_be_run_is_no_bubblewrap(everything, monkeypatch, tmp_path):
    monkeypatch.setattr(bubblewrap, "program", lambda: str(tmp_path))
    assert "bubblewrap cannot be run (" in sentence_for("bwrap")


def test_a_kernel_without_landlock_says_so(everything, monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)
    assert "this kernel has no Landlock, or it is switched off" in sentence_for("landlock")


def kept(level):
    return {sentence for holds, sentence in promises(level) if holds}


def test_a_stronger_level_promises_more(everything, monkeypatch):
    monkeypatch.setattr(control_groups, "parents", tuple)
    wrapped, confined, none = (len(kept(level)) for level in SandboxLevel)
    assert wrapped > confined > none > 0


def test_what_depends_on_the_machine_is_promised_only_where_it_holds(everything, monkeypatch):
    together = "The memory of all processes of a bot together is bounded."
    signals = "Other processes cannot be sent signals."
    counted = "The number of a bot's processes and threads is bounded."
    monkeypatch.setattr(control_groups, "parents", tuple)
    monkeypatch.setattr(levels.os, "geteuid", lambda: 0)
    assert not {together, counted} & kept(SandboxLevel.BWRAP)
    monkeypatch.setattr(levels.os, "geteuid", lambda: 1000)
    assert counted in kept(SandboxLevel.BWRAP)
    assert counted not in kept(SandboxLevel.LANDLOCK)
    assert signals in kept(SandboxLevel.LANDLOCK)
    monkeypatch.setattr(landlock, "version", lambda: 5)
    assert signals not in kept(SandboxLevel.LANDLOCK)
    monkeypatch.setattr(control_groups, "parents", lambda: ("a group",))
    assert {together, counted} <= kept(SandboxLevel.LANDLOCK)
