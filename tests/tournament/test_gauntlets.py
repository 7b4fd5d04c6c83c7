"""benchmarks/gauntlets.py: long matches of one bot against tables full of another."""

import sys
from pathlib import Path

import pytest

from kibitz.records.games import Games

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

from gauntlets import compared, match_folder, milliseconds, payoffs_by_group, pooled


def match(payoffs):
    """Groups of two games with the same luck, in which bot 0 sits in the first seat, then in the second."""
    games = Games.empty(len(payoffs), players=2)
    games.group[:] = [i // 2 for i in range(len(payoffs))]
    for i, payoff in enumerate(payoffs):
        games.bots[i] = [i % 2, 1 - i % 2]
        games.payoff[i, i % 2], games.payoff[i, 1 - i % 2] = payoff, 1 - payoff
        games.seconds[i, i % 2], games.choices[i, i % 2] = 0.4, 20
        games.seconds[i, 1 - i % 2], games.choices[i, 1 - i % 2] = 9.0, 10
    return games


def test_games_with_the_same_luck_form_a_group():
    groups = payoffs_by_group([match([1, 0, 1, 1]), match([0, 0])])
    assert groups == {(0, 0): [1, 0], (0, 1): [1, 1], (1, 0): [0, 0]}


def test_bots_are_compared_in_games_with_the_same_luck():
    one, other = [match([1, 1, 1, 0]), match([1, 1, 0, 0])], [match([0, 0, 1, 0])]  # the third group was not played
    assert compared(one, other) == "+50.0 ± 98.0"
    assert compared(one, one) == "+0.0 ± 0.0"
    assert compared(one, [match([1, 1])]) == "–"  # no interval


def test_seeds_are_pooled():
    share = pooled([match([1, 0, 1, 1]), match([0, 0])])
    assert share.share == pytest.approx(0.5)
    assert share.low < 0.5 < share.high


def test_the_time_is_that_of_the_bot_that_plays_alone():
    assert milliseconds([match([1, 0]), match([1, 1])]) == pytest.approx(20)


def test_every_match_has_a_folder_of_its_own():
    folders = {
        match_folder(Path("runs"), game, one, "best", seed)
        for game in ("camelup", "camelup:rules=camelai")
        for one in ("ev-race", "best:sims=8000")
        for seed in (1, 2)
    }
    assert len(folders) == 8
