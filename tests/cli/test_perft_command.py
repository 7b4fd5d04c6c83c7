"""`kibitz perft`."""

import json


def test_the_sequences_are_counted(run):
    assert run("perft connect_four 3").out.startswith("343 sequences of 3 moves in ")


def test_the_sequences_are_counted_by_the_first_move(run):
    out = run("perft connect_four 3 --divide").out.splitlines()
    assert out[:7] == [f"{column}: 49" for column in range(1, 8)]


def test_chance_outcomes_count_as_moves(run):
    document = json.loads(run("perft ur 1 --divide --json").out)
    assert document["sequences"] == 5
    assert document["by_move"] == {f"roll {roll}": 1 for roll in range(5)}


def test_the_json_document_has_the_count(run):
    document = json.loads(run("perft connect_four 2 --json").out)
    assert (document["game"], document["depth"], document["sequences"]) == ("connect_four", 2, 49)
    assert "by_move" not in document


def test_a_count_can_be_interrupted(run, monkeypatch):
    def interrupted(game, depth):
        yield 0, 1
        raise KeyboardInterrupt

    monkeypatch.setattr("kibitz.rules.perft.divide", interrupted)
    assert run("perft connect_four 9").code == 130


def test_a_depth_must_be_possible(run):
    assert "Invalid value for 'DEPTH'" in run("perft connect_four 0").err
