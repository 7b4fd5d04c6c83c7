"""`kibitz warm` compiles ahead of time."""

import os
import subprocess
import sys

import toys

NIM = f"{toys.__file__}:Nim"


def test_what_has_been_warmed_is_not_compiled_again(tmp_path):
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path)}

    def kibitz(*words):
        command = [sys.executable, "-m", "kibitz", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True)

    cold, warm = (kibitz("warm", NIM, "--bot", "mc", "--bot", "random") for _ in range(2))
    assert cold.stdout.startswith(f"{NIM} with 2 bots: ")
    assert cold.stdout.endswith(" functions compiled.\n")
    assert "Compiling Nim.start …" in cold.stderr
    assert warm.stdout == f"{NIM} with 2 bots: already compiled.\n"
    assert kibitz("analyse", NIM, "--bot", "mc:sims=10").stderr == ""


def test_without_bots_the_levels_of_the_game_are_compiled(run):
    assert run(f"warm {NIM}").out.startswith(f"{NIM} with 4 bots: ")


def test_several_games_are_compiled_in_processes(run):
    outcome = run(f"warm {NIM} {NIM}:heap=5 --bot random --workers 2")
    assert sorted(line.partition(" with")[0] for line in outcome.out.splitlines()) == [NIM, f"{NIM}:heap=5"]


def test_a_bot_that_cannot_play_is_refused_before_anything_is_compiled(run):
    outcome = run(f"warm connect_four {toys.__file__}:HighCard --bot alphabeta")
    assert outcome.code == 2
    assert "alphabeta cannot play" in outcome.err
    assert outcome.out == ""


def test_in_plain_mode_there_is_nothing_to_compile(run, monkeypatch):
    monkeypatch.setattr("kibitz.cli.warm.is_plain", lambda: True)
    outcome = run(f"warm {NIM}")
    assert outcome.code == 2
    assert outcome.err == "kibitz: In plain mode nothing is compiled; unset KIBITZ_PLAIN.\n"
