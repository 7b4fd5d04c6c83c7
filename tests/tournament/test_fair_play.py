"""No stranger's bot knows in one game what it saw in another, unless it learns, and then it never meets that luck."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import memories
import numpy as np
import pytest
import rogues
import toys
from processes import LONG, wait_for
from trials import LEVELS, SECRET

import kibitz
from kibitz.compiler import disk_cache
from kibitz.errors import KibitzError, SpecError
from kibitz.players.guest_cache import guest_cache
from kibitz.players.roster import resolve_all
from kibitz.players.seating import terms_for
from kibitz.records.log import Log
from kibitz.sandbox.bubblewrap import wrapped
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.policy import Policy, python_paths
from kibitz.tournament.match import Match
from kibitz.tournament.schedule import Schedule

DICE, CARDS = f"{toys.__file__}:DiceRace", f"{toys.__file__}:HighCard"
LEARNER = """
import json

seen = []

class Learner:
    learns = True

    def choose(self, view):
        if len(seen) == 5:
            raise RuntimeError(f"{len(seen)} games before, {len({json.dumps(dice) for dice in seen})} different")
        return view.moves[-1]

    def game_over(self, view, payoff):
        seen.append([ply.move for ply in view.history if ply.turn == -1])
"""


@pytest.fixture
def remembers(tmp_path, monkeypatch):
    """The folder of bots that remember, wherever they can; what they leave is removed."""
    monkeypatch.setattr(memories, "OWN", tmp_path / "memories.py")
    shutil.copy(memories.__file__, tmp_path)
    (tmp_path / "name").write_text(f"memory-{os.getpid()}")
    (tmp_path / "usual").write_text(json.dumps(memories.settings()))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for memory in memories.PLACES.values():
        if hasattr(memory, "forget"):
            memory.forget()
    for folder in disk_cache.folder(), guest_cache():
        (folder / memories.name()).unlink(missing_ok=True)


def paired(game, spec, level=LEVELS[0]):
    """The messages of faults in a group of games with the same luck, in all rotations of the seats."""
    with kibitz.plain():
        rules = kibitz.game(game)
        specs = [spec, *["random"] * (rules.players - 1)]
        entrants, number = resolve_all(specs, rules), np.arange(rules.players)
        schedule = Schedule(rules.players, len(specs), len(number))
        match = Match(rules, entrants, 1, terms_for(entrants, level, LONG), secret=SECRET)
        try:
            return match.play(number, schedule.group(number), schedule.seats(number), keep_moves=False).fault
        finally:
            match.close()


def found(message):
    """Where a bot remembered a game, and what."""
    if not message:
        return set(), None
    places, words = re.search(r"Found.*: in (\[[\d, ]*\]): (.*)", message).groups()
    return {list(memories.PLACES)[number] for number in json.loads(places)}, words


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["bot", "program"])
def test_a_bot_remembers_nothing_of_the_first_game_of_a_pair_in_the_second(remembers, kind, level):
    bot = f"{remembers}/memories.py:Remembers" if kind == "bot" else f"cmd:{sys.executable} {remembers}/memories.py"
    first, second = paired(DICE, bot, level)
    assert first == ""
    if level is not SandboxLevel.NONE:
        assert second == ""
        return
    places, _ = found(second)  # without a sandbox, all that is outside a process remains
    no_cache = {"the cache of guests", "the cache of the host"} if kind == "program" else set()
    priority, processors = memories.settings()
    at_last = {"the priority of its host"} if priority == memories.InThePriorityOfItsHost.LAST else set()
    few_processors = {"the processors of its host"} if processors == 1 else set()
    assert places == {*memories.OUTSIDE} - no_cache - at_last - few_processors


@pytest.mark.parametrize("game", [CARDS, "camelup", "mexican_train"])
def test_it_remembers_nothing_in_games_with_hidden_information_either(remembers, game):
    assert not any(paired(game, f"{remembers}/memories.py:Remembers"))


def test_in_one_process_it_would_know_the_dice_of_the_second_game(remembers, monkeypatch):
    monkeypatch.setattr(memories, "PLACES", {k: v for k, v in memories.INSIDE.items() if k != "a daemon"})
    with kibitz.plain():
        result = kibitz.arena(toys.DiceRace(), [memories.Remembers, "random"], games=2, seed=1, workers=1)
        table = kibitz.Table(toys.DiceRace(), 1, number=1, luck=0)
        while not table.over:
            table.play("roll")
    ((game, _, message),) = result.tally.fault_words
    places, dice = found(message)
    assert game == 1
    assert places == {*memories.PLACES}
    assert len(json.loads(dice)) > 0
    coming = [ply.move for ply in table.history if ply.turn == kibitz.CHANCE]
    assert json.loads(dice) == coming[: len(json.loads(dice))]


def test_a_daemon_that_nobody_kills_would_remember(remembers):
    script = "import memories; memories.InADaemon().keep('x')"
    subprocess.run([sys.executable, "-c", script], cwd=remembers, check=True)
    assert int(wait_for(memories.InADaemon().recall)) > 0


# ------------------------------------------------------------------ bots that learn


@pytest.fixture
def learner(tmp_path):
    (tmp_path / "learner.py").write_text(LEARNER)
    return f"{tmp_path}/learner.py:Learner"


def test_a_bot_that_learns_keeps_its_process_and_never_meets_luck_twice(learner, tmp_path):
    what = {"game": DICE, "bots": [learner, "random"], "games": 6, "seed": 1, "move_time": LONG}
    with kibitz.plain():
        result = kibitz.arena(**what, log=tmp_path / "log", workers=2)
    games = Log(tmp_path / "log").games()
    assert len(set(games.group)) == 6
    ((game, _, words),) = result.tally.fault_words
    assert game == 5  # so they were played in order
    assert "5 games before, 5 different" in words


def test_a_bot_that_learns_cannot_be_given_the_same_luck_twice(learner):
    with (
        kibitz.plain(),
        pytest.raises(KibitzError, match="learns from game to game, so it must not meet the same luck"),
    ):
        kibitz.arena(DICE, [learner, "random"], games=6, paired=True)


# ------------------------------------------------------------------ caches


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_cannot_write_where_its_host_loads_compiled_code_from(tmp_path, monkeypatch, level):
    shutil.copy(rogues.__file__, tmp_path)
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    disk_cache.save("00poisoned", b"there is at least one entry")
    before = {path: path.stat().st_mtime_ns for path in disk_cache.folder().glob("??")}
    play = {"game": DICE, "bots": [f"{tmp_path}/rogues.py:Poisons", "random"], "games": 2, "sandbox": level}
    with kibitz.plain():
        if level is SandboxLevel.NONE:  # there it can, which shows that it tries
            with pytest.raises(SpecError, match="Found"):
                kibitz.arena(**play, move_time=LONG, workers=1)
            return
        assert not kibitz.arena(**play, move_time=LONG, workers=1).tally.fault_words
    after = {path: path.stat().st_mtime_ns for path in before}
    assert after == before
    assert guest_cache() not in disk_cache.folders()


@pytest.mark.skipif(SandboxLevel.BWRAP not in LEVELS, reason="needs bubblewrap")
def test_bubblewrap_alone_leaves_nothing_to_write_to(tmp_path, monkeypatch):
    """On a kernel without Landlock, there is nothing else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log").mkdir()
    (tmp_path / "secret").write_text("hidden")
    policy = Policy((*python_paths(), str(tmp_path)), hidden=(f"{tmp_path}/log", f"{tmp_path}/secret"))
    places = ["/", "/dev", "/dev/shm", "/proc", "/tmp", "/var/tmp", "/run", "/etc", *map(str, (tmp_path, "log"))]
    script = "".join(f"mkdir {place}/rogue && echo {place}; " for place in places)
    script += "echo 7 > /proc/1/oom_score_adj && echo settings; cat secret; cat log/*; touch secret && echo times"
    done = subprocess.run(wrapped(["sh", "-c", f"({script}) 2>/dev/null"], policy), capture_output=True, text=True)
    assert done.stdout == ""
    assert not Path("/tmp/rogue").exists()
