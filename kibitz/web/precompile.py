"""Compiles the rules and bots of all games in the background, so that nobody has to wait for it later.

This starts with the server, in a thread of low priority, with the games that were added to the server. When somebody
opens a table whose game is not compiled yet, that game is compiled first, and the background thread waits.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

from kibitz.display.board import board_of
from kibitz.players.roster import resolve
from kibitz.players.warm_up import rehearse, try_out
from kibitz.rules.contract import NOBODY, Game
from kibitz.rules.registry import spec_of
from kibitz.table import View
from kibitz.web.catalogue import Catalogue

RULES = ""  # in place of a bot's spec
LOWER_PRIORITY = 5  # the niceness of the background thread


class Precompiler:
    """Compiles games and bots, and knows which of them are compiled."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._ready: set[tuple[str, str]] = set()
        self._pictures: dict[str, dict[str, Any] | None] = {}  # by the spec of a game
        self._stopped = threading.Event()
        self._waiting_tables = 0
        self._changed = threading.Condition()

    def start(self) -> None:
        """Compile everything that the server offers, in the background."""
        threading.Thread(target=self._prepare_all, name="precompiler", daemon=True).start()

    def stop(self) -> None:
        """Compile nothing more after what is being compiled now."""
        self._stopped.set()

    def is_ready(self, game: Game, bots: Iterable[str] = ()) -> bool:
        """Whether a game with these bots can begin immediately."""
        return all((spec_of(game), spec) in self._ready for spec in (RULES, *bots))

    def prepare(self, game: Game, bots: Iterable[str] = ()) -> None:
        """Compile what a table needs. The first time, this takes seconds; call it in a thread."""
        with self._changed:
            self._waiting_tables += 1
        try:
            self._prepare(game, bots, between=lambda: None)
        finally:
            with self._changed:
                self._waiting_tables -= 1
                self._changed.notify_all()

    def _prepare(self, game: Game, bots: Iterable[str], between: Callable[[], None]) -> None:
        for spec in (RULES, *bots):
            between()
            if (spec_of(game), spec) not in self._ready and not self._stopped.is_set():
                if spec == RULES:
                    rehearse(game, between)
                elif (entrant := resolve(spec, game)).is_shipped:
                    with contextlib.suppress(Exception):  # it will be seen in a game
                        try_out(game, entrant.make())
                self._ready.add((spec_of(game), spec))

    def _give_way(self) -> None:
        """Wait while a table is being prepared: compiling two things at once would only delay it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting_tables)

    def picture(self, game: Game) -> dict[str, Any] | None:
        """A picture of a game: the first one in its rules, or a scene from the middle of a game once it is compiled."""
        key = spec_of(game)
        if key not in self._pictures:
            found = first_picture(game)
            if found is None and not self.is_ready(game):
                return None
            self._pictures[key] = found or drawing(rehearse(game))
        return self._pictures[key]

    def _prepare_all(self) -> None:
        with contextlib.suppress(AttributeError, OSError):  # not every system has priorities for threads
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWER_PRIORITY)
        added = list(self._catalogue.added)
        for names in (added, self._catalogue.names[len(added) :]):
            for rank in (None, -1, 0, 1, 2):  # all rules, then the best bots, then the other levels
                for name in names:
                    with contextlib.suppress(Exception):  # anyone who opens a table of this game will see the error
                        levels = self._catalogue.facts(name)["levels"]
                        bots = [] if rank is None else [levels[rank]["spec"]]
                        self._prepare(self._catalogue.game(name), bots, self._give_way)


def drawing(view: View) -> dict[str, Any] | None:
    """A position as a picture; None if the game has no scene, or one that fails."""
    with contextlib.suppress(Exception):  # anyone who opens a table will see the error
        scene = view.board.scene(view.game, view.state, NOBODY)
        return None if scene is None else scene.document()
    return None


def first_picture(game: Game) -> dict[str, Any] | None:
    """The first picture in the rules of a game."""
    with contextlib.suppress(Exception):  # anyone who opens the rules will see the error
        return next((lesson.scene.document() for lesson in board_of(game).lessons(game) if lesson.scene), None)
    return None
