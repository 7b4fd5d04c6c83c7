"""The example programs play tournaments: in Python without kibitz, in JavaScript, and in C."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz
from kibitz.testing.programs import check_program

EXAMPLES = Path(__file__).parents[2] / "examples" / "protocol"


@pytest.fixture(params=["C", "JavaScript", "Python"])
def program(request, tmp_path):
    """The spec of an example, in a place where it cannot find kibitz."""
    match request.param:
        case "Python":  # isolated: without site-packages, and without this folder
            return f"cmd:{sys.executable} -I -S {EXAMPLES / 'four.py'}"
        case "JavaScript":
            if shutil.which("node") is None:
                pytest.skip("node is not installed")
            return f"cmd:node {EXAMPLES / 'any_game.js'}"
        case "C":
            if shutil.which("cc") is None:
                pytest.skip("there is no C compiler called cc")
            path = tmp_path / "middle"
            warnings = ["-Wall", "-Wextra", "-Werror"]
            subprocess.run(["cc", "-O2", *warnings, "-o", path, EXAMPLES / "middle.c"], check=True)
            return f"cmd:{path}"


def test_an_example_plays_a_tournament_the_same_way_twice(program):
    first, again = (
        kibitz.arena("connect_four", [program, "random"], games=4, seed=1, move_time=300.0, workers=1) for _ in range(2)
    )
    assert [standing.faults.total() for standing in first.ranking] == [0, 0]
    assert [standing.share for standing in first.ranking] == [standing.share for standing in again.ranking]


def test_an_example_has_no_problem(program):
    report = check_program(program, move_time=300.0)
    assert report.problems == []
    assert report.is_repeatable


def test_four_wins_against_random_moves():
    spec = f"cmd:{sys.executable} -I -S {EXAMPLES / 'four.py'}"
    result = kibitz.arena("connect_four", ["random", spec], games=8, seed=3, move_time=300.0, workers=1)
    assert result.ranking[0].bot == spec
    assert result.ranking[0].share.share > 0.8


def test_examples_for_any_game_play_one_with_hidden_information(program):
    if "four.py" in program:
        pytest.skip("it plays only Connect Four")
    report = check_program(program, "mexican_train:players=2", games=2, move_time=300.0)
    assert report.problems == []
