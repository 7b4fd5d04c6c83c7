"""The variants of games that people ask for. A new one is looked at in the workshop before the server touches it.

Rules can be made that take minutes and gigabytes just to construct, or to say which bots can play them. So every client
may ask for a few new variants at a time, and one that takes long to look at is refused.
"""

from __future__ import annotations

import asyncio
import time

from kibitz.display.board import board_of
from kibitz.errors import KibitzError
from kibitz.players.levels import levels_of
from kibitz.players.roster import bots_for
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game
from kibitz.web.catalogue import Catalogue, variant_fields
from kibitz.web.limits import Allowances, Rate
from kibitz.web.recent import Recent
from kibitz.web.workshop import TOO_LARGE, Workshop

MOST_KNOWN = 1000
LONGEST_LOOK = 2.0  # seconds of CPU time


class Variants:
    """The variants that have been looked at."""

    def __init__(self, catalogue: Catalogue, workshop: Workshop, rate: Rate) -> None:
        self._catalogue = catalogue
        self._workshop = workshop
        self._allowances = Allowances(rate)
        self._known: Recent[tuple[str, int | None], None] = Recent(MOST_KNOWN)

    async def game(self, text: str, players: int | None, client: str) -> Game:
        """The game that a client names, for a number of players if the game allows several."""
        await self._look_at(text, players, client)
        return await asyncio.to_thread(self._catalogue.game, text, players)

    async def _look_at(self, text: str, players: int | None, client: str) -> None:
        full = self._catalogue.full_spec(text)
        if text in self._catalogue.names and (players is None or await asyncio.to_thread(self._fits, text, players)):
            return  # the server offers it by itself
        key = full, players
        if key not in self._known:
            self._allowances.take(client)
            await self._workshop.run(look_at, self._catalogue.full_spec(text.partition(":")[0]), full, players)
            self._known[key] = None
        self._known.use(key)

    def _fits(self, name: str, players: int) -> bool:
        fewest, most = self._catalogue.facts(name)["players"]
        return bool(fewest <= players <= most)


def look_at(usual: str, spec: str, players: int | None) -> None:
    """Do with a variant what the server does with it before it is played; an error if that takes long."""
    _visit(find_game(usual))  # imports everything
    began = time.process_time()
    game = find_game(spec)
    if players not in (None, game.players) and any(f.name == "players" for f in variant_fields(game)):
        game = find_game(spec, players=players)
    _visit(game)
    if time.process_time() - began > LONGEST_LOOK:
        raise KibitzError(TOO_LARGE)


def _visit(game: Game) -> None:
    levels_of(game)
    bots_for(game)
    for lesson in board_of(game).lessons(game):
        if lesson.scene:
            lesson.scene.document()
