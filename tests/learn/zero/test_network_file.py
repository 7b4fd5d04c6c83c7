"""Networks as files: read back as written, and refused with a sentence if anything is wrong."""

import contextlib
import io
import json

import numpy as np
import pytest
from nets import random_network, written
from toys import DiceRace, Nim

import kibitz
from kibitz.learn.zero.network_file import TrainedNetwork

NIM = Nim(heap=9)


@pytest.fixture
def path(tmp_path):
    return written(NIM, random_network(NIM), tmp_path / "net.npz")


def refused(path, game=NIM):
    with pytest.raises(kibitz.KibitzError) as caught:
        kibitz.bot(f"zero:net={path}", game)
    return str(caught.value)


def changed(path, **arrays):
    """Write a file again with other arrays."""
    with np.load(path) as before:
        content = {**before, **arrays}
    np.savez(path, **content)


def test_a_network_is_the_same_when_read_back(path):
    read = TrainedNetwork.read(path)
    assert all(np.array_equal(a, b) for a, b in zip(read.network, random_network(NIM), strict=True))
    assert (read.game, read.games, read.seed) == ("Nim:heap=9", 0, 0)
    assert read.features_in(NIM).size(NIM) == len(read.network.features)


def test_the_same_network_gives_the_same_file(path, tmp_path):
    assert written(NIM, random_network(NIM), tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_missing_file_is_reported(tmp_path):
    assert "cannot be read: No such file" in refused(tmp_path / "none.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a network", b"\x93NUMPY"])
def test_a_file_that_is_not_a_network_is_refused(tmp_path, content):
    (tmp_path / "net.npz").write_bytes(content)
    assert "is not a network written by `kibitz train`" in refused(tmp_path / "net.npz")


def test_damaged_files_are_refused_or_harmless(path):
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        damaged = path.with_name(f"damaged-{place}.npz")
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with contextlib.suppress(kibitz.KibitzError):
            assert np.isfinite(TrainedNetwork.read(damaged).network.features).all()
    for length in range(0, len(whole), max(1, len(whole) // 20)):
        short = path.with_name(f"short-{length}.npz")
        short.write_bytes(whole[:length])
        assert "is not a network" in refused(short)


def test_nothing_is_unpickled(path):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("unpickled",)

    content = io.BytesIO()
    with np.load(path) as before:
        arrays = {**before, "features": np.array([Trap()], dtype=object)}
    np.savez(content, **arrays)
    path.write_bytes(content.getvalue())
    assert "is not a network" in refused(path)


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"second": np.zeros((64, 33), "f4")}, "is not a network"),
        ({"second": np.zeros((64, 32))}, "is not a network"),
        ({"values": np.zeros((2, 32, 1), "f4")}, "is not a network"),
        ({"surprise": np.zeros(3, "f4")}, "is not a network"),
        ({"about": np.frombuffer(b"{}", "u1")}, "is not a network"),
        ({"first_bias": np.full(64, np.nan, "f4")}, "is damaged: a weight is not a number"),
        ({"features": np.zeros((4, 64), "f4")}, "does not fit Nim:heap=9"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(path, arrays, sentence):
    changed(path, **arrays)
    assert sentence in refused(path)


def test_a_huge_file_is_not_unpacked(path):
    content = io.BytesIO()
    np.savez_compressed(content, features=np.zeros(100 << 20, "f4"))
    path.write_bytes(content.getvalue())
    assert "is not a network" in refused(path)


def test_a_network_of_other_rules_is_refused(path):
    assert "was learned from other rules than those of Nim:heap=10 today" in refused(path, Nim(heap=10))
    assert "zero" in refused(path, DiceRace())


def test_damaged_features_are_refused(path):
    with np.load(path) as before:
        about = json.loads(bytes(before["about"]))
    about["features"]["fields"][0]["count"] = -3
    changed(path, about=np.frombuffer(json.dumps(about).encode(), "u1"))
    assert "its features are not described as expected" in refused(path)
