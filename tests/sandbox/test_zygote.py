"""Zygotes: what a bot from a Python file can find of its other games, and of the process that it was forked from."""

import json
import os
from pathlib import Path

import pytest
import toys
from inmates import skip_unless_given
from processes import LONG, zygotes_of

import kibitz
from kibitz import Table
from kibitz.players.roster import resolve
from kibitz.players.seating import Players, Terms
from kibitz.sandbox.levels import SandboxLevel

NIM = f"{toys.__file__}:Nim"
REMEMBERS = """
import builtins, gc, os, sys, threading
import kibitz, numpy as np

MEMORY = []

class Remembers:
    '''Leaves a mark wherever it can, and plays 2 if it finds one.'''
    def choose(self, view):
        found = bool(MEMORY) or hasattr(builtins, "mark") or hasattr(kibitz, "mark") or hasattr(sys, "mark")
        found = found or "MARK" in os.environ or np.geterr()["divide"] == "raise" or hasattr(type(view.game), "mark")
        found = found or sys.getrecursionlimit() == 4321 or not gc.isenabled()
        MEMORY.append(1)
        builtins.mark = kibitz.mark = sys.mark = 1
        os.environ["MARK"] = "1"
        np.seterr(divide="raise")
        type(view.game).mark = 1
        sys.setrecursionlimit(4321)
        gc.disable()
        return 2 if found else 1

class Spies:
    '''Prints what it can see.'''
    def choose(self, view):
        import json
        maps = open("/proc/self/maps").read().splitlines()
        print(json.dumps({
            "shared": [line for line in maps if line.split()[1][1] == "w" and line.split()[1][3] == "s"],
            "files": sorted(map(int, os.listdir("/proc/self/fd"))),
            "environment": sorted(os.environ),
            "threads": threading.active_count(),
        }))
        return 0
"""


@pytest.fixture(scope="module", params=list(SandboxLevel))
def players(request, tmp_path_factory):
    """Bots in sandboxes, and the file with them."""
    skip_unless_given(request.param)
    folder = tmp_path_factory.mktemp("bots")
    (folder / "bots.py").write_text(REMEMBERS)
    (folder / "stderr").mkdir()
    rules = kibitz.game(NIM)
    terms = Terms(move_time=LONG, sandbox=request.param, stderr=str(folder / "stderr"))
    with pytest.MonkeyPatch.context() as patch, Players(rules, terms) as seats:
        patch.setenv("OUR_TOKEN", "secret")
        seats.folder = folder
        yield seats


def seated(players, name):
    (bot,) = players.seat([resolve(f"{players.folder / 'bots.py'}:{name}", players.game)])
    return bot


def test_a_bot_finds_nothing_of_its_last_game(players):
    chosen = []
    for _ in range(3):
        bot, table = seated(players, "Remembers"), Table(players.game)
        chosen.append([bot.choose(table.view(0)), bot.choose(table.view(0))])
    assert chosen[0][1] == 2
    assert chosen[1:] == [[1, 2], [1, 2]]  # the first process has been warmed up, in a game that does not count


def test_it_shares_no_memory_no_file_and_no_environment_with_anybody(players):
    bot = seated(players, "Spies")
    bot.choose(Table(players.game).view(0))
    bot.new_game()
    (kept,) = (players.folder / "stderr").glob("*Spies*")
    seen = json.loads(kept.read_text().splitlines()[-1])
    assert seen["shared"] == []
    assert seen["files"][:5] == [0, 1, 2, 3, 4]  # the last two: questions and answers
    assert len(seen["files"]) <= 6  # and the folder that it lists
    assert "OUR_TOKEN" not in seen["environment"]
    assert seen["threads"] == 1


def test_the_zygote_has_no_writable_memory_that_its_children_share(players):
    seated(players, "Spies").ready()
    zygotes = zygotes_of(os.getpid())
    assert zygotes
    if os.geteuid() != 0:
        pytest.skip("only root may look into a zygote")
    for pid in zygotes:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
        assert not [line for line in lines if line.split()[1][1] == "w" and line.split()[1][3] == "s"]
