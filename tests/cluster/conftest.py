"""A cluster of several nodes on this machine, which all tests of this folder share."""

import os
import tempfile

import pytest
from processes import wait_for

from kibitz import notices
from kibitz.cluster import connected, import_ray, patient


class Machines:
    """A cluster of two nodes with one CPU each."""

    def __init__(self, folder):
        self._ray = import_ray()
        from ray._common.utils import get_default_ray_temp_dir
        from ray.cluster_utils import Cluster

        os.makedirs(get_default_ray_temp_dir(), exist_ok=True)  # where Cluster notes its address, whatever its folder
        self._cluster = Cluster()
        self.add(temp_dir=folder)
        self.address = self._cluster.address
        self.add()

    def add(self, **options):
        """Add a node, and wait until it is there for however long that takes."""
        options |= {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}
        with patient(self._ray):
            self._cluster.add_node(wait=False, **options)
        nodes = self._cluster.global_state._live_node_ids
        wait_for(lambda: len(nodes()) >= len(self._cluster.list_all_nodes()))

    def kill(self):
        """Kill a node that is not the one this process is connected to."""
        self._cluster.remove_node(self._cluster.worker_nodes.copy().pop(), allow_graceful=False)

    def close(self):
        self._cluster.shutdown()


@pytest.fixture(scope="package")
def nodes():
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as folder:  # a short path
        machines = Machines(folder)
        yield machines
        machines.close()


@pytest.fixture(scope="module")
def machines(nodes):
    """The cluster, to which this process is connected."""
    with connected(nodes.address):
        yield nodes


@pytest.fixture
def told(monkeypatch):
    sentences = []
    monkeypatch.setattr(notices, "listener", lambda notice, sentence: sentences.append(sentence))
    return sentences
