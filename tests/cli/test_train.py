"""`kibitz train`."""

import contextlib
import itertools
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from kibitz.learn import Brain


def test_training_writes_a_brain_that_can_play(run, tmp_path):
    out = run("train ur --games 50 --out", f"{tmp_path}/brain.json").out
    assert "Learned ur from 50 games" in out
    assert "is the best" in out
    assert Brain.read(tmp_path / "brain.json").games == 50
    assert run(f"arena ur learned:file={tmp_path}/brain.json random --games 4").code == 0


def test_by_default_the_brain_is_named_after_the_game_and_the_method(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("train ur:pieces=2 --games 3 --method td").code == 0
    assert Brain.read(tmp_path / "ur-td.json").game == "ur:pieces=2"


def test_the_json_document_describes_the_training(run, tmp_path):
    document = json.loads(run(f"train ur --games 50 --seed 4 --json --out {tmp_path}/brain.json").out)
    assert (document["game"], document["method"], document["games"], document["seed"]) == ("ur", "tree", 50, 4)
    assert len(document["weights"]) == 16
    assert document["node"]["games"] <= 50


@pytest.fixture
def interrupted(monkeypatch):
    """Training that receives Ctrl-C after two slices of games."""

    calls = itertools.count(1)

    def interrupt(done, total):
        if next(calls) == 2:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def bar(what):
        yield interrupt

    monkeypatch.setattr("kibitz.cli.train.progress_bar", bar)


def test_an_interrupted_training_keeps_what_it_learned_and_says_so(run, tmp_path, interrupted):
    outcome = run(f"train ur --games 5000 --out {tmp_path}/brain.json")
    assert outcome.code == 130
    assert "Interrupted after 400 of 5,000 games; what was learned is kept." in outcome.out
    assert Brain.read(tmp_path / "brain.json").games == 400


def test_the_json_document_of_an_interrupted_training_says_so(run, tmp_path, interrupted):
    outcome = run(f"train ur --games 5000 --json --out {tmp_path}/brain.json")
    assert outcome.code == 130
    assert json.loads(outcome.out)["interrupted"]


def test_the_tree_is_drawn(run, tmp_path):
    run(f"train ur --games 20 --out {tmp_path}/brain.json --tree {tmp_path}/tree.svg")
    words = [text.text for text in ElementTree.parse(tmp_path / "tree.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "ur: 20 brains"
    assert words[2].endswith("/20")


def test_only_a_tree_can_be_drawn(run, tmp_path):
    outcome = run(f"train ur --method td --tree {tmp_path}/tree.svg")
    assert outcome.code == 2
    assert "no tree to draw" in outcome.err


def test_a_game_that_cannot_be_learned_is_refused(run):
    assert "has no FEATURES for a tree" in run("train connect_four --method tree").err


@pytest.mark.parametrize("method", ["tree", "td"])
def test_a_cluster_is_no_help_where_every_game_depends_on_those_before(run, method):
    outcome = run(f"train ur --games 10 --method {method} --engine ray")
    assert outcome.code == 2
    assert f"is no help in training by {method}: each game is played with what was learned from those" in outcome.err


def test_an_address_needs_a_cluster(run):
    outcome = run(f"train {NIM} --games 10 --address auto")
    assert outcome.code == 2
    assert "An address is for the engine ray" in outcome.err


# ------------------------------------------------------------------ networks


NIM = f"{Path(__file__).parents[1] / 'toys.py'}:Nim:heap=9"


@pytest.fixture
def short_matches(monkeypatch):
    monkeypatch.setattr("kibitz.learn.zero.training.GATES", 1)
    monkeypatch.setattr("kibitz.learn.zero.matches.MOST_GAMES", 4)


def test_a_network_is_trained_resumed_and_plays(run, tmp_path, short_matches):
    outcome = run(f"train {NIM} --method zero --games 40 --out {tmp_path}/net.npz")
    assert outcome.code == 0
    assert "from 40 games" in outcome.out
    assert "against uct:sims=300" in outcome.out
    assert "together" in outcome.err  # what the network sees
    assert run(f"arena {NIM} zero:net={tmp_path}/net.npz,sims=10 random --games 4 --workers 1").code == 0
    assert f"See how it learned: kibitz report {tmp_path}/net.npz" in outcome.out
    assert run(f"report {tmp_path}/net.npz").out == f"Wrote {tmp_path}/net.html.\n"
    assert "Learning curve" in (tmp_path / "net.html").read_text()
    again = run(f"train {NIM} --method zero --games 40 --out {tmp_path}/net.npz")
    assert again.code == 2
    assert "continue it with --resume" in again.err
    document = json.loads(run(f"train {NIM} --games 80 --resume --json --out {tmp_path}/net.npz").out)
    assert (document["games"], document["interrupted"]) == (80, False)
    assert document["history"][0]["opponent"] == "uct:sims=300"


def test_minutes_are_for_networks_and_opponents_are_not(run):
    for option in ("--minutes 1", "--address auto"):
        assert "are for --method zero, not for td" in run(f"train ur --method td {option}").err
    assert "learns from self-play only" in run("train ur --method zero --opponent random").err
