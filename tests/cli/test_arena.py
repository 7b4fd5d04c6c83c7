"""`kibitz arena`."""

import json
import os
import signal
import subprocess
import sys

import pytest
from processes import LONG, apart_from_waiting, descendants, is_running, wait_for

from kibitz.records.log import Log

SMALL = "connect_four:columns=4,rows=4"
BOT = """
class Draws:
    def choose(self, view):
        return view.rng.choice(view.moves)
"""


def test_the_result_is_a_table(run):
    outcome = run("arena connect_four random greedy --games 20")
    assert outcome.code == 0
    assert "greedy" in outcome.out
    assert "20 games" in outcome.out
    assert apart_from_waiting(outcome.err) == ""


def test_json_is_the_summary(run):
    document = json.loads(run("arena connect_four random greedy --games 20 --seed 2 --json").out)
    assert (document["games"], document["seed"], document["paired"]) == (20, 2, True)


def test_options_define_the_tournament(run):
    options = "--games 8 --format gauntlet --no-paired --workers 1 --move-time 3"
    document = json.loads(run(f"arena connect_four random random random {options} --json").out)
    assert (document["format"], document["paired"]) == ("gauntlet", False)
    assert [standing["games"] for standing in sorted(document["standings"], key=lambda s: s["bot"])] == [8, 4, 4]


def test_the_sequential_test_stops_early(run):
    document = json.loads(run("arena connect_four greedy random --games 9999 --sprt elo0=0,elo1=100 --json").out)
    assert document["sprt"]["decision"] == "accept H1"
    assert document["games"] < 9999


def test_a_log_is_resumed_by_its_folder_alone(run, tmp_path):
    folder = str(tmp_path / "log")
    options = "--games 30 --seed 0 --no-paired --sprt elo0=0,elo1=5 --move-time 7 --json"
    first = json.loads(run(f"arena {SMALL} random greedy {options}", "--log", folder).out)
    again = json.loads(run("arena --json --resume", folder).out)
    assert again == {**first, "seconds": again["seconds"], "resumed": 30}


@pytest.mark.parametrize("other", ["--seed 0", "--games 8", "--paired", "--format gauntlet"])
def test_options_must_agree_with_the_log(run, tmp_path, other):
    folder = str(tmp_path / "log")
    run(f"arena {SMALL} random greedy --games 10 --seed 4 --no-paired", "--log", folder)
    outcome = run(f"arena {SMALL} random greedy {other} --resume", folder)
    assert outcome.code == 2
    assert "belongs to another tournament" in outcome.err


def test_a_log_of_other_bots_is_refused(run, tmp_path):
    folder = str(tmp_path / "log")
    run(f"arena {SMALL} random greedy --games 10", "--log", folder)
    assert "another tournament (bots: " in run(f"arena {SMALL} random random --resume", folder).err
    assert "another tournament (game: " in run("arena connect_four --resume", folder).err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("arena", "needs a game and bots"),
        ("arena connect_four", "needs a game and bots"),
        ("arena connect_four random --engine dask", "no engine 'dask'"),
        ("arena connect_four random --log a --resume b", "not both"),
        ("arena connect_four random --sprt elo0=0", "needs elo0 and elo1"),
        ("arena --resume nowhere", "There is no log in nowhere"),
        ("arena connect_four random --format swiss", "no format 'swiss'"),
    ],
)
def test_invalid_arguments_are_reported_in_one_sentence(run, arguments, sentence):
    outcome = run(arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


@pytest.mark.parametrize(
    ("specs", "workers", "processes"),
    [(["random", "greedy"], 2, 0), (["random", "{bots}:Draws"], 1, 1), (["random", "{bots}:Draws"], 2, 4)],
    ids=["threads", "here", "processes"],
)
def test_ctrl_c_prints_and_keeps_what_is_finished_and_leaves_no_process_behind(tmp_path, specs, workers, processes):
    (tmp_path / "bots.py").write_text(BOT)
    specs = [spec.format(bots=tmp_path / "bots.py") for spec in specs]
    log = tmp_path / "log"
    command = [sys.executable, "-m", "kibitz", "arena", SMALL, *specs, "--games", "100000000", "--json"]
    command += ["--workers", str(workers), "--log", str(log)]
    # In its own process group, all of which gets the signal, as from a terminal.
    main = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # it is ignored under a shell's `&`
    )
    try:
        wait_for(lambda: len(list(log.glob("games-*"))) and len(Log(log).finished()) > 20)
        # The bot runs in a process started by its worker; a single worker is the main process.
        wait_for(lambda: len(descendants(main.pid)) >= processes)
        family = descendants(main.pid)
        assert main.poll() is None
        os.killpg(main.pid, signal.SIGINT)
        out, err = main.communicate(timeout=LONG)
    finally:
        main.kill()
    assert main.returncode == 130
    assert apart_from_waiting(err) == ""
    document = json.loads(out)
    assert document["interrupted"]
    assert document["games"] == len(Log(log).finished()) > 20
    wait_for(lambda: not any(map(is_running, family)))


def test_seed_and_secret_reproduce_a_tournament(run, tmp_path):
    options = f"arena {SMALL} random greedy --games 20 --seed 4 --json"
    first, again, other = (
        json.loads(run(f"{options} --secret {secret * 16}").out)["lengths"] for secret in ("ab", "AB", "cd")
    )
    assert first == again != other


def test_a_secret_is_published_in_the_log_and_checked_on_resume(run, tmp_path):
    folder, secret = str(tmp_path / "log"), "ab" * 16
    first = run(f"arena {SMALL} random greedy --games 10 --secret {secret} --log", folder)
    assert f"Secret: {secret}." in first.out
    assert json.loads(run("arena --json --resume", folder).out)["secret"] == secret
    outcome = run(f"arena --secret {'cd' * 16} --resume", folder)
    assert outcome.code == 2
    assert "is not what it began with" in outcome.err


def test_a_malformed_secret_is_refused(run):
    outcome = run(f"arena {SMALL} random greedy --secret 12")
    assert outcome.code == 2
    assert outcome.err.strip() == "kibitz: A secret consists of 32 hexadecimal digits, unlike '12'."
