"""A server within the test process."""

import pytest
from gated_bots import GatedBots
from postgres import MISSING, programs, running_postgres
from visitors import serving, toy_catalogue

from kibitz.web.database import open_folder, open_postgresql
from kibitz.web.lanes import Lane, ThoughtTimes


@pytest.fixture(scope="module")
def client():
    """A server with the toy games and bots that fail."""
    with serving(toy_catalogue()) as client:
        yield client


@pytest.fixture
def gated(monkeypatch):
    """Bots that think for as long as the test wants."""
    bots = GatedBots()
    monkeypatch.setattr("kibitz.web.bot_turns.ask", bots.ask)
    monkeypatch.setattr(ThoughtTimes, "lane", lambda *args: Lane.QUICK)  # they think in this process
    yield bots
    bots.end()


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server."""
    if programs() is None:
        pytest.skip(MISSING)
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def reopen(request, tmp_path):
    """Opens a store with the same contents, again and again."""
    if request.param == "sqlite":
        return lambda: open_folder(tmp_path / "tables")
    address = request.getfixturevalue("postgres").new_database()
    return lambda: open_postgresql(address)
