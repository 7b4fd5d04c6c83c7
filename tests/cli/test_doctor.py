"""What this machine can do for bots that are not trusted."""

import json

import pytest

from kibitz.sandbox import levels
from kibitz.sandbox.levels import SandboxLevel, choose_level


@pytest.fixture
def only_none(monkeypatch):
    """A machine on which no sandbox works."""
    why = {level: "there is none" for level in SandboxLevel if level is not SandboxLevel.NONE}
    for module in ("kibitz.sandbox.levels", "kibitz.cli.doctor"):
        monkeypatch.setattr(f"{module}.why_not", why.get)


def test_it_names_the_level_that_is_used_and_what_it_promises(run):
    outcome = run("doctor")
    assert outcome.code == 0
    level = choose_level()
    assert f"{level}  (used)" in outcome.out
    assert f"play in the sandbox {level}" in outcome.out
    shown = " ".join(outcome.out.split())
    assert all(promise in shown for _, promise in levels.promises(level))


def test_what_is_missing_and_not_promised_is_said(run, only_none):
    out = run("doctor").out
    assert "– bwrap  there is none" in out
    assert "none  (used)" in out
    assert "not promised: There is no network" in out
    assert "read it before you run it" in out


def test_as_json(run, only_none):
    document = json.loads(run("doctor --json").out)
    assert document["sandbox"] == "none"
    assert document["levels"] == {"bwrap": "there is none", "landlock": "there is none", "none": None}
    kept = {entry["promise"]: entry["kept"] for entry in document["promises"]}
    assert kept["Every game is played by a new process, which sees only what its player may know."]
    assert not kept["There is no network, and no way to reach other programs."]


@pytest.mark.parametrize("command", ["arena connect_four random", "watch connect_four random", "play connect_four"])
def test_an_unknown_level_is_refused(run, command):
    outcome = run(f"{command} --sandbox glass")
    assert outcome.code == 2
    assert "There is no sandbox 'glass'; choose one of auto, bwrap, landlock, none." in outcome.err
