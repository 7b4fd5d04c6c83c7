"""Tournaments on the page: started, watched, stopped, resumed and deleted; by whom, and how much of it."""

import contextlib
import dataclasses
import io
import os
import signal
import subprocess
import sys
import tarfile
import time

import pytest
from visitors import PATIENCE, PLENTY, TOYS, UNLIMITED, bearing, serving, toy_catalogue

import kibitz
from kibitz.records.log import Log
from kibitz.web import tournaments as tournaments_module
from kibitz.web.access import new_token, visitor_with
from kibitz.web.catalogue import Catalogue
from kibitz.web.limits import Rate
from kibitz.web.tournament_folder import TournamentBot, TournamentFolder, TournamentSetting
from kibitz.web.tournament_process import OUT_OF_MEMORY, standings_of
from kibitz.web.tournaments import TournamentLimits, Tournaments

QUICK = {"game": "connect_four", "bots": ["beginner", "greedy"], "games": 20, "seed": 7}
LONG = {"game": "connect_four", "bots": ["uct:ms=20", "mc:ms=20"], "games": 1000, "seed": 7}
MY_TOKEN = new_token()
ME, YOU = bearing(MY_TOKEN), bearing(new_token())
MY_HASH = visitor_with(MY_TOKEN)


@contextlib.contextmanager
def playing_at(folder, catalogue=None, rate=PLENTY, **limits):
    """A server that keeps its tournaments in a folder. Tests would wait long for processes of low priority."""
    catalogue = catalogue or Catalogue()
    kept = Tournaments(catalogue, folder, TournamentLimits(niceness=0, **limits))
    with serving(catalogue, limits=dataclasses.replace(UNLIMITED, tournaments=rate), tournaments=kept) as client:
        yield client


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with playing_at(tmp_path_factory.mktemp("tournaments")) as client:
        yield client


def begin(client, wanted, who=ME):
    answer = client.http.post("/api/tournaments", json=wanted, headers=who)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def view(client, key, who=YOU):
    answer = client.http.get(f"/api/tournaments/{key}", headers=who)
    assert answer.status_code == 200, answer.text
    return answer.json()


def until(client, key, condition):
    """Wait until a tournament fulfils a condition."""
    deadline = time.monotonic() + PATIENCE
    while not condition(seen := view(client, key)):
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)
    return seen


def ended(seen):
    return seen["state"] not in ("running", "stopping")


def some_played(seen):
    return seen["standings"]["played"] >= 2


def order(client, key, what, who=ME):
    return client.http.post(f"/api/tournaments/{key}/{what}", headers=who)


@pytest.fixture(scope="module")
def finished(here):
    """A tournament that has been played to the end; its id."""
    key = begin(here, QUICK)
    until(here, key, ended)
    return key


def setting(**changes):
    bots = (TournamentBot(spec="random", name="Beginner"), TournamentBot(spec="greedy", name="greedy"))
    usual = {
        "game": "connect_four", "shown_game": "connect_four", "title": "Connect Four", "bots": bots, "games": 20,
        "seed": 1, "opening": 2, "sandbox": "auto", "visitor": "somebody", "begun": 0.0,
    }  # fmt: skip
    return TournamentSetting(**{**usual, **changes})


@contextlib.contextmanager
def being_played(path, key, visitor):
    """A tournament that a process of another server seems to play."""
    folder = TournamentFolder(path / key)
    folder.create(setting(visitor=visitor))
    lock = folder.claim()
    yield folder
    lock.release()


# ------------------------------------------------------------------ watching


def test_a_tournament_is_played_to_the_end_and_everyone_can_see_it(here, finished):
    seen = view(here, finished)
    assert (seen["state"], seen["problem"], seen["yours"]) == ("finished", "", False)
    assert seen["bots"] == [{"spec": "random", "name": "Beginner"}, {"spec": "greedy", "name": "greedy"}]
    standings = seen["standings"]
    assert standings["played"] == seen["games"] == 20
    assert [standing["bot"] for standing in standings["ranking"]] == [1, 0]
    assert standings["ranking"][0]["rating"] > 0 > standings["ranking"][1]["rating"]
    assert standings["course"][-1]["played"] == 20
    assert standings["pairs"][0][0] is None
    assert view(here, finished, ME)["yours"]


