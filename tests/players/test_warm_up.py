"""Warm-ups: everything is compiled before a game that counts, and no clock counts compiling."""

import json
import os
import re
import subprocess
import sys
import textwrap

import pytest
import toys
from toys import HighCard, Nim

import kibitz
from kibitz import Table
from kibitz.compiler import running_time, stats
from kibitz.compiler.compilation import compilation
from kibitz.errors import BotFault
from kibitz.players.isolation import IsolatedBot
from kibitz.players.roster import resolve
from kibitz.players.seating import Terms, make_player
from kibitz.players.warm_up import TRIAL_MOVES, rehearse, try_out
from kibitz.records.log import Log
from kibitz.sandbox.pipes import ProcessEnding

NIM = f"{toys.__file__}:Nim"
HOUR = 3600.0  # that compiling seems to take in these tests


class Notes:
    """A bot that notes what it is asked."""

    def __init__(self):
        self.views = []

    def choose(self, view):
        self.views.append(view)
        return view.moves[0]


class Raises:
    def choose(self, view):
        raise ValueError


# ------------------------------------------------------------------ games that do not count


def test_a_bot_is_tried_out_where_it_has_a_choice():
    bot = Notes()
    try_out(Nim(), bot, seconds=0.25)
    assert len(bot.views) == TRIAL_MOVES
    assert len({view.player for view in bot.views}) == 1
    assert all(len(view.moves) > 1 and view.time == 0.25 for view in bot.views)


def test_a_bot_that_fails_is_found_out_only_in_a_game():
    try_out(Nim(), Raises())


def test_a_warm_up_leaves_nothing_to_compile():
    game = HighCard()
    player = kibitz.bot("mc:sims=20", game)
    rehearse(game)
    try_out(game, player)
    before = stats.compiled, stats.loaded
    table = Table(game, seed=5)
    while not table.over:
        table.play(player.choose(table.view(table.turn)))
    assert table.payoff() and table.score()
    assert (stats.compiled, stats.loaded) == before


# ------------------------------------------------------------------ clocks


def test_the_clock_stands_still_while_a_function_is_compiled():
    @kibitz.compiled
    def thrice(x):
        return 3 * x

    spent = compilation.seconds
    before = running_time()
    assert thrice(14) == 42
    compiling = compilation.seconds - spent
    assert compiling > 0
    assert running_time() - before >= 0
    spent = compilation.seconds
    assert thrice(5) == 15
    assert compilation.seconds == spent


# Runs the command line on a machine where every function takes an hour to compile, or to load from the cache.
SLOW_COMPILER = f"""
import sys, time
from numba.core import registry
hours, clock, slept = 0, time.perf_counter, registry.CPUDispatcher.compile

def compile(self, sig):
    global hours
    hours += tuple(sig) not in self.overloads
    return slept(self, sig)

registry.CPUDispatcher.compile = compile
time.perf_counter = lambda: clock() + {HOUR} * hours
from kibitz.cli import main
try:
    main(sys.argv[1:])
finally:
    print("hours:", hours, file=sys.stderr)
"""


