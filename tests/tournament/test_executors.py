"""Executors: they all play the same games."""

import os
import signal
import subprocess
import sys

import pytest
from contests import BOTS, DICE, SMALL, finished, plan, played, tasks
from logged_games import equal
from processes import LONG, descendants, descendants_with, is_running, name_of, send_signal, wait_for
from toys import HighCard

from kibitz import KibitzError, notices
from kibitz.records.games import Games
from kibitz.rules.registry import spec_of
from kibitz.tournament import executors
from kibitz.tournament.executors import ENGINES, Processes, Ray, Serial, StartHere, Threads, choose_executor
from kibitz.tournament.executors import processes as worker_processes
from kibitz.tournament.plan import Plan
from kibitz.tournament.schedule import Schedule

WORKER = "tournament.executors"  # in the commands of workers
STUBBORN = """
import pathlib, time

while True:
    try:
        pathlib.Path(__file__).with_name("loading").touch()
        time.sleep(0.01)
    except BaseException:
        pass
"""


@pytest.mark.parametrize("about", [1, 7])
def test_threads_play_the_same_games(about):
    what = plan("connect_four", ["random", "greedy"], 60)
    assert equal(played(what, Serial(), about), played(what, Threads(2), about))


def test_threads_play_the_same_games_of_bots_in_python():
    what = plan(SMALL, ["mc:sims=5", "random"], 20)
    assert equal(played(what, Serial()), played(what, Threads(2)))


