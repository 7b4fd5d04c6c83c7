"""Connecting to a Ray cluster."""

import sys
from types import SimpleNamespace

import pytest

from kibitz import KibitzError, cluster
from kibitz.cluster import STARTS, connected


def connect(address=None):
    with connected(address):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:nonsense", ":", "localhost:99999"])
def test_an_address_where_there_is_no_cluster_is_refused(address):
    with pytest.raises(KibitzError, match=f"Could not connect to a Ray cluster at '{address}'"):
        connect(address)


def test_ray_client_is_refused():
    with pytest.raises(KibitzError, match="kibitz cannot use Ray Client"):
        connect("ray://127.0.0.1:10001")


def test_without_ray_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(KibitzError, match=r'The engine ray needs Ray; install it with: pip install "kibitz\[ray\]"'):
        connect()


@pytest.mark.parametrize("failures", [STARTS - 1, STARTS])
def test_a_cluster_that_starts_too_slowly_is_started_again(monkeypatch, failures):
    class SlowRay:
        _private = SimpleNamespace(worker=SimpleNamespace())
        starts = shutdowns = 0

        def is_initialized(self):
            return False

        def init(self, **options):
            self.starts += 1
            if self.starts <= failures:
                raise Exception("The current node timed out during startup.")

        def shutdown(self):
            self.shutdowns += 1

    ray = SlowRay()
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(cluster, "import_ray", lambda: ray)
    if failures < STARTS:
        connect()
    else:
        with pytest.raises(KibitzError, match="Could not connect to a Ray cluster at 'local': The current node timed"):
            connect()
    assert (ray.starts, ray.shutdowns) == (STARTS, failures < STARTS)
