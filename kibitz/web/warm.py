"""Compiling before anyone waits for it: the rules of every game on offer, then their bots, one after the other.

It starts with the server, in a thread that gives way to all others. A table whose game has not had its turn yet has it
prepared at once, while the rest waits, and says what it waits for.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
from collections.abc import Callable, Iterable
from typing import Any

from kibitz.arena.isolation import make_player
from kibitz.board import board_of
from kibitz.bots import is_shipped
from kibitz.game import NOBODY, Game
from kibitz.games import spec_of
from kibitz.table import Table, View
from kibitz.web.catalogue import Catalogue

RULES = ""  # in the place of a bot's spec
REHEARSED_PLIES = 3000  # a game of random moves is over long before
A_GLANCE = 0.02  # seconds that a bot is given to get its code compiled
LOWER_PRIORITY = 5  # of a thread, as of a process by `nice`


class Preparation:
    """Knows what is compiled already, and has the rest compiled."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._ready: set[tuple[str, str]] = set()
        self._pictures: dict[str, dict[str, Any] | None] = {}  # of games as they are on offer
        self._stopped = threading.Event()
        self._in_a_hurry = 0  # how many tables wait
        self._changed = threading.Condition()

    def start(self) -> None:
        """Prepare everything on offer in the background."""
        threading.Thread(target=self._prepare_all, name="warming up", daemon=True).start()

    def stop(self) -> None:
        """End after what is being compiled now."""
        self._stopped.set()

    def is_ready(self, game: Game, bots: Iterable[str] = ()) -> bool:
        """Whether a game, with these bots, can begin without anyone waiting."""
        return all((spec_of(game), spec) in self._ready for spec in (RULES, *bots))

    def prepare(self, game: Game, bots: Iterable[str] = ()) -> None:
        """Compile what a table needs. Takes seconds the first time; to be called in a thread."""
        with self._changed:
            self._in_a_hurry += 1
        try:
            self._prepare(game, bots, between=lambda: None)
        finally:
            with self._changed:
                self._in_a_hurry -= 1
                self._changed.notify_all()

    def _prepare(self, game: Game, bots: Iterable[str], between: Callable[[], None]) -> None:
        for spec in (RULES, *bots):
            between()
            if (spec_of(game), spec) not in self._ready and not self._stopped.is_set():
                if spec == RULES:
                    rehearse(game, between)
                else:
                    try_out(game, spec)
                self._ready.add((spec_of(game), spec))

    def _give_way(self) -> None:
        """Wait while a table waits: two who compile at once only slow each other down."""
        with self._changed:
            self._changed.wait_for(lambda: not self._in_a_hurry)

    def picture(self, game: Game) -> dict[str, Any] | None:
        """The first picture of a game's lessons; without any, a scene from the middle of a game, once it is ready."""
        key = spec_of(game)
        if key not in self._pictures:
            found = drawn_in_lessons(game)
            if found is None and not self.is_ready(game):
                return None
            self._pictures[key] = found or drawn(rehearse(game))
        return self._pictures[key]

    def _prepare_all(self) -> None:
        with contextlib.suppress(AttributeError, OSError):  # where threads have no priority of their own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWER_PRIORITY)
        for rank in (None, -1, 0, 1, 2):  # first all rules, then the best bots, then the other levels
            for name in self._catalogue.names:
                with contextlib.suppress(Exception):  # a table of this game will say what is wrong with it
                    levels = self._catalogue.facts(name)["levels"]
                    bots = [] if rank is None else [levels[rank]["spec"]]
                    self._prepare(self._catalogue.game(name), bots, self._give_way)


def rehearse(game: Game, between: Callable[[], None] = lambda: None) -> View:
    """Play a game of random moves, so that all of its rules are compiled; return how it looked in the middle.

    `between` is called before every move.
    """
    table, dice = Table(game, seed="rehearsal"), random.Random(0)
    seen = [table.view(NOBODY)]
    while not table.over and len(table.history) < REHEARSED_PLIES:
        between()
        table.play(dice.choice(table.view(table.turn).moves))
        seen.append(table.view(NOBODY))
    if table.over:
        table.payoff()
        table.score()
    return seen[len(seen) // 2]


def drawn(view: View) -> dict[str, Any] | None:
    """A position as a picture; None where there is none, or none that works."""
    with contextlib.suppress(Exception):  # a table will tell
        scene = view.board.scene(view.game, view.state, NOBODY)
        return None if scene is None else scene.document()
    return None


def drawn_in_lessons(game: Game) -> dict[str, Any] | None:
    """The first picture of a game's lessons."""
    with contextlib.suppress(Exception):  # the page with the rules will tell
        return next((lesson.scene.document() for lesson in board_of(game).lessons(game) if lesson.scene), None)
    return None


def try_out(game: Game, spec: str) -> None:
    """Ask a bot for a move, so that its code is compiled. What goes wrong will be seen where it matters."""
    if not is_shipped(spec, game):
        return
    table = Table(game, seed="rehearsal")
    while not table.over and len(table.moves()) == 1:
        table.play(table.moves()[0])
    if not table.over:
        with contextlib.suppress(Exception):
            make_player(spec, game).choose(table.view(table.turn, time=A_GLANCE))