@pytest.fixture
def slowly(tmp_path):
    """Run a command with a slow compiler; its output."""

    def run(*words, typed=""):
        command = [sys.executable, "-c", SLOW_COMPILER, *words]
        done = subprocess.run(command, capture_output=True, text=True, input=typed, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert int(done.stderr.split()[-1]) > 0
        return done.stdout

    return run


def seconds_in(text):
    """Every number of seconds that a text mentions."""
    return [float(number) for number in re.findall(r"(\d[\d.]*) s\b", text.replace(",", ""))]


def times_in(document):
    """Every value under a key that says it is a time."""
    if isinstance(document, list):
        return [time for item in document for time in times_in(item)]
    if not isinstance(document, dict):
        return []
    own = [value for key, value in document.items() if key in ("seconds", "move_ms")]
    return own + [time for value in document.values() for time in times_in(value)]


def test_an_analysis_reports_the_time_it_searched(slowly):
    document = json.loads(slowly("analyse", NIM, "--bot", "mc:ms=30", "--json"))
    assert 0 < document["seconds"] < HOUR
    assert document["work"] > 1


def test_perft_reports_the_time_it_counted(slowly):
    assert 0 < json.loads(slowly("perft", NIM, "3", "--json"))["seconds"] < HOUR


def test_watching_shows_how_long_bots_thought(slowly):
    shown = seconds_in(slowly("watch", NIM, "mc:sims=20", "random", "--moves-only"))
    assert shown and max(shown) < HOUR


def test_playing_shows_how_long_bots_thought(slowly):
    shown = seconds_in(slowly("play", NIM, "--vs", "mc:sims=20", typed="take 1\ntake 1\n"))
    assert shown and max(shown) < HOUR


@pytest.mark.parametrize("bots", [("mc:sims=20", "random"), ("random", "greedy")])
def test_a_tournament_reports_and_logs_the_time_it_played(slowly, bots, tmp_path):
    document = json.loads(slowly("arena", "connect_four:columns=4,rows=4", *bots, "--games", "4", "--json"))
    times = times_in(document)
    assert times and max(times) < HOUR
    folder = "-".join(bots).replace(":", "")
    slowly("arena", "connect_four:columns=4,rows=4", *bots, "--games", "4", "--log", folder)
    assert 0 < Log(tmp_path / folder).games().seconds.max() < HOUR


# ------------------------------------------------------------------ bots in processes of their own


class Compiles:
    """A channel to a bot that says it compiles before each answer."""

    ending = ProcessEnding(None)

    def __init__(self):
        self.answers = []
        self.limits = []

    def send(self, line, seconds):
        question = json.loads(line)
        answer = (
            {"ready": True} if question["ask"] != "move" else {"move": question["moves"][0], "rng": question["rng"]}
        )
        self.answers = [{"compiling": "everything"}, answer]

    def receive(self, seconds):
        self.limits.append(seconds)
        return json.dumps(self.answers.pop(0)).encode()

    def close(self):
        pass


def test_a_bot_that_compiles_gets_more_time_before_the_game_but_not_in_it():
    channel = Compiles()
    bot = IsolatedBot("compiles", Nim(), lambda: channel, move_time=2.0, start_time=3.0, warm_up=True)
    bot.ready()
    before_compiling, while_compiling = channel.limits[::2], channel.limits[1::2]
    assert max(before_compiling) <= 3.0
    assert min(while_compiling) > 3.0
    channel.limits.clear()
    bot.choose(Table(Nim(), seed=1).view(0))
    assert len(channel.limits) == 2
    assert max(channel.limits) <= 2.0


SLOW_TO_COMPILE = """
import time
import kibitz
from kibitz.compiler import disk_cache
save, pauses = disk_cache.save, [{seconds}]

def save_slowly(key, payload):  # the last step of compiling
    time.sleep(pauses.pop() if pauses else 0)
    save(key, payload)

disk_cache.save = save_slowly

class Searches:
    def choose(self, view):
        return kibitz.bot("mc:sims=5", view.game).choose(view)

class Hangs:
    def choose(self, view):
        while True:
            time.sleep(1)
"""


@pytest.fixture
def slow_bots(tmp_path):
    path = tmp_path / "slow_to_compile.py"
    path.write_text(SLOW_TO_COMPILE.format(seconds=6))
    return path


def test_a_bot_that_compiles_longer_than_a_move_may_take_does_not_lose_by_it(slow_bots, tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    result = kibitz.arena(NIM, [f"{slow_bots}:Searches", "random"], games=4, seed=1, move_time=5.0, workers=1)
    assert not result.tally.faults


def test_a_bot_that_hangs_in_the_warm_up_is_only_late_in_its_games(slow_bots):
    with make_player(resolve(f"{slow_bots}:Hangs", kibitz.game(NIM)), Terms(move_time=0.3)) as bot:
        bot.check()
        with pytest.raises(BotFault) as caught:
            bot.choose(Table(Nim(), seed=1).view(0))
    assert caught.value.kind == "timeout"


# ------------------------------------------------------------------ cold and warm caches

SEARCHES = """
import kibitz

class Searches:
    def choose(self, view):
        return kibitz.bot("mc:sims=30", view.game).choose(view)
"""


@pytest.mark.slow
def test_a_tournament_is_the_same_with_an_empty_and_with_a_warm_cache(tmp_path):
    """With bots of every kind: compiled players, searches, and a bot from a file that searches."""
    (tmp_path / "bot.py").write_text(textwrap.dedent(SEARCHES))
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path / "cache")}
    bots = ["bot.py:Searches", "mc:sims=30", "random"]
    command = [sys.executable, "-m", "kibitz", "arena", NIM, *bots, "--games", "12", "--seed", "3", "--json"]
    command += ["--move-time", "20", "--secret", "0123456789abcdef" * 2]
    documents = []
    for state in ("cold", "warm"):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("Compiling" in done.stderr) == (state == "cold")
        documents.append(without_times(json.loads(done.stdout)))
    assert documents[0] == documents[1]


# The commands for people, one after another in one process; each has a search of its own to compile.
COMMANDS = f"""
import io, re, sys
from kibitz.cli import main

for words, typed in (
    ("analyse {NIM} --bot mc:sims=30 --seed 1", ""),
    ("watch {NIM} alphabeta:depth=3 random --seed 1 --moves-only", ""),
    ("play {NIM} --vs greedy --hint uct:sims=30 --seed 1", "hint\\ntake 1\\nquit\\n"),
):
    sys.stdin = io.StringIO(typed)
    try:
        main(words.split())
    except SystemExit as end:
        print("exit", end.code)
"""


@pytest.mark.slow
def test_commands_say_the_same_with_an_empty_and_with_a_warm_cache(tmp_path):
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path)}
    cold, warm = (
        subprocess.run([sys.executable, "-c", COMMANDS], capture_output=True, text=True, env=environment, check=True)
        for _ in range(2)
    )
    assert "Compiling" in cold.stderr
    assert warm.stderr == ""
    assert cold.stdout.count("exit 0") == 3
    assert re.sub(r"\d+\.\d\d s", "", cold.stdout) == re.sub(r"\d+\.\d\d s", "", warm.stdout)


def without_times(document):
    if isinstance(document, list):
        return [without_times(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {k: without_times(v) for k, v in document.items() if k not in ("seconds", "move_ms")}
