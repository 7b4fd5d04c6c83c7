"""Self-play on a cluster: the same network as with threads, whatever happens to workers."""

import shutil
import signal

import pytest
import toys
from processes import descendants_with, send_signal, wait_for

import kibitz
from kibitz import KibitzError
from kibitz.cluster import pack
from kibitz.learn.zero import on_cluster, training
from kibitz.learn.zero.self_play import Manner
from kibitz.learn.zero.training import train_zero

QUICK = Manner(simulations=12, quick=4, opening=1)


def train(path, game="toys.py:Nim:heap=10", **options):
    return train_zero(game, path, **{"games": 160, "seed": 3, "workers": 2, "manner": QUICK, **options})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the file of a game. There are no matches."""
    shutil.copy(toys.__file__, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "GATES", 0)
    return tmp_path


@pytest.mark.slow
def test_a_cluster_trains_the_same_network_even_if_a_worker_is_killed(machines, folder, monkeypatch, told):
    """On nodes that lack the file of the game."""
    monkeypatch.setattr(on_cluster, "pack", lambda files: pack(files)._replace(folder="/no/such/folder"))
    train(folder / "here.npz")

    def kill(now, part):
        if now.batches == 2:
            for worker in wait_for(lambda: descendants_with("ray::BatchPlayer")):
                send_signal(worker, signal.SIGKILL)

    done = train(folder / "there.npz", engine="ray", progress=kill)
    assert (done.progress.games, done.interrupted) == (160, False)
    assert any("was lost, or the node; another one does its work" in sentence for sentence in told)
    assert (folder / "there.npz").read_bytes() == (folder / "here.npz").read_bytes()


def test_what_cannot_be_played_on_a_cluster_is_refused(folder):
    with pytest.raises(KibitzError, match="There is no engine 'dask' for self-play; choose one of local, ray"):
        train(folder / "net.npz", engine="dask")
    with pytest.raises(KibitzError, match="An address is for the engine ray; the engine local runs on this machine"):
        train(folder / "net.npz", address="auto")
    with pytest.raises(KibitzError, match=r"Workers cannot find the game Nim; name it as path/file.py:Class"):
        train(folder / "net.npz", game=toys.Nim(), engine="ray")
    with kibitz.plain(), pytest.raises(KibitzError, match="Plain mode is for debugging; leave out the engine ray"):
        train(folder / "net.npz", engine="ray")
