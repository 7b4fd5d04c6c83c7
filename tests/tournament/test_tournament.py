"""Tournaments from specs to result: the same whichever executor plays, however often they are interrupted."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from logged_games import equal
from processes import LONG
from toys import Centipede, Chips, DiceRace, HighCard, Nim, ThreePurses

import kibitz
from kibitz import KibitzError, SpecError
from kibitz.players import roster
from kibitz.records.games import Games, Outcome, forfeit
from kibitz.records.journal import Journal
from kibitz.records.log import Log, LogWriter
from kibitz.tournament import tournament
from kibitz.tournament.interrupts import Interrupts
from kibitz.tournament.schedule import GAUNTLET

TOYS = Path(__file__).parent.parent / "toys.py"
SMALL = "connect_four:columns=4,rows=4"
DICE = f"{TOYS}:DiceRace:goal=6"
BOTS = """
import os, time

class First:
    def choose(self, view):
        return view.moves[0]

class Draws:
    def choose(self, view):
        return view.rng.choice(view.moves)

class Raises:
    def choose(self, view):
        raise ValueError("no idea")

class Cheats:
    def choose(self, view):
        return 99

class Sleeps:
    def choose(self, view):
        time.sleep(60)

class Dies:
    def choose(self, view):
        os._exit(3)

class Hoards:
    def choose(self, view):
        self.hoard = bytes(10**10)
        return view.moves[0]
