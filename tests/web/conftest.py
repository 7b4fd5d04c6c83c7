"""A server within the test process."""

import pytest
from visitors import HERE, TOYS, serving

from kibitz.web.catalogue import Catalogue


@pytest.fixture(scope="module")
def client():
    """A server with the toy games and a bot that fails."""
    games = [f"{TOYS}:{name}" for name in ("Nim", "DiceRace", "HighCard")]
    bots = {"Trouble": f"{HERE / 'trouble.py'}:Trouble", "Cheat": f"{HERE / 'trouble.py'}:Cheat"}
    with serving(Catalogue(games, bots)) as client:
        yield client
