"""The report of a training, and the history in a network's file that it is made from."""

import dataclasses

import numpy as np
import pytest
from nets import random_network, written
from toys import Nim

from kibitz.errors import KibitzError
from kibitz.learn.watched_features import watched_features
from kibitz.learn.zero.checkpoint import Progress
from kibitz.learn.zero.history import MOST_GATES, history_of, keep_history
from kibitz.learn.zero.network_file import TrainedNetwork
from kibitz.learn.zero.training_report import write_training_report

NIM = Nim(heap=9)


def gate(number, promoted=True):
    share = {"share": 0.1 * number, "low": 0.1 * number - 0.05, "high": 0.1 * number + 0.05}
    return {
        "games": 1000 * number,
        "seconds": 60.0 * number,
        "policy_loss": 1 / number,
        "value_loss": 0.5 / number,
        "gate": share if number > 1 else None,
        "promoted": promoted,
        "opponent": "uct:sims=300",
        "strength": share,
    }


def progress(*gates):
    return Progress("Nim:heap=9", "", 3, 2, mix=0.25, history=list(gates))


@pytest.fixture
def net(tmp_path):
    """A network after three gates, the last of which it did not pass, in a run of five minutes."""
    path = written(NIM, random_network(NIM), tmp_path / "net.npz")
    keep_history(path, progress(gate(1), gate(2), gate(3, promoted=False)), 300.0, None)
    return path


def changed(path, **parts):
    dataclasses.replace(TrainedNetwork.read(path), **parts).write(path)


def test_the_history_is_kept_with_the_network(net):
    trained = TrainedNetwork.read(net)
    history = history_of(trained, net)
    assert (history.minutes, history.games, history.workers, history.mix) == (5.0, None, 2, 0.25)
    assert [found.games for found in history.gates] == [1000, 2000, 3000]
    assert history.gates[0].against_best is None
    assert history.gates[1].strength.low == pytest.approx(0.15)
    assert all(np.array_equal(a, b) for a, b in zip(trained.network, random_network(NIM), strict=True))


def test_a_run_of_so_many_games_keeps_nothing_that_depends_on_the_clock(net, tmp_path):
    files = [written(NIM, random_network(NIM), tmp_path / name) for name in ("fast.npz", "slow.npz")]
    for path, seconds in zip(files, (1.0, 2.0), strict=True):
        keep_history(path, progress({**gate(1), "seconds": seconds}), None, 1000)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "By minutes" not in write_training_report(files[0]).read_text()


def test_the_history_does_not_grow_without_end(net):
    keep_history(net, progress(*(gate(number) for number in range(1, MOST_GATES + 50))), 300.0, None)
    gates = history_of(TrainedNetwork.read(net), net).gates
    assert (len(gates), gates[-1].games) == (MOST_GATES, 1000 * (MOST_GATES + 49))


def test_the_report_tells_how_the_training_went(net, tmp_path):
    page = write_training_report(net).read_text()
    assert (tmp_path / "net.html").exists()
    assert "After 2,000 games of self-play, the network took 20.0\u202f% of the win against uct:sims=300" in page
    assert "By games of training" in page and "By minutes" in page
    assert page.count('class="dot hollow"') == 2  # the gate that was not passed, on both curves
    assert "2 of 3" in page
    assert "the other stays" in page
    assert all(str(field) in page for field in watched_features(NIM).fields)  # what the network sees
    assert "kibitz train Nim:heap=9 --method zero --seed 0 --minutes 5 --workers 2 --mix 0.25 --out net.npz" in page


def test_the_command_that_reproduces_a_run_of_games_counts_games(net):
    keep_history(net, progress(gate(1)), None, 1000)
    page = write_training_report(net).read_text()
    assert "bit for bit" in page
    assert "--seed 0 --games 1000 --workers 2 --mix 0.25" in page


def test_features_of_the_games_own_are_named_so(net):
    changed(net, features=None)
    assert "Features that the game brings along" in write_training_report(net).read_text()


def test_a_network_without_a_history_is_refused(tmp_path):
    with pytest.raises(KibitzError, match="has no history: its training ended before the first match"):
        write_training_report(written(NIM, random_network(NIM), tmp_path / "net.npz"))


@pytest.mark.parametrize(
    "training",
    [
        {"gates": [{}], "minutes": None, "games": 1, "workers": 1},
        {"gates": [gate(1)], "workers": 1},
        {"gates": [{**gate(1), "strength": "good"}], "minutes": None, "games": 1, "workers": 1},
        {"gates": ["late"], "minutes": None, "games": 1, "workers": 1},
        {"gates": 7, "minutes": None, "games": 1, "workers": 1},
    ],
)
def test_a_damaged_history_is_refused(net, training):
    changed(net, training=training)
    with pytest.raises(KibitzError, match=r"The history in .* is damaged"):
        write_training_report(net)


def test_what_a_stranger_wrote_into_it_is_shown_as_text_and_never_run(net):
    changed(net, game="evil.py:<script>")
    page = write_training_report(net).read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_other_files_are_not_overwritten(net, tmp_path):
    (tmp_path / "net.html").write_text("mine")
    with pytest.raises(KibitzError, match="already exists and is not a report"):
        write_training_report(net)
    assert write_training_report(net, tmp_path / "other.html") == tmp_path / "other.html"