def test_tournaments_are_listed_with_the_newest_first(here, finished):
    listed = here.http.get("/api/tournaments", headers=ME).json()
    begun = [tournament["begun"] for tournament in listed["tournaments"]]
    assert begun == sorted(begun, reverse=True)
    assert finished in [tournament["id"] for tournament in listed["tournaments"]]
    assert listed["most_games"] == TournamentLimits().games


def test_nobody_is_told_who_began_it(here, finished):
    visitor = here.server.tournaments._folder(finished).setting().visitor
    assert visitor not in here.http.get(f"/api/tournaments/{finished}", headers=ME).text
    assert visitor not in here.http.get("/api/tournaments", headers=ME).text


def test_many_who_watch_cost_as_much_as_one(here, finished, monkeypatch):
    looks, look_now = [], here.server.tournaments._look_now
    monkeypatch.setattr(here.server.tournaments, "_look_now", lambda folder: looks.append(1) or look_now(folder))
    monkeypatch.setattr(tournaments_module, "FINISHED_SECONDS", 1e9)
    here.server.tournaments._looks.clear()
    for who in (ME, YOU) * 10:
        view(here, finished, who)
    assert len(looks) == 1


def test_a_game_is_opened_at_a_table_with_the_bots_by_their_names(here, finished):
    games = here.http.get(f"/api/tournaments/{finished}/games?first=15").json()["games"]
    assert [game["game"] for game in games] == [15, 16, 17, 18, 19]
    answer = here.http.post("/api/records", json={"tournament": finished, "game": 17})
    with here.at(answer.json()) as browser:
        assert [seat["payoff"] for seat in browser.table["seats"]] == games[2]["payoff"]
        names = ["Beginner", "greedy"]
        assert [seat["name"] for seat in browser.table["seats"]] == [names[bot] for bot in games[2]["bots"]]


def test_a_game_that_was_not_played_is_refused(here, finished):
    answer = here.http.post("/api/records", json={"tournament": finished, "game": 20})
    assert (answer.status_code, answer.json()["error"]) == (422, "Game 20 of this tournament has not been played.")
    assert here.http.get(f"/api/tournaments/{finished}/games?first=20").json() == {"games": []}
    for first in ("-1", "x", str(2**40)):
        answer = here.http.get(f"/api/tournaments/{finished}/games?first={first}")
        assert answer.status_code == 422
        assert answer.json()["error"].startswith("Malformed request: first: Input should be")


def test_its_log_is_that_of_any_tournament(here, finished, tmp_path):
    answer = here.http.get(f"/api/tournaments/{finished}/log")
    assert answer.headers["content-disposition"].startswith("attachment")
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert len(Log(folder).games()) == 20
    assert str(here.server.tournaments._path) not in (folder / "tournament.json").read_text()


def test_its_report_can_do_nothing_and_tells_nothing_about_the_server(here, finished):
    for _ in range(2):  # written once, then kept
        answer = here.http.get(f"/api/tournaments/{finished}/report")
        assert answer.status_code == 200
        assert "Standings" in answer.text
        assert "<script" not in answer.text
        assert str(here.server.tournaments._path) not in answer.text
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "script-src" not in policy
        assert policy.endswith("sandbox")


# ------------------------------------------------------------------ stopping and going on


def test_a_tournament_is_stopped_resumed_and_deleted(tmp_path):
    with playing_at(tmp_path) as client:
        key = begin(client, LONG)
        until(client, key, some_played)
        assert order(client, key, "stop").status_code == 200
        stopped = until(client, key, ended)
        assert stopped["state"] == "stopped"
        assert len(Log(tmp_path / key / "log").games()) == stopped["standings"]["played"] < 1000
        assert order(client, key, "resume").status_code == 200
        more = until(client, key, lambda seen: seen["standings"]["played"] > stopped["standings"]["played"])
        assert more["state"] == "running"
        assert "Stop the tournament" in client.http.delete(f"/api/tournaments/{key}", headers=ME).json()["error"]
        order(client, key, "stop")
        until(client, key, ended)
        assert client.http.delete(f"/api/tournaments/{key}", headers=ME).status_code == 200
        assert client.http.get(f"/api/tournaments/{key}").status_code == 404
        assert list(tmp_path.iterdir()) == []


