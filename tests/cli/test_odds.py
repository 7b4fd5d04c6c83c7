"""The odds of a position, on the screen, as a document and as a picture."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from kibitz.games.camelup.artwork import COLOURS

MOVES = "c_0 starts on 2 c_1 starts on 0 c_2 starts on 1 c_3 starts on 1 c_4 starts on 2 roll c_2 moves 1 oasis 6"


def test_every_camel_has_a_row_in_the_order_of_the_race(run):
    out = run("odds camelup --moves", MOVES).out
    rows = [line.split() for line in out.splitlines() if line.count("%") == 5]
    assert [row[0] for row in rows] == ["yellow", "orange", "white", "blue", "green"]
    assert "The oasis of player 2 on 6 will be landed on" in out
    assert "The race ends in this leg with probability 0.0%." in out


def test_the_document_contains_probabilities_that_sum_to_one(run):
    document = json.loads(run("odds camelup --json --moves", MOVES).out)
    for name in ("first", "second", "last"):
        assert sum(camel["leg"][name] for camel in document["camels"]) == pytest.approx(1)
    for name in ("wins", "last"):
        assert sum(camel["race"][name] for camel in document["camels"]) == pytest.approx(1)
    assert len(document["landings"]) == 16


def test_a_position_given_as_text_has_the_same_odds(run):
    by_moves = json.loads(run("odds camelup --json --moves", MOVES).out)
    assert json.loads(run("odds camelup --json --position", by_moves["position"]).out) == by_moves


def test_simulated_races_agree_with_the_odds(run):
    # By the official rules the oasis is gone after the leg, so that the odds are exact.
    document = json.loads(run("odds camelup --samples 20000 --json --moves", MOVES).out)
    for camel in document["camels"]:
        assert camel["sampled"]["wins"] == pytest.approx(camel["race"]["wins"], abs=0.015)
        assert camel["sampled"]["last"] == pytest.approx(camel["race"]["last"], abs=0.015)
    assert "±" in run("odds camelup --samples 100 --moves", MOVES).out


def test_the_second_edition_has_odds_that_say_what_they_neglect(run):
    out = run("odds camelup:rules=second --seed 1 --samples 100").out
    assert len([line for line in out.splitlines() if line.count("%") == 7]) == 5
    assert "race odds neglect the crazy camels and desert tiles of later legs" in " ".join(out.split())


def test_the_picture_is_drawn_to_a_file(run, tmp_path):
    picture = tmp_path / "odds.svg"
    assert str(picture) in run(f"odds camelup --svg {picture} --moves", MOVES).out.replace("\n", "")
    root = ElementTree.parse(picture).getroot()
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word in COLOURS] == ["yellow", "orange", "white", "blue", "green"]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["odds connect_four"], "There are no odds for connect_four"),
        (["odds camelup:rules=second,camels=6 --seed 1"], "The odds cover five camels beside the crazy ones, not 6"),
        (["odds camelup --svg /nowhere/odds.svg"], "Cannot write /nowhere/odds.svg"),
        (["odds camelup --moves", "c_0 starts on 2"], "it is chance's turn"),
    ],
)
def test_a_position_without_odds_is_refused_with_a_sentence(run, command, sentence):
    outcome = run(*command)
    assert outcome.code == 2
    assert sentence in outcome.err
