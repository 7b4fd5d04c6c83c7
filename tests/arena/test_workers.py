"""Who plays a game does not change it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from logged_games import equal
from processes import descendants, is_running, wait_for
from toys import HighCard

import kibitz
from kibitz import KibitzError
from kibitz.arena import workers
from kibitz.arena.games import Games
from kibitz.arena.schedule import Schedule
from kibitz.arena.workers import Plan, play_tasks
from kibitz.games import spec_of

TOYS = Path(__file__).parent.parent / "toys.py"
DICE = f"{TOYS}:DiceRace:goal=6"
SMALL = "connect_four:columns=4,rows=4"
BOTS = '''
import os, pathlib, time

class First:
    def choose(self, view):
        return view.moves[0]

class Hangs:
    """Hangs where it was started by a worker, not where by the main process."""
    def choose(self, view):
        if "arena.workers" not in pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_text():
            return view.moves[0]
        pathlib.Path(__file__).with_name(f"{os.getpid()}.pid").touch()
        while True:
            time.sleep(0.01)
'''

STUBBORN = """
import pathlib, time

while True:
    try:
        pathlib.Path(__file__).with_name("loading").touch()
        time.sleep(0.01)
    except BaseException:
        pass
"""


def plan(game, specs, games, move_time=10.0):
    rules = kibitz.game(game)
    return Plan(game, tuple(specs), 3, Schedule(rules.players, len(specs), games), move_time, keep_moves=True)


def tasks(schedule, about=1):
    first, chunk = 0, 0
    while first < schedule.games:
        numbers = schedule.chunk(first, about)
        yield chunk, np.arange(numbers.start, numbers.stop)
        chunk, first = chunk + 1, numbers.stop


def finished(what, rules, count, about=1):
    done = {}
    for _ in play_tasks(what, rules, tasks(what.schedule, about), done.__setitem__, count):
        pass
    return done


def played(what, count, about=1):
    done = finished(what, kibitz.game(what.game), count, about)
    assert sorted(done) == list(range(len(done)))
    games = Games.joined(list(done.values()))
    games.seconds[:] = 0
    return games


@pytest.mark.parametrize("about", [1, 7])
def test_threads_play_the_same_games(about):
    what = plan("connect_four", ["random", "greedy"], 60)
    assert equal(played(what, 1, about), played(what, 2, about))


def test_processes_play_the_same_games(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    what = plan(DICE, ["random", f"{tmp_path}/bots.py:First"], 40)
    assert equal(played(what, 1), played(what, 2))


def test_quick_games_are_not_worth_a_process(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "_play_in_processes", lambda plan, tasks, take, workers: iter(tuple(tasks)))
    (tmp_path / "bots.py").write_text(BOTS)
    what = plan(DICE, ["random", f"{tmp_path}/bots.py:First"], 6)
    assert len(played(what, None)) == 6


def test_slow_games_are_worth_processes(monkeypatch):
    started = []

    def play_in_processes(plan, tasks, take, workers):
        started.append([int(number) for _, numbers in tasks for number in numbers])
        yield from ()

    monkeypatch.setattr(workers, "_play_in_processes", play_in_processes)
    monkeypatch.setattr(workers, "available_cores", lambda: 2)
    monkeypatch.setattr(workers, "START_SECONDS", 0.0)
    what = plan(SMALL, ["mc:sims=1", "random"], 10)
    here = [int(n) for games in finished(what, kibitz.game(what.game), None).values() for n in games.game]
    assert here == [0, 1, 2, 3]  # a pair to compile what there is to compile, another to see how long it takes
    assert started == [[4, 5, 6, 7, 8, 9]]


def test_a_game_without_a_file_is_played_here_or_refused():
    rules = HighCard()
    what = Plan(spec_of(rules), ("mc:sims=1",), 1, Schedule(3, 1, 2), 10.0, keep_moves=False)
    assert sum(map(len, finished(what, rules, None).values())) == 2
    with pytest.raises(KibitzError, match=r"path/file\.py:Class"):
        finished(what, rules, 2)


def test_a_worker_that_dies_is_reported(monkeypatch):
    monkeypatch.setattr(workers, "WORKER", "import os; os._exit(7)")
    what = plan(DICE, ["random"], 4)
    with pytest.raises(KibitzError, match="A worker died"):
        list(workers._play_in_processes(what, tasks(what.schedule), lambda chunk, games: None, 2))


def test_a_worker_ends_at_once_even_where_an_exception_would_be_lost(tmp_path):
    (tmp_path / "game.py").write_text(STUBBORN)
    process, pipe = workers._start_worker()
    with pipe:
        pipe.send(Plan(f"{tmp_path}/game.py:Game", ("random",), 3, Schedule(2, 1, 2), 1.0, keep_moves=True))
        wait_for((tmp_path / "loading").exists)
        process.terminate()
        assert process.wait(timeout=30) == 0


def test_a_script_needs_no_guard_for_its_main_part(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import kibitz\n"
        f"result = kibitz.arena({SMALL!r}, ['mc:sims=1', 'random'], games=8, workers=2)\n"
        "print('played', result.games)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("played 8\n", "")


def test_nothing_survives_the_death_of_the_tournament(tmp_path):
    """Two workers, each with a bot that hangs in a process of its own: all follow when the main process is killed."""
    (tmp_path / "bots.py").write_text(BOTS)
    command = [sys.executable, "-m", "kibitz", "arena", "connect_four", f"{tmp_path}/bots.py:First"]
    command += [f"{tmp_path}/bots.py:Hangs", "--games", "100", "--workers", "2", "--move-time", "5"]
    main = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
        family = descendants(main.pid)
        assert {int(path.stem) for path in tmp_path.glob("*.pid")} < family
    finally:
        os.kill(main.pid, signal.SIGKILL)
        main.wait()
    wait_for(lambda: not {pid for pid in family if is_running(pid)})
