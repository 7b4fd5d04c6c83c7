"""Positions, searched and ranked."""

import json
import re
from pathlib import Path

import pytest

import kibitz
from kibitz.players.bot import Ranked, Report

TOYS = Path(__file__).parent.parent / "toys.py"


@pytest.mark.slow
def test_every_legal_move_is_ranked_with_the_best_line_below(run):
    out = run("analyse connect_four --bot uct:sims=2000 --moves", "4 1 4 1 3 1").out
    rows = [line.split() for line in out.splitlines() if "%" in line]
    assert sorted(row[2] for row in rows) == ["1", "2", "3", "4", "5", "6", "7"]  # "column 1" …
    assert "Red to move." in out
    assert "Best line: " in out
    assert "simulations in" in out


def test_a_win_in_one_is_proven(run):
    out = run("analyse connect_four --bot uct:sims=500 --moves", "4 1 4 1 4 2").out
    best = next(line.split() for line in out.splitlines() if line.split()[:1] == ["1"] and "%" in line)
    assert best[1:4] == ["column", "4", "100.0%"]
    assert "win" in best
    assert "Best line: column 4" in out


def test_the_json_document_contains_the_ranking(run):
    document = json.loads(run("analyse connect_four --bot uct:sims=500 --json --moves", "4 4 3").out)
    assert document["moves"] == ["4", "4", "3"]
    assert document["player"] == 1
    assert len(document["ranking"]) == 7
    assert document["ranking"][0]["value"] == document["value"]
    assert document["ranking"][0]["line"] == document["line"]
    assert document["unit"] == "simulations"


def test_a_position_given_as_text_is_the_same_as_the_moves_that_lead_there(run):
    command = "analyse connect_four --bot uct:sims=500 --json"
    by_moves = json.loads(run(command, "--moves", "4 4 3").out)
    by_text = json.loads(run(command, "--position", by_moves["position"]).out)
    assert by_text["ranking"] == by_moves["ranking"]
    assert by_text["position"] == by_moves["position"]


def test_a_finished_game_is_refused_with_its_result(run):
    outcome = run("analyse connect_four --bot uct:sims=500 --moves", "1 2 1 2 1 2 1")
    assert outcome.code == 2
    assert "The game is already over: Red wins." in outcome.err


def test_a_position_with_an_unknown_player_to_move_is_refused(run):
    position = '{"discs":[0,0],"plies":0,"turn":7,"winner":-1}'
    assert "the turn of player 7, who does not exist" in run("analyse connect_four --position", position).err


def test_names_with_spaces_and_chance_outcomes_are_understood(run):
    command = f"analyse {TOYS}:DiceRace --bot uct:sims=200 --json"
    document = json.loads(run(command, "--moves", "roll rolled 4 step roll rolled 1").out)
    assert document["moves"] == ["roll", "rolled 4", "step", "roll", "rolled 1"]
    assert json.loads(document["position"])["at"] == [5, 2]


def test_a_missing_chance_outcome_is_asked_for(run):
    assert "add its outcome to --moves, or give --seed" in run(f"analyse {TOYS}:DiceRace --moves roll").err


def test_with_a_seed_chance_outcomes_are_drawn(run):
    command = f"analyse {TOYS}:DiceRace --bot uct:sims=200 --json --seed 1 --moves roll"
    names = json.loads(run(command).out)["moves"]
    assert names[0] == "roll"
    assert names[1].startswith("rolled ")


def test_hidden_information_stays_hidden(run):
    document = json.loads(run(f"analyse {TOYS}:HighCard --bot mc:sims=60 --json").out)
    assert json.loads(document["position"])["where"].count(5) == 5
    assert len(document["ranking"]) == 2


def test_a_game_with_utilities_is_analysed_in_these(run):
    with kibitz.plain():
        out = run(f"analyse {TOYS}:Chips:height=3 --bot expectimax:depth=9").out
        document = json.loads(run(f"analyse {TOYS}:Chips:height=3 --bot expectimax:depth=9 --json").out)
    assert "Utility is what the player to move can expect, from −3 to +3." in out
    assert "%" not in out
    for row in document["ranking"]:
        assert row["utility"] == pytest.approx(6 * row["value"] - 3)
        assert f"{row['utility']:+.2f}".replace("-", "−").replace("+0.00", "0.00") in out


def test_what_a_network_thinks_is_shown_beside_the_search(run, monkeypatch):
    """And only if a network was asked."""
    report = Report((Ranked(2, 0.5, 9, prior=0.75), Ranked(0, 0.25, 1, prior=0.25)), 10, "simulations", 1, 0.1)
    monkeypatch.setattr("kibitz.search.uct.UCT.analyse", lambda self, view, limit: report)
    out = run(f"analyse {TOYS}:Nim --bot uct").out
    assert re.search(r"Visits +Network", out)
    assert re.search(r"take 3 .* 9 +75%", out)
    ranking = json.loads(run(f"analyse {TOYS}:Nim --bot uct --json").out)["ranking"]
    assert [row["network"] for row in ranking] == [0.75, 0.25]
    with kibitz.plain():
        assert "Network" not in run(f"analyse {TOYS}:Nim --bot mc:sims=3").out
