"""Recorded games, judged move by move."""

import json

import pytest

import kibitz
from kibitz.records.log import Log

PERFECT, RANDOM = 0, 1


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs") / "ur"
    kibitz.arena("ur:pieces=2", ["perfect", "random"], games=6, seed=1, log=folder)
    return folder


def lost_by(log, bot):
    """A game that a bot lost."""
    games = Log(log).games()
    return next(
        game
        for game, seats, payoff in zip(games.game, games.bots, games.payoff, strict=True)
        if seats[payoff.argmin()] == bot
    )


@pytest.mark.slow
def test_every_decision_is_judged_and_the_worst_one_named(run, log):
    out = run(f"analyse ur:pieces=2 --log {log} --game {lost_by(log, RANDOM)}").out
    assert "Regret" in out
    assert "Given away" in out
    assert "lost most at ply" in out


def test_a_loss_without_an_error_is_reported(run, log):
    assert "lost without an error" in run(f"analyse ur:pieces=2 --log {log} --game {lost_by(log, PERFECT)}").out


def test_perfect_regrets_nothing(run, log):
    for game in range(6):
        document = json.loads(run(f"analyse ur:pieces=2 --log {log} --game {game} --json").out)
        perfect = document["seats"].index("perfect")
        assert document["exact"]
        assert document["choices"][perfect] > 0
        assert document["regret"][perfect] == pytest.approx(0, abs=1e-6)


def test_regret_is_what_the_best_move_would_have_kept(run, log):
    document = json.loads(run(f"analyse --log {log} --game 0 --json").out)
    for move in document["moves"]:
        assert 0 <= move["regret"] <= move["chance"] <= 1
        assert (move["regret"] == 0) == (move["best"] == move["move"])
    for player in range(2):
        own = [move["regret"] for move in document["moves"] if move["player"] == player]
        assert document["regret"][player] == pytest.approx(sum(own))


def test_a_record_in_a_file_is_judged_too(run, log, tmp_path):
    record = Log(log).record(2)
    (tmp_path / "game.json").write_text(record.to_json())
    command = "analyse ur:pieces=2 --json --log"
    one = json.loads(run(f"{command} {tmp_path}/game.json").out)
    assert one["moves"] == json.loads(run(f"{command} {log} --game 2").out)["moves"]


def test_any_search_can_judge(run, log):
    out = run(f"analyse ur:pieces=2 --log {log} --game 0 --bot expectimax:depth=1").out
    assert "Estimated by expectimax:depth=1." in out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("--log {log}", "Choose a game of the log: --game N."),
        ("ur:pieces=2 --log {log}", "Choose a game of the log: --game N."),
        ("ur --log {log} --game 1", "is a log of ur:pieces=2; run `kibitz analyse ur:pieces=2 --log"),
        ("ur:pieces=2 --log {log} --game 1 --seed 1", "leave out --moves, --position and --seed"),
        ("ur:pieces=2 --game 1", "--game needs a log: --log DIR."),
        ("ur:pieces=2 --log {log} --game 99", "Game 99 is not in the log"),
    ],
)
def test_invalid_arguments_are_refused(run, log, command, sentence):
    outcome = run("analyse " + command.format(log=log))
    assert outcome.code == 2
    assert sentence in " ".join(outcome.err.split())
