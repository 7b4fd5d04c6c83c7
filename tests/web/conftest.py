"""A server within the test process."""

import pytest
from gated_bots import GatedBots
from visitors import serving, toy_catalogue


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
    yield bots
    bots.end()
