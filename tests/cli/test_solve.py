"""Games solved from the command line."""

import json
from pathlib import Path

import pytest

import kibitz

TOYS = Path(__file__).parent.parent / "toys.py"


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    monkeypatch.setattr("kibitz.solve.files._folders", lambda: [tmp_path / "solutions"])


def test_a_small_game_is_solved_with_every_first_move(run):
    out = run(f"solve {TOYS}:Nim:heap=6").out
    assert "With perfect play, player 1 wins after 3 plies." in out
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("take")]
    assert rows == [["take", "2", "win", "3"], ["take", "1", "loss", "4"], ["take", "3", "loss", "2"]]
    assert "Best line: take 2, " in out
    assert "reachable positions in" in out


def test_the_document_of_a_small_game_contains_its_solution(run):
    document = json.loads(run(f"solve {TOYS}:Nim:heap=8 --json").out)
    assert (document["value"], document["plies"]) == (0.0, 4)
    assert sum(document["layers"]) == document["positions"]
    assert {row["move"] for row in document["moves"]} == {"take 1", "take 2", "take 3"}
    assert len(document["line"]) == 4


def test_a_game_with_chance_is_solved_and_its_table_saved(run, tmp_path):
    out = run("solve ur:pieces=2").out
    assert "Light, who moves first, wins with probability 0.516791183" in out
    assert "12,869 positions to within 1e-09" in out
    assert len(list((tmp_path / "solutions").glob("*.values"))) == 1


def test_the_document_of_a_game_with_chance_contains_its_value(run, tmp_path):
    document = json.loads(run(f"solve ur:pieces=1,rosettes=14 --tolerance 1e-11 --json --out {tmp_path}/ur.table").out)
    assert document["value"] == pytest.approx(0.530049839525, abs=1e-10)
    assert (document["positions"], document["tolerance"]) == (217, 1e-11)
    assert document["sweeps"] > 1
    assert document["seconds"] > 0
    assert Path(document["file"]).stat().st_size > 2 * 217


def test_a_game_with_chance_is_solved_even_without_an_index(run):
    document = json.loads(run(f"solve {TOYS}:DiceRace --json").out)
    assert document["value"] == pytest.approx(0.6531528065)
    assert document["file"] is None


def test_progress_is_told_now_and_then_where_there_is_no_terminal(run, monkeypatch):
    monkeypatch.setattr("kibitz.cli.solve.SECONDS_BETWEEN_NOTES", -1)
    notes = run(f"solve {TOYS}:DiceRace").err
    assert "positions found …" in notes
    assert "positions solved …" in notes


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (f"{TOYS}:HighCard", "use ismcts or mc"),
        ("ur:pieces=7 --memory 0.1", "137,870,097 positions"),
        ("ur --tolerance 2", "tolerance must be"),
        (f"{TOYS}:Nim --out x", "leaves no table"),
    ],
)
def test_a_game_that_cannot_be_solved_is_refused_with_a_sentence(run, command, sentence):
    outcome = run(f"solve {command}")
    assert outcome.code == 2
    assert sentence in outcome.err


def test_a_game_with_utilities_is_solved_in_these(run):
    with kibitz.plain():
        out = run(f"solve {TOYS}:Chips:height=3").out
        document = json.loads(run(f"solve {TOYS}:Chips:height=3 --json").out)
        rolled = run(f"solve {TOYS}:Chips:height=3,dice=yes").out
    utility = f"{document['utility']:+.2f}".replace("-", "−").replace("+0.00", "0.00")
    assert f"With perfect play, player 1 gets {utility}" in out
    assert document["utility"] == pytest.approx(6 * document["value"] - 3)
    assert "on average." in rolled