"""


@pytest.fixture
def bots(tmp_path):
    path = tmp_path / "arena_bots.py"
    path.write_text(BOTS)
    return path


def timeless(result):
    """A summary without everything that depends on the clock or on what was already in the log."""
    summary = result.summary()
    del summary["seconds"], summary["resumed"]
    for standing in summary["standings"]:
        del standing["move_ms"]
    return summary


# ------------------------------------------------------------------ one seed, one result


@pytest.mark.parametrize(
    ("game", "specs"),
    [
        ("connect_four", ["random", "greedy"]),
        (SMALL, ["mc:sims=2", "random", "{bots}:Draws"]),
        (DICE, ["random", "mc:sims=2"]),
        (f"{TOYS}:HighCard", ["random", "mc:sims=1", "random", "random"]),
    ],
    ids=["compiled", "pool", "chance", "table of three"],
)
def test_the_result_is_the_same_with_one_and_two_workers_and_in_plain_mode(bots, game, specs):
    specs = [spec.format(bots=bots) for spec in specs]
    one, two = (timeless(kibitz.arena(game, specs, games=24, seed=3, workers=workers)) for workers in (1, 2))
    assert one == two
    with kibitz.plain():
        assert timeless(kibitz.arena(game, specs, games=24, seed=3, workers=1)) == one


def test_bots_draw_different_numbers_in_every_game():
    result = kibitz.arena("connect_four", ["random", "random"], games=200, seed=1)
    assert len(result.tally.lengths) > 10


def test_another_seed_gives_other_games():
    first, second = (kibitz.arena("connect_four", ["random", "random"], games=50, seed=seed) for seed in (1, 2))
    assert first.tally.lengths != second.tally.lengths


def test_rotations_have_the_same_dice(bots):
    pairs = kibitz.arena(DICE, [f"{bots}:First", f"{bots}:First"], games=20, seed=1, workers=1)
    assert pairs.ranking[0].share.share == 0.5  # only the dice decide, and both bots have had the same


def test_unpaired_every_game_has_its_own_dice():
    rules = DiceRace(goal=6)
    result = kibitz.arena(rules, ["random", "random"], games=60, seed=1, paired=False)
    assert result.tally.groups == 60


# ------------------------------------------------------------------ formats


def test_in_a_round_robin_every_bot_meets_every_other():
    result = kibitz.arena("connect_four", ["random"] * 3, games=12, seed=0)
    assert result.tally.pairs.games.tolist() == [[0, 4, 4], [4, 0, 4], [4, 4, 0]]


def test_in_a_gauntlet_the_first_meets_the_others():
    result = kibitz.arena("connect_four", ["greedy", "random", "random"], games=12, format=GAUNTLET, seed=0)
    assert result.tally.pairs.games.tolist() == [[0, 6, 6], [6, 0, 0], [6, 0, 0]]
    assert result.ranking[0].bot == "greedy"


def test_at_a_table_of_three_every_combination_of_bots_plays():
    result = kibitz.arena(HighCard(), ["random"] * 4, games=24, seed=0)
    assert result.tally.bots.games.tolist() == [18] * 4
    assert result.tally.bots.payoff.sum() == pytest.approx(24)


# ------------------------------------------------------------------ faults


def test_faults_end_one_game_and_are_counted_by_kind(bots):
    kinds = {"Raises": "exception", "Cheats": "illegal move", "Dies": "crash"}
    specs = ["random", *(f"{bots}:{name}" for name in kinds)]
    result = kibitz.arena(SMALL, specs, games=12, format=GAUNTLET, move_time=LONG, workers=1, seed=0)
    assert result.played == 12
    faults = {standing.bot.rpartition(":")[2]: dict(standing.faults) for standing in result.ranking}
    assert faults == {"random": {}, **{name: {kind: 4} for name, kind in kinds.items()}}
    assert result.ranking[0].share.share == 1.0
    assert "no idea" in next(words for _, bot, words in result.tally.fault_words if bot == 1)


def test_a_bot_that_exceeds_the_time_limit_loses_by_timeout(bots):
    result = kibitz.arena(SMALL, ["random", f"{bots}:Sleeps"], games=4, move_time=0.3, workers=1, seed=0)
    assert [dict(standing.faults) for standing in result.ranking] == [{}, {"timeout": 4}]
    assert result.ranking[0].share.share == 1.0


def test_a_bot_that_allocates_too_much_loses_and_the_tournament_goes_on(bots):
    result = kibitz.arena(SMALL, ["random", f"{bots}:Hoards"], games=4, move_time=LONG, bot_memory=1, workers=1)
    assert [dict(standing.faults) for standing in result.ranking] == [{}, {"exception": 4}]
    assert "MemoryError" in result.tally.fault_words[0][2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bots": []}, "at least one bot"),
        ({"bots": "random"}, "needs a list of bots"),
        ({"games": 0}, "number of games must be a whole number of at least 1"),
        ({"workers": 0}, "number of workers must be a whole number of at least 1"),
        ({"workers": 10**9}, "number of workers must be at most 512, not 1,000,000,000"),
        ({"bot_memory": 0}, "from 0.5 to 1,000,000 GB of memory, not 0"),
        ({"bot_memory": float("nan")}, "GB of memory, not nan"),
        ({"format": "swiss"}, "no format 'swiss'"),
        ({"resume": True}, "give its log"),
        ({"sprt": "elo0=0,elo1=10"}, "exactly two bots"),
        ({"move_time": 0, "bots": ["{bots}:First"]}, "more than 0 seconds"),
    ],
)
def test_impossible_tournaments_are_refused(bots, arguments, message):
    arguments = {"game": "connect_four", "bots": ["random"], **arguments}
    if isinstance(arguments["bots"], list):
        arguments["bots"] = [spec.format(bots=bots) for spec in arguments["bots"]]
    with pytest.raises(KibitzError, match=message):
        kibitz.arena(**arguments)


def test_an_unknown_bot_is_refused_before_anything_is_played(bots, tmp_path):
    with pytest.raises(SpecError, match="Did you mean random"):
        kibitz.arena("connect_four", ["random", "randon"], log=tmp_path / "log", seed=0)
    with pytest.raises(SpecError, match="called 'Last'"):
        kibitz.arena("connect_four", ["random", f"{bots}:Last"], log=tmp_path / "log", seed=0)
    assert not (tmp_path / "log").exists()


# ------------------------------------------------------------------ the sequential test


@pytest.mark.parametrize("specs", [["greedy", "random"], ["greedy", "{bots}:Draws"]], ids=["threads", "processes"])
def test_the_sequential_test_stops_at_the_same_game_with_any_number_of_workers(bots, specs):
    specs = [spec.format(bots=bots) for spec in specs]
    one, two = (
        kibitz.arena("connect_four", specs, games=5000, seed=1, sprt="elo0=0,elo1=100", workers=workers)
        for workers in (1, 2)
    )
    assert one.decision == "accept H1"
    assert one.played < 500
    assert timeless(one) == timeless(two)


def test_the_sequential_test_stops_at_the_first_group_that_decides():
    arguments = {"game": "connect_four", "bots": ["greedy", "random"], "seed": 1, "sprt": "elo0=0,elo1=100"}
    stopped = kibitz.arena(games=5000, **arguments)
    assert stopped.tally.groups < 100
    before = kibitz.arena(games=stopped.played - 2, **arguments)
    assert before.decision is None


def test_an_undecided_test_plays_all_games():
    result = kibitz.arena("connect_four", ["random", "random"], games=40, sprt="elo0=0,elo1=5", seed=0)
    assert (result.played, result.decision) == (40, None)


# ------------------------------------------------------------------ logs


@pytest.mark.parametrize("specs", [["random", "greedy"], ["random", "{bots}:Draws"]], ids=["compiled", "python"])
def test_the_log_contains_every_game_of_the_result(bots, tmp_path, specs):
    specs = [spec.format(bots=bots) for spec in specs]
    result = kibitz.arena(SMALL, specs, games=30, seed=2, log=tmp_path / "log")
    log = Log(tmp_path / "log")
    games = log.games()
    assert games.game.tolist() == list(range(30))
    assert games.payoff[games.bots == 0].sum() == result.tally.bots.payoff[0]
    assert log.record(17).payoff == tuple(games.payoff[17])


@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
def test_a_full_disk_ends_a_tournament_with_that_sentence_whoever_finds_out(tmp_path, monkeypatch, engine):
    append, appended = Journal.append, []

    def filling_up(journal, payload):
        if len(appended) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        appended.append(payload)
        append(journal, payload)

    monkeypatch.setattr(Journal, "append", filling_up)
    workers = None if engine == "serial" else 2
    with pytest.raises(KibitzError, match="the disk is full; the games in it are safe, so resume it later"):
        kibitz.arena("connect_four", ["random", "random"], games=10**6, engine=engine, workers=workers, log=tmp_path)
    monkeypatch.undo()
    assert len(Log(tmp_path).finished())


def test_resuming_a_finished_tournament_gives_the_same_result_without_playing(bots, tmp_path):
    arguments = {"game": SMALL, "bots": ["random", f"{bots}:Draws"], "games": 20, "log": tmp_path / "log"}
    first = kibitz.arena(**arguments)
    again = kibitz.arena(**arguments, resume=True)
    assert again.resumed == 20
    assert again.summary() == {**first.summary(), "seconds": again.summary()["seconds"], "resumed": 20}


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 8},
        {"games": 22},
        {"bots": ["greedy", "random"]},
        {"game": "connect_four"},
        {"paired": False},
        {"format": GAUNTLET},
        {"move_time": 1.0},
        {"sprt": "elo0=0,elo1=5"},
        {"keep_moves": False},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_log_of_another_tournament_is_refused_and_left_alone(tmp_path, other):
    arguments = {"game": SMALL, "bots": ["random", "greedy"], "games": 20, "seed": 7, "log": tmp_path / "log"}
    kibitz.arena(**arguments)
    before = {path.name: path.read_bytes() for path in (tmp_path / "log").iterdir()}
    with pytest.raises(KibitzError, match=rf"another tournament \({next(iter(other))}: "):
        kibitz.arena(**{**arguments, **other}, resume=True)
    with pytest.raises(KibitzError, match="already contains the log"):
        kibitz.arena(**arguments)
    assert {path.name: path.read_bytes() for path in (tmp_path / "log").iterdir()} == before


def test_games_missing_anywhere_in_the_log_are_played(tmp_path):
    """Workers finish out of order, so a killed tournament may lack games in the middle."""
    arguments = {"game": SMALL, "bots": ["random", "greedy", "random"], "games": 50, "seed": 7}
    whole = kibitz.arena(**arguments, log=tmp_path / "whole")
    log = Log(tmp_path / "whole")
    kept = [number for number in range(50) if number % 7 and not 20 < number < 33]
    with LogWriter(tmp_path / "part", log.tournament) as writer:
        writer.write(log.games().rows(np.array(kept)))
    part = kibitz.arena(**arguments, log=tmp_path / "part", resume=True)
    assert part.resumed == len(kept)
    assert timeless(part) == timeless(whole)
    assert same_log(tmp_path / "part", tmp_path / "whole")


def test_a_tournament_can_be_logged_without_moves(tmp_path):
    arguments = {"game": SMALL, "bots": ["random", "greedy"], "games": 20, "seed": 7}
    with_moves = kibitz.arena(**arguments, log=tmp_path / "with")
    without = kibitz.arena(**arguments, log=tmp_path / "without", keep_moves=False)
    assert timeless(without) == timeless(with_moves)
    games, expected = (Log(tmp_path / folder).games() for folder in ("without", "with"))
    assert (Log(tmp_path / "without").has_moves, Log(tmp_path / "with").has_moves) == (False, True)
    games.seconds = expected.seconds
    expected.turns, expected.moves = [np.zeros(0, "i1")] * 20, [np.zeros(0, "i4")] * 20
    assert equal(games, expected)


def test_resuming_reads_no_moves_and_only_a_few_games_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("kibitz.records.log.PART_BYTES", 1)
    monkeypatch.setattr(tournament, "CHUNK_GAMES", 10)
    arguments = {"game": SMALL, "bots": ["random", "greedy"], "games": 60, "seed": 7, "workers": 1}
    whole = kibitz.arena(**arguments, log=tmp_path / "log")
    monkeypatch.setattr("kibitz.records.log.READ_AT_ONCE", 8)
    sizes, read = [], Log.tables

    def watched(log, columns):
        assert not {"turns", "moves"} & set(columns)
        for table in read(log, columns):
            sizes.append(len(table))
            yield table

    monkeypatch.setattr(Log, "tables", watched)
    for part in sorted((tmp_path / "log").glob("*.parquet"))[1::3]:
        part.unlink()
    resumed = kibitz.arena(**arguments, log=tmp_path / "log", resume=True)
    assert timeless(resumed) == timeless(whole)
    assert sum(sizes) == resumed.resumed < 60
    assert max(sizes) < 16


def same_log(some, others):
    """Whether two logs contain the same games, ignoring times."""
    batches = [Log(folder).games() for folder in (some, others)]
    for games in batches:
        games.seconds = np.zeros_like(games.seconds)
    return equal(*batches)


# ------------------------------------------------------------------ killed and interrupted

KILLED = """
import json, os, signal, sys, threading
import kibitz
from kibitz.records.log import LogWriter

