"""Bots from files for the tests, and channels to them that need no process."""

import json

from kibitz.compiler import is_plain
from kibitz.players.guest import Guest
from kibitz.sandbox.pipes import ProcessEnding

BOTS = """
import numpy as np
from kibitz.compiler import is_plain
from kibitz.rules.rng import below

class First:
    def choose(self, view):
        self.view = view
        return view.moves[0]

class Names:
    def choose(self, view):
        return view.names[-1]

class Misnames:
    def choose(self, view):
        return "take 9"

class Lucky:
    '''Draws from its stream in every way there is.'''
    def __init__(self, warmth: int = 1):
        self.moves = 0
    def choose(self, view):
        self.moves += 1
        self.was_plain = is_plain()
        draws = below(view.rng.words, 1000) + view.rng.randrange(1000) + int(1000 * view.rng.gauss(0, 1))
        return view.moves[(draws + self.moves) % len(view.moves)]

class Learns:
    learns = True
    def choose(self, view):
        return view.moves[0]

class Listens(First):
    def game_over(self, view, payoff):
        self.told = payoff

class Raises:
    def choose(self, view):
        raise ZeroDivisionError("by design")

class Exits:
    def choose(self, view):
        raise SystemExit(3)

class Interrupts:
    def choose(self, view):
        raise KeyboardInterrupt

class Mute(Exception):
    def __str__(self):
        raise ValueError

class RaisesUnspeakably:
    def choose(self, view):
        raise Mute

class Paints:
    def choose(self, view):
        raise ValueError("a\\x1b[31mb\\nc" + "d" * 10**6)

class Answers:
    def __init__(self, what: int = 0):
        self.what = [None, "4", 1.0, True, 10**5000, np.int8(2), np.array(1)][what]
    def choose(self, view):
        return self.what

class Unmakeable:
    def __init__(self):
        raise OSError("no weights")
    def choose(self, view):
        return 0
"""


class Here:
    """A channel to a bot in this process; it records all questions."""

    ending = ProcessEnding(None)

    def __init__(self, rules):
        self.guest = Guest(rules, is_plain())
        self.questions = []
        self.closed = False

    def send(self, line, seconds):
        self.questions.append(line)

    def receive(self, seconds):
        return json.dumps(self.guest.answer(json.loads(self.questions[-1]))).encode()

    def close(self):
        self.closed = True
