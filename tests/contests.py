"""Plans of small tournaments, and their games as an executor plays them."""

from pathlib import Path

import numpy as np

import kibitz
from kibitz.players.seating import Terms
from kibitz.records.games import Games
from kibitz.tournament.executors import choose_executor
from kibitz.tournament.plan import Plan
from kibitz.tournament.schedule import Schedule

TOYS = Path(__file__).parent / "toys.py"
DICE = f"{TOYS}:DiceRace:goal=6"
SMALL = "connect_four:columns=4,rows=4"
BOTS = '''
import ctypes, time

class First:
    def choose(self, view):
        return view.moves[0]

class Hangs:
    """Hangs from its second move of a game on, under a name that can be seen from outside."""
    def choose(self, view):
        if len(view.history) > 3:
            ctypes.CDLL(None).prctl(15, b"hangs", 0, 0, 0)
            time.sleep(1000)
        return view.moves[-1]
'''


def plan(game, specs, games, terms=None):
    rules = kibitz.game(game)
    return Plan(
        game, tuple(specs), 3, Schedule(rules.players, len(specs), games), keep_moves=True, terms=terms or Terms()
    )


def tasks(schedule, about=1):
    first, chunk = 0, 0
    while first < schedule.games:
        numbers = schedule.chunk(first, about)
        yield chunk, np.arange(numbers.start, numbers.stop)
        chunk, first = chunk + 1, numbers.stop


def finished(what, executor, rules=None, about=1):
    """The games of a plan by chunk, played by an executor, or by the one chosen for a number of workers."""
    contest, done = what.contest(rules), {}
    executor = executor if hasattr(executor, "play") else choose_executor(contest, workers=executor)
    for _ in executor.play(contest, tasks(what.schedule, about), done.update):
        pass
    return done


def played(what, executor, about=1):
    done = finished(what, executor, about=about)
    assert sorted(done) == list(range(len(done)))
    games = Games.joined(list(done.values()))
    games.seconds[:] = 0
    return games
