"""Logs that somebody else wrote: a file that they name as their game is not run unless the user agrees."""

import json
import shutil

import pytest
import toys

import kibitz
from kibitz.errors import KibitzError
from kibitz.records.log import Log

GAME = f"""
import pathlib, sys
sys.path.insert(0, {str(toys.__file__.rpartition("/")[0])!r})
import kibitz, toys

pathlib.Path(__file__).with_name("was_run").touch()

@kibitz.game
class Small(toys.Nim):
    heap: int = 5
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a game and a log of it."""
    (tmp_path / "game.py").write_text(GAME)
    kibitz.arena(f"{tmp_path}/game.py:Small", ["random"], games=2, seed=1, log=tmp_path / "log", workers=1)
    (tmp_path / "was_run").unlink()
    kibitz.rules.spec._FILES.clear()
    return tmp_path


def make_foreign(folder):
    """Let the log come from somebody else."""
    index = folder / "log" / "tournament.json"
    index.write_text(json.dumps({**json.loads(index.read_text()), "origin": "0" * 64}))


COMMANDS = [
    "replay {}/log --game 1",
    "report {}/log",
    "logs export {}/log --csv",
    "analyse --log {}/log --game 1 --bot uct:sims=10",
    "arena --resume {}/log",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_ones_own_log_is_used_without_asking(run, folder, command):
    assert run(command.format(folder)).code == 0
    assert (folder / "was_run").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_file_that_a_foreign_log_names_is_run_only_if_it_is_trusted(run, folder, command):
    make_foreign(folder)
    outcome = run(command.format(folder))
    assert outcome.code == 2
    assert f"it names {folder}/game.py, which would be run; if you trust that file, add --trust." in outcome.err
    assert not (folder / "was_run").exists()
    assert run(f"{command.format(folder)} --trust").code == 0


def test_a_person_is_asked(run, folder, monkeypatch):
    make_foreign(folder)
    monkeypatch.setattr("kibitz.cli.trust.is_interactive", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *words, **more: False)
    outcome = run(f"replay {folder}/log")
    assert (outcome.code, "Nothing was run." in outcome.err) == (2, True)
    assert not (folder / "was_run").exists()
    monkeypatch.setattr("typer.confirm", lambda *words, **more: True)
    assert run(f"replay {folder}/log").code == 0


def test_a_signature_is_worth_nothing_for_a_file_elsewhere(run, folder, monkeypatch, tmp_path_factory):
    """Somebody copies one's own log, with its signature, beside a game of theirs."""
    monkeypatch.chdir(folder)
    kibitz.arena("game.py:Small", ["random"], games=2, seed=1, log=folder / "mine", workers=1)
    assert run("replay mine").code == 0
    theirs = tmp_path_factory.mktemp("theirs")
    shutil.copytree(folder / "mine", theirs / "log")
    (theirs / "game.py").write_text("raise AssertionError('run')")
    monkeypatch.chdir(theirs)
    outcome = run("replay log")
    assert outcome.code == 2
    assert "it names game.py, which would be run" in outcome.err


def test_a_record_is_never_signed(run, folder):
    table = kibitz.Table(f"{folder}/game.py:Small", seed=1)
    table.play(table.moves[0])
    (folder / "record.json").write_text(table.record().to_json())
    assert "which would be run" in run(f"replay {folder}/record.json").err
    assert run(f"replay {folder}/record.json --trust").code == 0


def test_programs_agree_by_an_argument_or_name_the_game_themselves(folder):
    make_foreign(folder)
    with pytest.raises(KibitzError, match="open the log with trust=True"):
        Log(folder / "log").record(1)
    assert Log(folder / "log", trust=True).record(1) == Log(folder / "log").record(1, f"{folder}/game.py:Small")


def test_a_log_of_a_shipped_game_needs_no_trust(run, tmp_path):
    kibitz.arena("connect_four:columns=4", ["random"], games=2, seed=1, log=tmp_path / "log", workers=1)
    make_foreign(tmp_path)
    assert run(f"replay {tmp_path}/log").code == 0
