"""The secret of a tournament: no bot can compute its luck, and together with the seed it reproduces every game."""

import json
import os
import signal
import stat
from pathlib import Path

import numpy as np
import pytest
import spies
from logged_games import equal
from processes import LONG
from toys import DiceRace, HighCard

import kibitz
from kibitz import KibitzError
from kibitz.players.roster import resolve_all
from kibitz.players.seating import Terms
from kibitz.records.log import INDEX, Log, LogWriter
from kibitz.records.secret import SECRET_FILE
from kibitz.report.report import result_of
from kibitz.rules import rng
from kibitz.tournament import tournament
from kibitz.tournament.match import Match

SECRET, OTHER = "0123456789abcdef" * 2, "f" * 32
SMALL = "connect_four:columns=4,rows=4"
TOYS = Path(__file__).parent.parent / "toys.py"
CARDS = f"{TOYS}:HighCard"
SPY = f"{spies.__file__}:Cards"
SEED = 4711  # one of those that spies try
SHIPPED = {"game": SMALL, "bots": ["random", "greedy"], "games": 40, "seed": 7, "secret": SECRET}
BOTS = """
class Draws:
    def choose(self, view):
        return view.rng.choice(view.moves)
"""


@pytest.fixture
def draws(tmp_path):
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return f"{path}:Draws"


def first_game(secret):
    """The words of the fault in the first game between a spy and two others."""
    game = kibitz.game(CARDS)
    match = Match(game, resolve_all([SPY, "random", "random"], game), SEED, Terms(LONG), secret=secret)
    try:
        return match.play(np.array([0]), np.array([0]), np.array([[0, 1, 2]], "i2"), keep_moves=False).fault[0]
    finally:
        match.close()


def logged(folder):
    games = Log(folder).games()
    games.seconds = np.zeros_like(games.seconds)
    return games


def played(folder, **arguments):
    """The games of a tournament."""
    kibitz.arena(**{**SHIPPED, **arguments}, log=folder)
    return logged(folder)


# ------------------------------------------------------------------ cheating


def test_without_a_secret_a_bot_finds_the_seed_by_its_own_stream_and_knows_all_hands():
    with kibitz.plain():
        deal = [ply.move for ply in kibitz.Table(CARDS, SEED).history]
    assert f"Found in line {spy_line()}: seed {SEED}, dealt {deal}" in first_game(secret=None)


def spy_line():
    lines = Path(spies.__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if "raise Found" in line)


def test_a_tournament_with_a_bot_from_a_file_has_a_secret_and_the_bot_finds_nothing():
    result = kibitz.arena(CARDS, [SPY, "random", "random"], games=3, seed=SEED, move_time=LONG, workers=1)
    assert result.has_secret
    assert result.secret == rng.fresh_secret()
    assert not result.tally.fault_words


def foretold(secret):
    """What a spy says about the next die, and what it is."""
    with kibitz.plain():
        table = kibitz.Table(DiceRace(goal=60), SEED, secret=secret)
        said, spy = "", spies.Dice()
        while not table.over and not said:
            try:
                table.play(spy.choose(table.view(table.turn)))
            except spies.Found as found:
                said = str(found)
        table.play("roll") if said else None
        return said, table.history[-1].move


def test_without_a_secret_a_bot_finds_the_seed_by_the_dice_it_saw_and_foretells_the_next():
    said, die = foretold(secret=None)
    assert said == f"seed {SEED}, next {die}"


def test_with_a_secret_no_seed_explains_the_dice():
    assert foretold(SECRET)[0] == ""


# ------------------------------------------------------------------ one seed and one secret, one result


def test_games_between_shipped_bots_are_the_same_as_before_there_were_secrets():
    with kibitz.plain():
        dealt = kibitz.Table(HighCard(), 7, number=2, luck=1)
        race = kibitz.Table(DiceRace(goal=10), 4)
        while not race.over:
            race.play("roll")
    assert [ply.move for ply in dealt.history] == [4, 3, 6, 0, 1, 2]
    assert [ply.move for ply in race.history if ply.turn == kibitz.CHANCE] == [3, 4, 1, 1, 1, 4, 1, 4]
    result = kibitz.arena("connect_four", ["random", "greedy"], games=50, seed=1, workers=1)
    assert not result.has_secret
    assert result.secret is None
    assert result.tally.bots.payoff.tolist() == [2.0, 48.0]
    assert (result.tally.lengths[7], result.tally.lengths[8], result.tally.lengths[24]) == (17, 11, 1)


def test_bots_of_this_program_need_no_secret():
    class First:
        def choose(self, view):
            return view.moves[0]

    with kibitz.plain():
        assert not kibitz.arena(SMALL, [First, "random"], games=2, seed=1).has_secret


def test_seed_and_secret_give_the_same_games_on_every_engine(draws, tmp_path):
    what = {"game": f"{TOYS}:DiceRace:goal=6", "bots": ["random", draws], "games": 6}
    serial = played(tmp_path / "serial", **what, engine="serial")
    for engine in ("threads", "processes"):
        assert equal(serial, played(tmp_path / engine, **what, engine=engine, workers=2))


def test_another_secret_gives_other_games_compiled_and_in_python(tmp_path):
    whole, again = played(tmp_path / "one"), played(tmp_path / "again", secret=SECRET.upper())
    assert equal(whole, again)
    assert not equal(whole, played(tmp_path / "other", secret=OTHER))
    assert not equal(whole, played(tmp_path / "none", secret=None))
    with kibitz.plain():
        assert equal(whole, played(tmp_path / "plain"))


