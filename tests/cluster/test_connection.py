"""Connecting to a Ray cluster."""

import sys

import pytest

from kibitz import KibitzError
from kibitz.cluster import connected


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