KILLED = f"""
import asyncio, sys, time
from pathlib import Path
from kibitz.web.catalogue import Catalogue
from kibitz.web.tournament_messages import TournamentRequest
from kibitz.web.tournaments import TournamentLimits, Tournaments

tournaments = Tournaments(Catalogue(), Path(sys.argv[1]), TournamentLimits(niceness=0))
print(asyncio.run(tournaments.start(TournamentRequest(**{LONG}), sys.argv[2])), flush=True)
time.sleep({PATIENCE})
"""


def test_nothing_is_left_running_and_nothing_is_lost_when_the_server_is_killed(tmp_path):
    server = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path, MY_HASH], stdout=subprocess.PIPE, text=True)
    folder = TournamentFolder(tmp_path / server.stdout.readline().strip())
    deadline = time.monotonic() + PATIENCE
    while folder.standings().played < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert folder.is_claimed
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    while folder.is_claimed:  # its process holds the lock for as long as it lives
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with playing_at(tmp_path) as client:
        there = view(client, folder.id)
        assert there["state"] == "stopped"
        assert len(Log(folder.log).games()) >= there["standings"]["played"] >= 2
        assert order(client, folder.id, "resume").status_code == 200
        until(client, folder.id, lambda seen: seen["standings"]["played"] > there["standings"]["played"])
        process = client.server.tournaments._processes._playing[folder.id]
    assert process.poll() is not None  # it ended with this server, too


def test_two_servers_with_one_folder_see_and_stop_the_same_tournaments(tmp_path):
    with playing_at(tmp_path) as client, being_played(tmp_path, "elsewhere", MY_HASH) as folder:
        assert view(client, "elsewhere")["state"] == "running"
        assert client.http.post("/api/tournaments", json=QUICK, headers=ME).status_code == 503
        assert order(client, "elsewhere", "stop").status_code == 200
        assert folder.is_to_stop
        assert view(client, "elsewhere")["state"] == "stopping"


def test_a_tournament_whose_time_is_up_is_over(tmp_path):
    with playing_at(tmp_path, seconds=0.1) as client:
        key = begin(client, {**LONG, "games": 1000})
        seen = until(client, key, ended)
        if seen["state"] == "finished":  # otherwise, not even the first games were over
            assert seen["problem"].startswith("Its time is up")
            assert order(client, key, "resume").json()["error"] == "This tournament is over."
            assert seen["standings"]["played"] < 1000


def test_one_that_fails_says_so_without_details(tmp_path, caplog):
    folder = TournamentFolder(tmp_path / "failing")
    folder.create(setting(game=f"{tmp_path}/nowhere.py:Nowhere"))
    with playing_at(tmp_path) as client:
        client.server.tournaments._play(folder)
        seen = until(client, "failing", ended)
        assert seen["problem"] == "It has failed; the log of the server says why."
        assert str(tmp_path) not in str(seen)
    assert "nowhere.py" in caplog.text


def test_a_process_that_takes_too_much_memory_ends(tmp_path):
    folder = TournamentFolder(tmp_path / "greedy")
    folder.create(setting(bots=(TournamentBot(spec="uct:ms=50", name="a"), TournamentBot(spec="uct:ms=51", name="b"))))
    script = (
        "import sys, kibitz.web.tournament_process as p; p.MOST_MEMORY = 1; p.main('play', sys.argv[1], '0', '100')"
    )
    process = subprocess.Popen([sys.executable, "-c", script, folder.path], stdin=subprocess.PIPE)
    assert process.wait(PATIENCE) == OUT_OF_MEMORY
    process.stdin.close()


# ------------------------------------------------------------------ who and how much


