"""Tournaments from specs to result."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from toys import DiceRace, HighCard

from kibitz import KibitzError, SpecError, plain
from kibitz.arena import arena

TOYS = Path(__file__).parent.parent / "toys.py"
BOTS = """
class First:
    def choose(self, view):
        return view.moves[0]

class Raises:
    def choose(self, view):
        raise ValueError("no idea")
"""


@pytest.fixture
def bots(tmp_path):
    path = tmp_path / "arena_bots.py"
    path.write_text(BOTS)
    return path


def without_seconds(result):
    summary = result.summary()
    del summary["seconds"]
    return summary


@pytest.mark.parametrize("game", ["connect_four", f"{TOYS}:DiceRace:goal=6"], ids=["connect_four", "dice_race"])
def test_one_and_two_workers_give_the_same_result(game):
    one, two = (arena(game, ["random", "random"], games=50, seed=3, workers=workers) for workers in (1, 2))
    assert without_seconds(one) == without_seconds(two)


def test_plain_and_compiled_games_are_the_same():
    compiled = arena("connect_four", ["random", "random"], games=6, seed=2)
    with plain():
        interpreted = arena("connect_four", ["random", "random"], games=6, seed=2)
    assert without_seconds(compiled) == without_seconds(interpreted)


def test_another_seed_gives_other_games():
    first, second = (arena("connect_four", ["random", "random"], games=10, seed=seed) for seed in (1, 2))
    assert first.played != second.played


def test_rotations_have_the_same_dice(bots):
    result = arena(DiceRace(), [f"{bots}:First", f"{bots}:First"], games=20, seed=1, workers=1)
    pairs = [result.played[i : i + 2] for i in range(0, 20, 2)]
    assert all(a.payoff == b.payoff and a.score == b.score for a, b in pairs)


def test_the_standings_are_sorted_and_hold_every_bot(bots):
    result = arena("connect_four", ["random", f"{bots}:Raises", "random"], games=12, workers=1)
    assert [s.bot for s in result.standings][-1] == f"{bots}:Raises"
    assert {s.bot for s in result.standings} == {"random", "random #2", f"{bots}:Raises"}
    shares = [s.share.share for s in result.standings]
    assert shares == sorted(shares, reverse=True)
    assert [s.games for s in result.standings] == [8, 8, 8]


def test_a_bot_that_raises_is_counted_and_the_tournament_goes_on(bots):
    result = arena("connect_four", ["random", f"{bots}:Raises"], games=8, workers=1)
    assert len(result.played) == 8
    last = result.standings[-1]
    assert last.faults == {"exception": 8}
    assert (last.share.share, last.score_mean) == (0.0, None)


def test_three_players_and_two_bots_fill_the_table():
    result = arena(HighCard(), ["random", "random"], games=12, seed=1, workers=1)
    assert all(sorted(p.seating.bots) == [0, 0, 1] for p in result.played)
    assert sum(share.share for share in result.seats) == pytest.approx(1.0)


def test_the_json_document_keeps_its_contract():
    document = json.loads(arena("connect_four", ["random", "random"], games=10, seed=7, workers=1).to_json())
    assert document["game"] == "connect_four"
    assert (document["games"], document["seed"], document["reproducible"]) == (10, 7, True)
    assert 7 <= document["plies_mean"] <= 42
    for standing in document["standings"]:
        assert {"bot", "games", "share", "low", "high", "score_mean", "faults"} <= set(standing)
        assert 0 <= standing["low"] <= standing["share"] <= standing["high"] <= 1
    assert [seat["seat"] for seat in document["seats"]] == [0, 1]
    assert all({"share", "low", "high"} <= set(seat) for seat in document["seats"])


def test_a_bot_with_a_time_budget_makes_the_result_unrepeatable():
    result = arena("connect_four", ["mc:ms=1", "random"], games=1, workers=1)
    assert not result.reproducible
    assert "time budget" in shown(result)


def test_ctrl_c_keeps_what_is_finished():
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    result = arena("connect_four", ["random", "random"], games=10, progress=stop, workers=1)
    assert result.interrupted
    assert len(result.played) == 3
    assert "Stopped early" in shown(result)


def test_ctrl_c_ends_workers_too():
    def stop(done, total):
        if done == 30:
            raise KeyboardInterrupt

    result = arena("connect_four", ["random", "random"], games=1000, progress=stop, workers=2)
    assert result.interrupted
    assert len(result.played) == 30


def test_nothing_finished_is_shown_as_nothing():
    def stop(done, total):
        raise KeyboardInterrupt

    result = arena("connect_four", ["random", "random", "random"], games=10, progress=stop, workers=1)
    assert "random #3" in shown(result)
    assert json.loads(result.to_json())["standings"][-1]["share"] is None


def test_progress_counts_every_game():
    seen = []
    arena("connect_four", ["random"], games=5, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 5) for i in range(1, 6)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"specs": []}, "at least one bot"),
        ({"games": 0}, "at least one game"),
        ({"workers": 0}, "at least one worker"),
    ],
)
def test_impossible_tournaments_are_refused(arguments, message):
    with pytest.raises(KibitzError, match=message):
        arena(**{"game": "connect_four", "specs": ["random"], **arguments})


def test_an_unknown_bot_is_refused_before_anything_is_played():
    with pytest.raises(SpecError, match="Did you mean random"):
        arena("connect_four", ["random", "randon"], progress=lambda done, total: pytest.fail("a game was played"))


def test_workers_say_that_they_cannot_find_a_game_without_a_file():
    with pytest.raises(KibitzError, match=r"path/file\.py:Class"):
        arena(HighCard(), ["random"], games=4, workers=2)


def shown(result):
    console = Console(width=100, file=io.StringIO())
    console.print(result)
    return console.file.getvalue()
