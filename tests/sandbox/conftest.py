"""Processes in sandboxes of every kind."""

import contextlib

import pytest
from inmates import Inmate, warden_of

from kibitz.sandbox.levels import SandboxLevel

CONFINED = [SandboxLevel.BWRAP, SandboxLevel.LANDLOCK]


@pytest.fixture(scope="session")
def wardens():
    """A warden at each level, which all tests share."""
    started = {}

    def warden_at(level):
        if level not in started:
            started[level] = warden_of(level)
        return started[level]

    yield warden_at
    for warden in started.values():
        warden.close()


@contextlib.contextmanager
def started(warden, level):
    inmate = Inmate(warden.start(), level)
    yield inmate
    inmate.channel.close()


@pytest.fixture(params=list(SandboxLevel))
def inmate(request, wardens):
    """A new process at every level."""
    with started(wardens(request.param), request.param) as process:
        yield process


@pytest.fixture(params=CONFINED)
def confined(request, wardens):
    """A new process at every level that confines it."""
    with started(wardens(request.param), request.param) as process:
        yield process


@pytest.fixture
def secret(tmp_path):
    """A file outside every policy."""
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    return path
