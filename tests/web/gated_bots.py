"""Bots that think for as long as a test wants, and play their first legal move."""

import threading

from visitors import PATIENCE


class GatedBots:
    """Takes the place of `ask` in kibitz/web/bot_turns.py. Like every search, it ends when it is stopped."""

    def __init__(self):
        self.plies = []  # how many plies each bot saw that was asked
        self._lock = threading.Condition()
        self._gate = threading.Event()  # of the bot that was asked last
        self._thinking = 0
        self._ended = False

    def ask(self, view, player, title, limit):
        with self._lock:
            gate = self._gate = threading.Event()
            self.plies.append(len(view.history))
            view.rng.random()
            self._thinking += 1
            self._lock.notify_all()
        while not (gate.wait(0.005) or limit.stop.is_set() or self._ended):
            pass
        with self._lock:
            self._thinking -= 1
            self._lock.notify_all()
        return view.moves[0]

    def wait_until_asked(self, times):
        """Wait until bots have been asked for this many moves in all, and not for more."""
        with self._lock:
            assert len(self.plies) <= times, "A bot was asked too early."
            assert self._lock.wait_for(lambda: len(self.plies) >= times, PATIENCE)

    def let_move(self):
        """Let the bot that was asked last move, and wait until its thread has let go of it."""
        with self._lock:
            self._gate.set()
            assert self._lock.wait_for(lambda: self._thinking == 0, PATIENCE)

    def end(self):
        """Let go of all threads when a test is over."""
        self._ended = True