arguments, left, seconds = json.loads(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
kill = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
write = LogWriter.write

def counted_write(self, games):
    global left
    write(self, games)
    if left > 0 >= left - len(games):
        kill.start()
    left -= len(games)

LogWriter.write = counted_write
kibitz.arena(**arguments, resume=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("specs", "games", "workers", "most"),
    [
        (["random", "greedy", "random"], 60_000, 2, 5000),
        (["random", "{bots}:Draws"], 120, 1, 32),
        (["mc:sims=20", "mc:sims=10"], 700, 2, 180),
    ],
    ids=["compiled", "isolated", "processes"],
)
def test_killed_at_any_moment_and_resumed_the_tournament_is_the_same(bots, tmp_path, specs, games, workers, most):
    """Each time, the tournament kills itself a moment after it has logged another `most` games at most."""
    specs = [spec.format(bots=bots) for spec in specs]
    arguments = {"game": SMALL, "bots": specs, "games": games, "seed": 5, "secret": "5" * 32, "workers": workers}
    whole = kibitz.arena(**arguments, log=tmp_path / "whole")
    moments, finished = random.Random(1), []
    folder = tmp_path / "killed"
    for _ in range(3):
        command = [sys.executable, "-c", KILLED, json.dumps({**arguments, "log": str(folder)})]
        command += [str(moments.randint(1, most)), str(moments.uniform(0, 0.05))]
        assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode == -signal.SIGKILL
        finished.append(count(folder))
    assert 0 < finished[0] < finished[1] < finished[2] < games
    resumed = kibitz.arena(**arguments, log=folder, resume=True)
    assert resumed.resumed == finished[-1]
    assert timeless(resumed) == timeless(whole)
    assert same_log(folder, tmp_path / "whole")


def count(folder):
    """The number of games in a log so far."""
    try:
        return len(Log(folder).finished())
    except KibitzError:  # it does not exist yet
        return 0


@pytest.mark.parametrize("specs", [["random", "greedy"], ["random", "{bots}:Draws"]], ids=["compiled", "python"])
def test_ctrl_c_keeps_what_is_finished(bots, tmp_path, specs):
    arguments = {"game": SMALL, "bots": [spec.format(bots=bots) for spec in specs], "games": 10**7, "seed": 5}

    def press(result):
        os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    interrupted = kibitz.arena(**arguments, log=tmp_path / "log", progress=press)
    assert signal.getsignal(signal.SIGINT) is handler
    assert interrupted.interrupted
    assert 0 < interrupted.played < 10**7
    assert interrupted.played == count(tmp_path / "log")


def test_a_log_can_be_written_from_another_thread(tmp_path):
    """Only the main thread can handle Ctrl-C."""
    results = []
    thread = threading.Thread(
        target=lambda: results.append(kibitz.arena(SMALL, ["random", "random"], games=20, log=tmp_path / "log", seed=0))
    )
    thread.start()
    thread.join()
    assert results[0].played == count(tmp_path / "log") == 20


def test_an_interrupt_waits_until_a_batch_is_counted():
    done = []

    def count_batch(interrupts):
        with interrupts.held():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("counted")
        done.append("never")

    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        count_batch(interrupts)
    assert done == ["counted"]


# ------------------------------------------------------------------ progress


def test_progress_is_reported_regularly_and_grows(monkeypatch):
    monkeypatch.setattr(tournament, "SHOW_SECONDS", 0.0)
    monkeypatch.setattr(tournament, "SHOW_EFFORT", 1.0)
    seen = []
    result = kibitz.arena("connect_four", ["random"], games=2000, workers=1, progress=seen.append, seed=0)
    games = [so_far.played for so_far in seen]
    assert games == sorted(games)
    assert games[0] < games[-1] <= result.played == 2000  # each is a snapshot


def test_each_spec_is_resolved_once(monkeypatch):
    resolved = []
    find = roster._find
    monkeypatch.setattr(roster, "_find", lambda parsed, *rest: resolved.append(parsed.name) or find(parsed, *rest))
    kibitz.arena("connect_four:columns=4,rows=4", ["mc:sims=1", "random"], games=4, seed=1, workers=1)
    assert sorted(resolved) == ["mc", "random"]


def test_a_limit_applies_to_every_search():
    """Two bots that differ only in their limits play like two equal ones if they are given the same limit."""
    small = "connect_four:columns=4,rows=4"
    limited = kibitz.arena(small, ["mc:sims=300", "mc:sims=2"], games=20, seed=1, limit="sims=1", workers=1)
    equal = kibitz.arena(small, ["mc:sims=1", "mc:sims=1"], games=20, seed=1, workers=1)
    assert limited.seats == equal.seats
    assert limited.tally.lengths == equal.tally.lengths
    assert limited.reproducible
    assert not kibitz.arena(small, ["mc", "random"], games=2, limit="ms=1", workers=1, seed=0).reproducible


def test_the_limit_is_part_of_the_tournament_in_a_log(tmp_path):
    small, bots = "connect_four:columns=4,rows=4", ["mc", "random"]
    kibitz.arena(small, bots, games=2, limit="sims=1", log=tmp_path / "log", workers=1, seed=0)
    assert Log(tmp_path / "log").tournament["limit"] == "sims=1"
    with pytest.raises(KibitzError, match="limit"):
        kibitz.arena(small, bots, games=2, log=tmp_path / "log", resume=True, workers=1)


# ------------------------------------------------------------------ utilities


def test_a_log_keeps_utilities_as_the_rules_wrote_them(tmp_path):
    with kibitz.plain():
        kibitz.arena(Chips(seed=3), ["random", "random"], games=20, log=tmp_path / "log")
    games = Log(tmp_path / "log").games()
    assert set(games.payoff.ravel()) <= set(range(-3, 4))
    assert (games.payoff.sum(axis=1) == 0).all()
    assert (games.payoff < 0).any()


def test_a_fault_costs_as_much_as_a_player_can_lose():
    games = Games.empty(2, 3)
    games.fault_seat[:] = 0, 2
    forfeit(ThreePurses(), games, 1, Outcome.CRASH, "It crashed.")
    assert games.payoff.tolist() == [[0, 0, 0], [1, 1, -2]]
    assert (games.outcome[1], games.fault[1]) == (Outcome.CRASH, "It crashed.")
    assert np.isnan(games.score[1]).all()


@pytest.mark.parametrize(
    ("rules", "payoff", "words"),
    [
        (Nim(), [1.0, 0.0], None),
        (Nim(), [0.75, 0.75], "the shares do not sum to 1"),
        (Nim(), [1.5, -0.5], "not every payoff is from 0 to 1"),
        (Chips(), [-3, 3], None),
        (Chips(), [1, 1], "the utilities do not sum to 0"),
        (Chips(), [-4, 4], "not every payoff is from -3 to 3"),
        (Centipede(), [7, 3], None),
        (Centipede(), [8, 3], "not every payoff is from 0 to 7"),
    ],
)
def test_payoffs_must_keep_to_their_bounds_and_their_sum(rules, payoff, words):
    assert tournament.wrong_payoffs(rules, np.array([rules.forfeit_by(0), payoff])) == words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 1.5}, r"The number of games must be a whole number of at least 1, not 1\.5\."),
        ({"games": 0}, "The number of games must be a whole number of at least 1, not 0"),
        ({"games": "10"}, "The number of games must be a whole number of at least 1, not '10'"),
        ({"games": True}, "not True"),
        ({"workers": 0}, "The number of workers must be a whole number of at least 1, not 0"),
        ({"workers": 1.5}, "The number of workers"),
        ({"opening": -1}, "The number of random opening moves must be a whole number of at least 0, not -1"),
        ({"seed": 1.5}, r"A seed is a whole number or a text, not 1\.5\."),
    ],
)
def test_numbers_that_make_no_sense_are_refused(options, message):
    with pytest.raises(KibitzError, match=message):
        kibitz.arena("connect_four", ["random"], **options)


def test_integers_of_numpy_are_numbers():
    result = kibitz.arena("connect_four", ["random"], games=np.int64(2), seed=np.uint8(7), workers=np.int8(1))
    assert (result.played, result.seed) == (2, 7)
    assert type(result.seed) is int
