"""The engine ray: the same games as on one core, whatever happens to workers and nodes of the cluster."""

import json
import os
import signal
import subprocess
import sys

import pytest
from contests import BOTS, DICE, SMALL, finished, plan, played, tasks
from logged_games import equal
from processes import (
    LONG,
    WAITS,
    apart_from_waiting,
    descendants,
    descendants_with,
    guests_of,
    is_running,
    send_signal,
    wait_for,
)

import kibitz
from kibitz import KibitzError
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.tournament.executors import Ray, Serial
from kibitz.tournament.executors import ray as ray_engine

pytestmark = pytest.mark.slow
in_soak = pytest.mark.skipif(
    "KIBITZ_SOAK" not in os.environ, reason="starting and losing nodes takes minutes: make soak"
)
SLOW = ["mc:sims=100", "random"]  # slow enough for something to happen meanwhile
DIED, LOST = "died or was stopped; another one plays its games", "was lost, or the node; another one does its work"


@pytest.fixture
def one_by_one(monkeypatch):
    """Workers get one pair of games at a time, so that many are still to come when something happens."""
    monkeypatch.setattr(ray_engine, "BATCH_SECONDS", 0.0)
    monkeypatch.setattr(ray_engine, "BATCH_SECONDS_PER_WORKER", 0.0)


def disturbed(what, disturbances):
    """The games of a plan on the cluster. Each disturbance happens when somebody has played on after the last one.

    At that moment a worker has just handed in a pair of games, and been given the next.
    """
    done, waiting, next_at = {}, list(disturbances), 10
    for _ in Ray(2).play(what.contest(), tasks(what.schedule), done.update):
        if waiting and len(done) >= next_at:
            waiting.pop(0)()
            next_at = len(done) + 10
    assert not waiting
    games = Games.joined([done[chunk] for chunk in sorted(done)])
    games.seconds[:] = 0
    return games


def test_a_cluster_plays_the_same_games(machines, tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    what = plan(DICE, ["random", f"{tmp_path}/bots.py:First"], 40)
    assert equal(played(what, Serial()), played(what, Ray(2)))


def test_a_cluster_plays_the_same_games_of_compiled_players(machines):
    what = plan("connect_four", ["random", "greedy"], 60)
    assert equal(played(what, Serial(), about=7), played(what, Ray(None), about=7))


def test_games_of_workers_that_are_killed_or_stopped_are_played_by_others(machines, told, one_by_one):
    def signalled(words, number):
        def disturb():
            for pid in wait_for(lambda: descendants_with(words)):
                send_signal(pid, number)

        return disturb

    what = plan(SMALL, SLOW, 160)
    kills = [
        signalled("tournament.executors", signal.SIGKILL),
        signalled("tournament.executors", signal.SIGSTOP),
        signalled("ray::Relay", signal.SIGKILL),
    ]
    assert equal(disturbed(what, kills), played(what, Serial()))
    assert any(DIED in sentence for sentence in told)
    assert any(LOST in sentence for sentence in told)


@in_soak
def test_games_of_a_node_that_is_killed_are_played_elsewhere(machines, told, one_by_one, capfd):
    what = plan(SMALL, SLOW, 160)
    assert equal(disturbed(what, [machines.kill, machines.add]), played(what, Serial()))
    assert [words for words in told if not (LOST in words or DIED in words or words.startswith(WAITS))] == []
    assert capfd.readouterr() == ("", "")  # Ray would report that on stdout


@in_soak
def test_a_tournament_begun_by_one_engine_is_resumed_by_the_other(machines, tmp_path):
    arguments = {"game": SMALL, "bots": ["mc:sims=5", "random"], "seed": 3}
    whole = kibitz.arena(**arguments, games=30, workers=1)

    def stop_soon(result):
        raise KeyboardInterrupt

    engines = [{"engine": "processes"}, {"engine": "ray"}]
    for number, (first, second) in enumerate([engines, engines[::-1]]):
        log = tmp_path / str(number)
        begun = kibitz.arena(**arguments, games=30, workers=2, log=log, progress=stop_soon, **first)
        assert begun.interrupted
        resumed = kibitz.arena(**arguments, games=30, workers=2, log=log, resume=True, **second)
        assert (resumed.played, resumed.resumed) == (30, begun.played)
        assert [s.share for s in resumed.ranking] == [s.share for s in whole.ranking]


@in_soak
def test_files_are_sent_to_nodes_that_lack_them(machines, tmp_path, monkeypatch):
    """The bot finds its files, a module that it imports included, in another folder than here."""
    (tmp_path / "helper.py").write_text("def first(moves):\n    return moves[0]\n")
    bot = "import helper\n\nclass First:\n    def choose(self, view):\n        return helper.first(view.moves)\n"
    (tmp_path / "bots.py").write_text(bot)
    monkeypatch.chdir(tmp_path)
    what = plan(SMALL, ["random", "bots.py:First"], 4)
    expected = played(what, Serial())
    monkeypatch.setattr("kibitz.cluster.os.getcwd", lambda: "/no/such/folder")
    assert equal(played(what, Ray(1)), expected)


def test_a_node_that_lacks_a_file_is_refused_with_the_reason(machines, tmp_path, monkeypatch, told):
    (tmp_path / "bots.py").write_text(BOTS)
    what = plan(SMALL, ["random", f"{tmp_path}/bots.py:First"], 4)
    monkeypatch.setattr("kibitz.cluster.hash_of", lambda path: "0" * 64)
    with pytest.raises(KibitzError, match=r"No node of the cluster can be used: .*it has no file .*bots.py, or a diff"):
        finished(what, Ray(1))


@in_soak
def test_ctrl_c_prints_the_result_and_leaves_nothing_behind(tmp_path):
    """On a cluster of its own, with a bot in a process of its own."""
    (tmp_path / "bots.py").write_text(BOTS)
    log = tmp_path / "log"
    command = [sys.executable, "-m", "kibitz", "arena", SMALL, "mc:sims=50", f"{tmp_path}/bots.py:First", "--json"]
    command += ["--games", "1000000", "--engine", "ray", "--workers", "1", "--log", str(log)]
    out, err = (tmp_path / "out").open("w+"), (tmp_path / "err").open("w+")
    main = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
    try:
        wait_for(lambda: main.poll() is not None or (list(log.glob("games-*")) and len(Log(log).finished())))
        wait_for(lambda: main.poll() is not None or guests_of(main.pid))
        family = descendants(main.pid)
        assert len(family) > 5
        assert main.poll() is None
        os.killpg(main.pid, signal.SIGINT)  # as a terminal does
        assert main.wait(LONG) == 130
        wait_for(lambda: not any(map(is_running, family)))
    finally:
        main.kill()
    document = json.loads((tmp_path / "out").read_text())
    assert document["interrupted"] and document["games"] > 0
    assert apart_from_waiting((tmp_path / "err").read_text()) == ""
