"""Shell completion: commands, options, games and bots."""

import pytest

from kibitz.cli import main


@pytest.fixture
def complete(capsys, monkeypatch):
    """`complete("kibitz play con")` → what bash offers."""

    def complete(line):
        words = line.split(" ")
        monkeypatch.setenv("_KIBITZ_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        with pytest.raises(SystemExit):
            main([])
        return capsys.readouterr().out.split()

    return complete


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kibitz pl", ["play"]),
        ("kibitz logs m", ["merge"]),
        ("kibitz play --se", ["--seat", "--seed", "--secret"]),
        ("kibitz play con", ["connect_four"]),
        ("kibitz arena ur lea", ["learned", "learner"]),
        ("kibitz watch connect_four random alp", ["alphabeta"]),
        ("kibitz play connect_four --vs alp", ["alphabeta"]),
        ("kibitz play nowhere.py:Game --vs alp", []),
    ],
)
def test_the_shell_completes(complete, line, offered):
    assert complete(line) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_the_current_shell_can_be_shown(run, shell, monkeypatch):
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    outcome = run("--show-completion")
    assert outcome.code == 0
    assert "_KIBITZ_COMPLETE" in outcome.out