def test_processes_play_the_same_games(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    what = plan(DICE, ["random", f"{tmp_path}/bots.py:First"], 40)
    assert equal(played(what, Serial()), played(what, Processes(2)))


def test_processes_play_the_same_games_of_compiled_players():
    what = plan("connect_four", ["random", "greedy"], 60)
    assert equal(played(what, Serial(), about=7), played(what, Processes(2), about=7))


class Elsewhere:
    """An executor that only records its tasks."""

    def __init__(self):
        self.given = []

    def play(self, contest, tasks, take):
        self.given += [int(number) for _, numbers in tasks for number in numbers]
        yield from ()


def test_quick_games_do_not_justify_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", LONG)  # quick in comparison, however busy the machine is
    (tmp_path / "bots.py").write_text(BOTS)
    what, elsewhere = plan(DICE, ["random", f"{tmp_path}/bots.py:First"], 6), Elsewhere()
    assert len(played(what, StartHere(elsewhere, 2))) == 6
    assert not elsewhere.given


def test_slow_games_justify_processes(monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", 0.0)
    what, elsewhere = plan(SMALL, ["mc:sims=1", "random"], 10), Elsewhere()
    done = finished(what, StartHere(elsewhere, 2))
    here = [int(n) for games in done.values() for n in games.game]
    assert here == [0, 1, 2, 3]  # one pair to start everything, another to measure the time
    assert elsewhere.given == [4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("specs", "workers", "chosen"),
    [
        (["random", "greedy"], 1, Serial),
        (["random", "greedy"], 2, Threads),
        (["mc:sims=1", "random"], 1, Serial),
        (["mc:sims=1", "random"], 2, Processes),
    ],
)
def test_the_fastest_executor_is_chosen(specs, workers, chosen):
    assert isinstance(choose_executor(plan("connect_four", specs, 4).contest(), workers=workers), chosen)


def test_bots_that_learn_play_in_order_whichever_engine_is_requested():
    contest = plan("ur:pieces=1", ["learner", "random"], 4).contest()
    for engine in ENGINES:
        assert isinstance(choose_executor(contest, engine, None if engine == "serial" else 2), Serial)


def test_an_executor_can_be_chosen_by_name():
    contest = plan("connect_four", ["random"], 4).contest()
    chosen = [choose_executor(contest, engine, 1) for engine in ("serial", "threads", "processes", "ray")]
    assert list(map(type, chosen)) == [Serial, Threads, Processes, Ray]
    with pytest.raises(KibitzError, match="no engine 'dask'; choose one of local, serial, threads, processes, ray"):
        choose_executor(contest, "dask")
    with pytest.raises(KibitzError, match="serial uses one thread; it cannot have 2 workers"):
        choose_executor(contest, "serial", 2)


def test_an_address_is_for_a_cluster():
    with pytest.raises(KibitzError, match="An address is for the engine ray; the engine local runs on this machine"):
        choose_executor(plan("connect_four", ["random"], 4).contest(), address="auto")


def test_a_game_without_a_file_is_played_here_or_refused():
    rules = HighCard()
    what = Plan(spec_of(rules), ("mc:sims=1",), 1, Schedule(3, 1, 2), keep_moves=False)
    assert sum(map(len, finished(what, None, rules).values())) == 2
    with pytest.raises(KibitzError, match=r"path/file\.py:Class"):
        finished(what, 2, rules)


def test_games_with_which_worker_after_worker_dies_are_named(monkeypatch):
    monkeypatch.setattr(worker_processes, "WORKER", "import os; os._exit(7)")
    with pytest.raises(KibitzError, match=r"3 workers died while playing games 0 to 1; run with one worker to see why"):
        finished(plan(DICE, ["random", "random"], 4), Processes(1))


def test_the_games_of_a_worker_that_is_killed_or_stopped_are_played_by_another(monkeypatch):
    told, done = [], {}
    monkeypatch.setattr(worker_processes, "STOP_SECONDS", 0.05)
    monkeypatch.setattr(notices, "listener", lambda notice, sentence: told.append(sentence))
    what = plan("connect_four", ["random", "greedy"], 60)
    signals = [signal.SIGKILL, signal.SIGSTOP]  # no more: games with which three workers die are given up
    for _ in Processes(1).play(what.contest(), tasks(what.schedule), done.update):
        for worker in descendants_with(WORKER) if signals else ():  # none, if it was killed after its answer
            send_signal(worker, signals.pop(0))
    assert {*told} <= {  # a stopped worker may be killed before anybody notices
        "A worker was killed by signal 9; another one plays its games.",
        "A worker died or was stopped; another one plays its games.",
    }
    assert told
    disturbed = Games.joined([done[chunk] for chunk in sorted(done)])
    disturbed.seconds[:] = 0
    assert equal(disturbed, played(what, Serial()))
    assert not descendants_with(WORKER)


def test_sigterm_ends_a_worker_at_once_even_where_an_exception_would_be_lost(tmp_path):
    (tmp_path / "game.py").write_text(STUBBORN)
    process, pipe = worker_processes._start_worker()
    with pipe:
        pipe.send(Plan(f"{tmp_path}/game.py:Game", ("random",), 3, Schedule(2, 1, 2), keep_moves=True))
        pipe.send([])
        wait_for((tmp_path / "loading").exists)
        assert process.poll() is None
        process.terminate()
        assert process.wait(timeout=LONG) == 0


def test_a_script_needs_no_guard_for_its_main_part(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import kibitz\n"
        f"result = kibitz.arena({SMALL!r}, ['mc:sims=1', 'random'], games=8, workers=2)\n"
        "print('played', result.played)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("played 8\n", "")


@pytest.mark.slow
def test_nothing_survives_the_death_of_the_tournament(tmp_path):
    """Two workers, each with a bot that hangs in its own process: all of them end when the main process is killed."""
    (tmp_path / "bots.py").write_text(BOTS)
    command = [sys.executable, "-m", "kibitz", "arena", "connect_four", f"{tmp_path}/bots.py:First"]
    command += [f"{tmp_path}/bots.py:Hangs", "--games", "1000000", "--workers", "2", "--move-time", "600"]
    main = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def hanging():
        return [pid for pid in descendants(main.pid) if name_of(pid) == "hangs"]

    try:
        wait_for(lambda: len(hanging()) == 2)
        family = descendants(main.pid)
        assert main.poll() is None
    finally:
        os.kill(main.pid, signal.SIGKILL)
        main.wait()
    wait_for(lambda: not any(map(is_running, family)))
