"""Gets games and bots ready: compiles them in the workshop, and loads the machine code into the server.

Whatever is compiled already is just loaded, in a thread, which takes milliseconds. When the server starts, this is done
for all games and levels that it offers, those that were added first; but what somebody waits for comes before all that.
Nothing is compiled in the server itself, except for the little that the cache cannot hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from kibitz.compiler import loading_only
from kibitz.display.board import board_of
from kibitz.errors import NotCompiled
from kibitz.players.roster import resolve
from kibitz.players.warm_up import rehearse, try_out
from kibitz.rules.contract import NOBODY, Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.table import View
from kibitz.web.catalogue import Catalogue
from kibitz.web.garbage import leave_out_what_is_loaded
from kibitz.web.workshop import Workshop

RULES = ""  # in place of a bot's spec
RANKS = (None, 1, -1, 2, 0)  # all rules, then the casual bots, which one meets first, the best, and the others


class Preparation(NamedTuple):
    """How far a game and some bots are: the rules are one step, and so is every bot."""

    done: int
    of: int
    part: str  # what is being prepared: RULES, or the spec of a bot; RULES when everything is done
    functions: int  # of that part that have been compiled so far


class Precompiler:
    """Gets games and bots ready, and knows which of them are."""

    def __init__(self, catalogue: Catalogue, workshop: Workshop) -> None:
        self._catalogue = catalogue
        self._workshop = workshop
        self._ready: set[tuple[str, str]] = set()
        self._in_progress: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._pictures: dict[str, dict[str, Any] | None] = {}  # by the spec of a game
        self._loader = ThreadPoolExecutor(1, "loader")  # numba loads one function at a time anyway
        self._background: asyncio.Task[None] | None = None
        self._functions: Counter[tuple[str, str]] = Counter()  # that have been compiled so far
        self._people = 0  # who wait for something
        self._nobody_waits = asyncio.Event()
        self._nobody_waits.set()
        self.progress: Callable[[int, int], None] = lambda done, total: None  # told what is ready of what is offered

    def start(self) -> None:
        """Get everything ready that the server offers, in the background."""
        self._background = asyncio.create_task(self._prepare_all())

    def stop(self) -> None:
        """Get nothing more ready."""
        for task in (self._background, *self._in_progress.values()):
            if task is not None:
                task.cancel()
        self._loader.shutdown(wait=False, cancel_futures=True)

    def is_ready(self, game: Game, bots: Iterable[str] = ()) -> bool:
        """Whether a game with these bots can begin immediately."""
        return all((spec_of(game), spec) in self._ready for spec in (RULES, *bots))

    def preparation(self, game: Game, bots: Iterable[str] = ()) -> Preparation:
        """How far a game with these bots is."""
        keys = [(spec_of(game), spec) for spec in dict.fromkeys((RULES, *bots))]
        left = [key for key in keys if key not in self._ready]
        now = left[0] if left else keys[0]
        return Preparation(len(keys) - len(left), len(keys), now[1], self._functions[now])

    async def prepare(self, game: Game, bots: Iterable[str] = (), patient: bool = False) -> None:
        """Get ready what a table needs, before anything that nobody waits for. What has to be compiled takes seconds.

        Busy if too much has, and not patient; another error says why the variant cannot be played here.
        """
        self._people += 1
        self._nobody_waits.clear()
        try:
            await self._prepare_parts(game, bots, patient)
        finally:
            self._people -= 1
            if not self._people:
                self._nobody_waits.set()

    async def _prepare_parts(self, game: Game, bots: Iterable[str], patient: bool) -> None:
        for spec in (RULES, *bots):
            key = spec_of(game), spec
            if key not in self._ready:
                await asyncio.shield(self._started(key, game, patient))  # others may wait for the same

    def _started(self, key: tuple[str, str], game: Game, patient: bool) -> asyncio.Task[None]:
        if key not in self._in_progress:
            self._in_progress[key] = asyncio.create_task(self._prepare(key, game, patient))
            self._in_progress[key].add_done_callback(lambda _: self._in_progress.pop(key))
        return self._in_progress[key]

    async def _prepare(self, key: tuple[str, str], game: Game, patient: bool) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._loader, load, game, key[1])
        except NotCompiled:
            count = functools.partial(self._count, key)
            await self._workshop.run(compile_part, *key, patient=patient, compiling=count)
            await loop.run_in_executor(self._loader, run_through, game, key[1])
        self._ready.add(key)

    def _count(self, key: tuple[str, str], what: str) -> None:
        self._functions[key] += 1

    async def _prepare_all(self) -> None:
        added = list(self._catalogue.added)
        shipped = self._catalogue.names[len(added) :]
        offered = [(name, rank) for names in (added, shipped) for rank in RANKS for name in names]
        for done, (name, rank) in enumerate(offered):
            self.progress(done, len(offered))
            await self._nobody_waits.wait()
            with contextlib.suppress(Exception):  # anyone who opens a table of this game will see the error
                levels = (await asyncio.to_thread(self._catalogue.facts, name))["levels"]
                bots = [] if rank is None else [levels[rank]["spec"]]
                await self._prepare_parts(self._catalogue.game(name), bots, patient=True)
        self.progress(len(offered), len(offered))
        leave_out_what_is_loaded()

    def picture(self, game: Game) -> dict[str, Any] | None:
        """A picture of a game: the first one in its rules, or a scene from the middle of a game once it is compiled."""
        key = spec_of(game)
        if key not in self._pictures:
            found = first_picture(game)
            if found is None and not self.is_ready(game):
                return None
            self._pictures[key] = found or drawing(rehearse(game))
        return self._pictures[key]


def load(game: Game, bot: str) -> None:
    """Load the compiled rules of a game, or a bot for it, into this process; NotCompiled if that is impossible."""
    with loading_only():
        run_through(game, bot)


def run_through(game: Game, bot: str) -> None:
    """Run the rules of a game, or a bot for it, for a moment, which compiles and loads all of it."""
    if bot == RULES:
        rehearse(game)
    elif (entrant := resolve(bot, game)).is_shipped:
        try:
            try_out(game, entrant.make())
        except (NotCompiled, MemoryError):
            raise
        except Exception:
            pass  # it will be seen in a game


def compile_part(game: str, bot: str) -> None:
    """Compile the rules of a game, or a bot for it; called in a process of the workshop."""
    run_through(find_game(game), bot)


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
