"""Turning points in messages: they come with the drawings that lead to them, and say what everyone may know."""

import random

import pytest

import kibitz
from kibitz.rules.contract import NOBODY
from kibitz.web.history import GameHistory

GAMES = ["mexican_train:players=3,rounds=2,hand=4", "camelup:players=3", "camelup:rules=second,players=3"]


def finished(spec, seed=4):
    """The history of a game of random moves."""
    table, luck = kibitz.Table(spec, seed=seed), random.Random(seed)
    while not table.over:
        table.play(luck.choice(table.moves))
    return GameHistory(table)


@pytest.mark.parametrize("spec", GAMES)
def test_a_summary_is_the_same_for_everyone_so_that_it_tells_no_secrets(spec):
    history = finished(spec)
    found = 0
    for ply in range(len(history)):
        everything = history.turning_point(ply, None)
        found += everything is not None
        for viewer in (NOBODY, 0, 1, 2):
            assert history.turning_point(ply, viewer) == everything
    assert found > 1


def test_a_game_without_turning_points_has_none():
    history = finished("connect_four")
    assert {history.turning_point(ply, NOBODY) for ply in range(len(history))} == {None}


def test_what_is_taken_back_has_not_been_settled(client):
    """A round that ends otherwise the second time is summed up anew."""
    history = finished(GAMES[0])
    ends = [ply for ply in range(len(history)) if history.turning_point(ply, None)]
    table = history.table
    while len(table.history) > ends[0]:
        table.undo()
    history.follow()
    luck = random.Random(9)
    while not table.over:
        table.play(luck.choice(table.moves))
    history.follow()
    again = [ply for ply in range(len(history)) if history.turning_point(ply, None)]
    assert len(again) == len(ends)
    assert again[-1] == len(history) - 1


def test_the_last_position_of_a_round_comes_before_the_next_one(client):
    answer = client.ready_table("mexican_train:players=2,hand=2,rounds=2", "you", "you", seed=1)
    with client.at(answer) as browser:
        while not browser.table["turning_points"]:
            browser.play(browser.table["moves"][0]["move"])
        table = browser.table
    (point,) = table["turning_points"]
    assert (point["title"], point["steps"]) == ("Round 1 is over", len(table["steps"]))
    held, dealt = (
        [piece["name"] for piece in scene["pieces"] if piece["name"].startswith("tile-")]
        for scene in (table["steps"][-1], table["scene"])
    )
    on_trains = [piece for piece in table["steps"][-1]["pieces"] if piece.get("appears") and piece["name"] in held]
    assert len(on_trains) > 2
    assert len(dealt) == 2  # a hand, and nothing on any train
    with client.at(answer) as other:  # who comes later is not held up
        assert (other.table["turning_points"], other.table["steps"]) == ([], [])