def test_the_opening_depends_on_the_secret_too(tmp_path):
    compiled = played(tmp_path / "compiled", opening=3)
    with kibitz.plain():
        assert equal(compiled, played(tmp_path / "plain", opening=3))
        other = played(tmp_path / "other", opening=3, secret=OTHER)
    assert [moves[:3].tolist() for moves in compiled.moves] != [moves[:3].tolist() for moves in other.moves]


@pytest.mark.parametrize("secret", ["", "abc", "g" * 32, SECRET + "0", 5])
def test_a_secret_that_is_none_is_refused(secret):
    with pytest.raises(KibitzError, match="A secret consists of 32 hexadecimal digits, unlike"):
        kibitz.arena(SMALL, ["random", "greedy"], secret=secret)


# ------------------------------------------------------------------ kept, published, checked


def test_the_secret_is_in_a_file_of_its_owner_until_it_is_published_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tournament, "SHOW_SECONDS", 0.0)
    during = []

    def look(result):
        files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        holders = [name for name, content in files.items() if SECRET.encode() in content]
        mode = stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode)
        during.append((holders, mode, result.secret, SECRET in str(result) + result.to_json()))

    result = kibitz.arena(**{**SHIPPED, "games": 5000}, log=tmp_path, workers=1, progress=look)
    assert during
    assert all(seen == ([SECRET_FILE], 0o600, None, False) for seen in during)
    assert result.secret == json.loads(result.to_json())["secret"] == SECRET
    assert f"Secret: {SECRET}." in str(result)
    assert not (tmp_path / SECRET_FILE).exists()
    log = Log(tmp_path)
    assert log.secret == log.record(3).secret == result_of(log).secret == SECRET


def test_an_interrupted_tournament_keeps_its_secret_and_goes_on_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tournament, "SHOW_SECONDS", 0.0)
    arguments = {**SHIPPED, "games": 20_000}
    whole = played(tmp_path / "whole", games=20_000)
    log = tmp_path / "part"
    part = kibitz.arena(**arguments, log=log, workers=1, progress=lambda result: os.kill(os.getpid(), signal.SIGINT))
    assert part.interrupted
    assert part.has_secret
    assert part.secret is None
    assert "Secret: published when the tournament is over." in str(part)
    assert Log(log).has_secret
    assert Log(log).secret is None
    assert (log / SECRET_FILE).read_text().strip() == SECRET
    del arguments["secret"], arguments["seed"]
    resumed = kibitz.arena(**arguments, log=log, resume=True)
    assert resumed.resumed == part.played
    assert (resumed.seed, resumed.secret) == (7, SECRET)
    assert equal(logged(log), whole)


def test_without_a_log_an_interrupted_tournament_cannot_go_on_and_tells_its_secret(monkeypatch):
    monkeypatch.setattr(tournament, "SHOW_SECONDS", 0.0)
    arguments = {**SHIPPED, "games": 10**7}
    result = kibitz.arena(**arguments, workers=1, progress=lambda result: os.kill(os.getpid(), signal.SIGINT))
    assert result.interrupted
    assert result.secret == SECRET


def begun(folder, secret=SECRET):
    """The arguments that resume a log with half of the games, as if the tournament had been killed."""
    arguments = {**SHIPPED, "secret": secret}
    kibitz.arena(**arguments, log=folder / "whole")
    whole = Log(folder / "whole")
    with LogWriter(folder / "part", whole.tournament, secret=secret) as writer:
        writer.write(whole.games().rows(slice(0, 20)))
    return {**arguments, "seed": None, "secret": None, "log": folder / "part", "resume": True}


def edit(folder, **values):
    path = folder / INDEX
    index = json.loads(path.read_text())
    index["tournament"] |= values
    path.write_text(json.dumps(index))


@pytest.mark.parametrize("secret", [SECRET, None])
def test_a_seed_edited_in_the_log_is_noticed(tmp_path, secret):
    arguments = begun(tmp_path, secret)
    edit(tmp_path / "part", seed=8)
    with pytest.raises(KibitzError, match=r"tournament\.json.* is not what it began with"):
        kibitz.arena(**arguments)
    edit(tmp_path / "part", seed=7)
    assert kibitz.arena(**arguments).resumed == 20


def test_another_secret_does_not_resume_a_tournament(tmp_path):
    arguments = begun(tmp_path)
    with pytest.raises(KibitzError, match=r"tournament\.json or its secret is not what it began with"):
        kibitz.arena(**{**arguments, "secret": OTHER})
    (tmp_path / "part" / SECRET_FILE).write_text("damaged")
    with pytest.raises(KibitzError, match="holds the secret of the tournament"):
        kibitz.arena(**arguments)
    (tmp_path / "part" / SECRET_FILE).unlink()
    with pytest.raises(KibitzError, match="the secret of the tournament, is missing"):
        kibitz.arena(**arguments)
    assert kibitz.arena(**{**arguments, "secret": SECRET}).secret == SECRET


def test_a_finished_tournament_is_resumed_with_its_published_secret(tmp_path):
    kibitz.arena(**SHIPPED, log=tmp_path)
    again = kibitz.arena(**{**SHIPPED, "secret": None}, log=tmp_path, resume=True)
    assert (again.resumed, again.secret) == (40, SECRET)


def test_a_log_from_before_there_were_commitments_can_be_resumed(tmp_path):
    arguments = begun(tmp_path, secret=None)
    path = tmp_path / "part" / INDEX
    index = json.loads(path.read_text())
    del index["commitment"]
    path.write_text(json.dumps(index))
    assert kibitz.arena(**arguments).resumed == 20


def test_a_secret_left_by_a_tournament_that_died_before_its_log_began_is_replaced(tmp_path):
    (tmp_path / SECRET_FILE).write_text(OTHER)
    assert kibitz.arena(**SHIPPED, log=tmp_path, resume=True).secret == SECRET
