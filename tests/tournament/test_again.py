"""Games whose moves were not logged are played again."""

import numpy as np
import pytest
from logged_games import equal

import kibitz
from kibitz import KibitzError
from kibitz.records.log import Log, LogWriter
from kibitz.tournament.again import logged_game

SMALL = "connect_four:columns=4,rows=4"


def play(folder, bots, keep_moves, **options):
    kibitz.arena(SMALL, bots, games=9, seed=5, workers=1, log=folder, keep_moves=keep_moves, **options)
    return Log(folder)


def without_time(games):
    games.seconds = np.zeros_like(games.seconds)
    return games


@pytest.mark.parametrize("bots", [["random", "greedy", "random"], ["mc:sims=3", "random"]], ids=["compiled", "python"])
@pytest.mark.parametrize("options", [{}, {"opening": 3, "paired": False}], ids=["as usual", "with an opening"])
def test_a_game_is_the_same_as_if_its_moves_had_been_logged(tmp_path, bots, options):
    with_moves, without = (play(tmp_path / str(keep), bots, keep, **options) for keep in (True, False))
    assert not any(map(len, without.games().moves))
    for number in (0, 4, 8):
        assert equal(without_time(logged_game(without, number)), without_time(with_moves.row(number)))
        record = without.record_of(logged_game(without, number))
        assert kibitz.Table.replay(record).payoff() == list(record.payoff)


def test_the_limit_of_the_tournament_applies_again(tmp_path):
    logs = [play(tmp_path / str(keep), ["mc:sims=3", "mc:sims=4"], keep, limit="sims=7") for keep in (True, False)]
    assert logged_game(logs[1], 5).moves[0].tolist() == logs[0].row(5).moves[0].tolist()


def changed(log, folder, change=None, **what):
    """A log in which something has been changed."""
    games = log.games()
    if change:
        change(games)
    with LogWriter(folder, {**log.tournament, **what}) as writer:
        writer.write(games)
    return Log(folder)


def test_a_game_that_ends_differently_is_not_shown(tmp_path):
    log = play(tmp_path / "log", ["random", "random"], False)

    def longer(games):
        games.choices = games.choices + (games.game == 3)[:, None]

    other = changed(log, tmp_path / "other", longer)
    assert len(logged_game(other, 2).moves[0])
    with pytest.raises(KibitzError, match="game 3, and it cannot be played again: now it ends differently"):
        logged_game(other, 3)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"bots": ["bot.py:Bot", "random"]}, "bot.py:Bot does not ship with kibitz"),
        ({"bots": ["cmd:./bot", "random"]}, "cmd:./bot does not ship with kibitz"),
        ({"bots": ["Mine", "random"], "local_bots": ["Mine"]}, "Mine does not ship with kibitz"),
        ({"bots": ["mc:ms=1", "random"]}, "a bot would play differently"),
        ({"limit": "ms=1"}, "a bot would play differently"),
    ],
)
def test_what_cannot_be_played_again_is_not(tmp_path, what, words):
    log = changed(play(tmp_path / "log", ["random", "random"], False), tmp_path / "other", **what)
    with pytest.raises(KibitzError, match=words):
        logged_game(log, 3)


def test_another_version_might_play_differently(tmp_path, monkeypatch):
    log = play(tmp_path / "log", ["random", "random"], False)
    monkeypatch.setattr("kibitz.tournament.again.VERSION", "99")
    with pytest.raises(KibitzError, match="it was played with kibitz"):
        logged_game(log, 3)
