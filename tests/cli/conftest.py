"""Run the command line within the test process."""

import io
from dataclasses import dataclass

import pytest

from kibitz.cli import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """`run("play connect_four", typed="4\\n")` → exit code, stdout and stderr."""

    def run(*arguments, typed=""):
        words = arguments[0].split() + list(arguments[1:])
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(words)
        return Outcome(end.value.code or 0, *capsys.readouterr())

    return run
