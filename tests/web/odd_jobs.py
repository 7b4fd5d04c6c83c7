"""Jobs for the workshop that go wrong in every way, and a game that takes its time."""

import os
import time
from pathlib import Path

import kibitz
from kibitz import OVER, notices
from kibitz.errors import KibitzError


def note(path):
    Path(path).write_text(f"{os.getpid()} {os.nice(0)}")


def refuse():
    raise KibitzError("No such variant.")


def fail():
    raise ZeroDivisionError("a path that nobody should see: /etc/passwd")


def spin():
    while True:
        pass


def sleep():
    time.sleep(3600)


def swallow_memory():
    bytearray(1 << 40)


def die():
    os._exit(3)


def note_the_end(connection, path):
    connection.send("I am here.")
    try:
        connection.recv()
    except EOFError:
        note(path)


@kibitz.game(runtime=["stones"])
class Ponderous:
    """Who takes the last of a few stones wins. With many stones, just to construct the rules takes forever."""

    stones: int = 3

    players = 2
    actions = 2  # move m takes m + 1
    max_moves = 2
    max_plies = 100

    def __post_init__(self):
        while self.stones > 50:
            pass

    def fields(self):
        return [("left", "i4"), ("turn", "i1"), ("winner", "i1")]

    def start(self, s):
        s.left = self.stones

    def moves(self, s, out):
        out[0] = 0
        out[1] = 1
        return min(2, s.left)

    def play(self, s, move):
        s.left -= move + 1
        s.winner = s.turn
        s.turn = OVER if s.left == 0 else 1 - s.turn

    def payoff(self, s, out):
        out[s.winner] = 1.0
        out[1 - s.winner] = 0.0


def compile_a_little():
    notices.tell_compiling("a little")
    notices.tell_compiled()
