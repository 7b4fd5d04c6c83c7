"""Bots from files never run in the process of a command."""

import os
import sys

import pytest
import toys

from kibitz.players.roster import resolve
from kibitz.rules.registry import find_game
from kibitz.web.catalogue import Catalogue

NIM = f"{toys.__file__}:Nim:heap=5"
SHY = """
import sys

assert "pytest" not in sys.modules, "loaded by the process of the command"

class Shy:
    def choose(self, view):
        print("I took", view.names[0], file=sys.stderr)
        return view.moves[0]
"""


OWN_NIM = f"""
import sys
sys.path.insert(0, {os.path.dirname(toys.__file__)!r})
import kibitz, toys

class Own:
    def choose(self, view):
        return view.moves[-1]

@kibitz.game
class OwnNim(toys.Nim):
    bots = {{"own": Own}}
"""


@pytest.fixture
def shy(tmp_path):
    """A bot whose file cannot be loaded here."""
    path = tmp_path / "shy_bot.py"
    path.write_text(SHY)
    yield f"{path}:Shy"
    assert "shy_bot" not in sys.modules


def test_watching_does_not_load_them_and_shows_what_they_wrote(run, shy):
    outcome = run(f"watch {NIM} {shy} random --moves-only")
    assert outcome.code == 0
    assert "I took take 1" in outcome.err


def test_playing_does_not_load_them_not_even_for_hints(run, shy):
    outcome = run(f"play {NIM} --vs {shy} --hint {shy} --seed 1", typed="hint\n1\nhint\n1\n1\n")
    assert outcome.code == 0
    assert f"{shy}wouldplaytake1" in "".join(outcome.out.split())
    assert "wins." in outcome.out


def test_a_server_does_not_load_them(shy):
    catalogue = Catalogue([NIM.rpartition(":")[0]], {"Shy": shy})
    assert catalogue.bot("Shy", catalogue.game("nim")).spec == shy


def test_a_server_refuses_one_that_cannot_be_created(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("class Broken:\n    choose = 1 / 0\n")
    with pytest.raises(Exception, match=r"broken\.py line 2: ZeroDivisionError"):
        Catalogue([NIM.rpartition(":")[0]], {"Broken": f"{path}:Broken"})


def test_a_shipped_bot_with_one_in_its_options_is_a_stranger_too(tmp_path):
    path = tmp_path / "own_nim.py"
    path.write_text(OWN_NIM)
    game = find_game(f"{path}:OwnNim")
    assert resolve("mc:sims=3,by=own", game).is_stranger
    assert not resolve("mc:sims=3,by=random", game).is_stranger