@pytest.mark.parametrize("what", ["stop", "resume", "delete"])
def test_only_who_began_it_decides(here, finished, what):
    for who in (YOU, {}):
        if what == "delete":
            answer = here.http.delete(f"/api/tournaments/{finished}", headers=who)
        else:
            answer = order(here, finished, what, who)
        assert answer.status_code == 403
        assert answer.json() == {"error": "Only whoever began this tournament can do that."}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bots": ["random"]}, "2 to 8 bots, not 1"),
        ({"bots": []}, "2 to 8 bots, not 0"),
        ({"bots": ["random"] * 9}, "2 to 8 bots, not 9"),
        ({"bots": ["random"] * 1000}, "bots"),
        ({"bots": ["random", "beginner"]}, "cannot play twice"),
        ({"bots": ["random", "nobody"]}, "nobody"),
        ({"bots": ["random", "uct:sims=100000000"]}, "sims"),
        ({"bots": ["random", "cmd:/bin/sh"]}, "Only bots that ship with kibitz"),
        ({"bots": ["random", "evil.py:Evil"]}, "Only bots that ship with kibitz"),
        ({"bots": "random"}, "bots"),
        ({"bots": [1, 2]}, "bots"),
        ({"games": 0}, "2 to 1,000 games, not 0"),
        ({"games": 1001}, "2 to 1,000 games"),
        ({"games": 10.5}, "games"),
        ({"games": "20"}, "games"),
        ({"game": "chess"}, "chess"),
        ({"game": "/etc/passwd.py:Game"}, "passwd"),
        ({"players": 5}, "for 2 players, not 5"),
        ({"players": 99}, "players"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**70}, "seed"),
        ({"log": "/tmp/x"}, "log"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(here, change, words):
    answer = here.http.post("/api/tournaments", json={**QUICK, **change}, headers=YOU)
    assert answer.status_code == 422
    assert words in answer.json()["error"]


@pytest.mark.parametrize("key", ["nowhere", "%2e%2e%2f", "..%2f..", "a" * 5000, "%00"])
@pytest.mark.parametrize("path", ["", "/games", "/log", "/report"])
def test_there_is_nothing_elsewhere(here, key, path):
    assert here.http.get(f"/api/tournaments/{key}{path}").status_code == 404


def test_one_tournament_for_each_visitor_and_a_few_in_all(tmp_path):
    with playing_at(tmp_path, running=2) as client, being_played(tmp_path, "mine", MY_HASH):
        answer = client.http.post("/api/tournaments", json=QUICK, headers=ME)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
        assert "Your other tournament is still running" in answer.json()["error"]
        with being_played(tmp_path, "another", "somebody"):
            third = client.http.post("/api/tournaments", json=QUICK, headers=YOU)
            assert third.status_code == 503
            assert "2 tournaments are running already" in third.json()["error"]


def test_who_begins_tournaments_too_often_has_to_wait(tmp_path):
    with playing_at(tmp_path, rate=Rate(2, 0.01)) as client:
        wanted = {**QUICK, "games": 0}
        answers = [client.http.post("/api/tournaments", json=wanted, headers=ME) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [422, 422, 429]


def test_old_tournaments_make_room_for_new_ones(tmp_path):
    for name, begun in (("older", 1.0), ("old", 2.0)):
        TournamentFolder(tmp_path / name).create(setting(begun=begun))
    with playing_at(tmp_path, kept=2) as client:
        key = begin(client, QUICK)
        assert {path.name for path in tmp_path.iterdir()} == {"old", key}


@pytest.mark.parametrize("limits", [{"kept": 1}, {"kept_bytes": 1}])
def test_recent_tournaments_are_not_dropped_for_new_ones(tmp_path, limits):
    TournamentFolder(tmp_path / "recent").create(setting(begun=time.time()))
    with playing_at(tmp_path, **limits) as client:
        answer = client.http.post("/api/tournaments", json=QUICK, headers=ME)
        assert answer.status_code == 503
        assert "as many tournaments as it can" in answer.json()["error"]
        assert (tmp_path / "recent").exists()


def test_nobody_is_told_where_things_are_that_were_added_to_the_server(tmp_path):
    folder, game = TournamentFolder(tmp_path / "added"), f"{TOYS}:Nim:heap=7"
    folder.create(setting(game=game, shown_game="nim:heap=7"))
    result = kibitz.arena(game, ["random", "greedy"], games=4, seed=1, log=folder.log)
    folder.write_standings(standings_of(result, 1.0, []))
    with playing_at(tmp_path, toy_catalogue()) as client:
        seen = view(client, "added")
        assert (seen["game"], seen["has_files"], seen["standings"]["played"]) == ("nim:heap=7", False, 4)
        assert str(TOYS.parent) not in str(seen)
        for path in ("log", "report"):
            answer = client.http.get(f"/api/tournaments/added/{path}")
            assert answer.status_code == 422
            assert "stay here" in answer.json()["error"]
        answer = client.http.post("/api/records", json={"tournament": "added", "game": 0})
        with client.at(answer.json()) as browser:
            assert browser.table["over"]


def test_damaged_folders_are_skipped(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "setting.json").write_text("{")
    (tmp_path / "a file").write_text("")
    with playing_at(tmp_path) as client:
        assert client.http.get("/api/tournaments").json()["tournaments"] == []
        assert client.http.get("/api/tournaments/broken").status_code == 404
