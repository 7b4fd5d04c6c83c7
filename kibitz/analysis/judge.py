"""The judge of a game: the strongest bot that can evaluate every legal move."""

from __future__ import annotations

import contextlib

from kibitz.errors import KibitzError, SpecError
from kibitz.learn.zero.policy import move_probabilities
from kibitz.players.bot import Report, Searcher
from kibitz.players.limit import Limit
from kibitz.players.roster import bot
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game
from kibitz.rules.shipped_network import shipped_network
from kibitz.table import View

CANDIDATES = ("best", "uct", "ismcts", "mc")  # the first that is a search


class Judge:
    """Searches positions of one game, always with the same bot, whose tree keeps growing from call to call."""

    def __init__(self, game: GameLike) -> None:
        self.game = as_game(game)
        self._searcher = _searcher(self.game)
        self._opinion: tuple[View, dict[int, float]] | None = None

    def look(self, view: View, limit: Limit) -> Report:
        """Evaluate the legal moves."""
        return self._searcher.analyse(view, limit)

    def opinion(self, view: View) -> dict[int, float]:
        """The probability of each move, according to the network that ships with the game; empty if none does.

        The network is asked once per view.
        """
        if self._opinion is None or self._opinion[0] is not view:
            found: dict[int, float] = {}
            if shipped_network(self.game) is not None:
                with contextlib.suppress(KibitzError):  # it was trained under other rules
                    found = move_probabilities(view)
            self._opinion = view, found
        return self._opinion[1]


def _searcher(game: Game) -> Searcher:
    for spec in CANDIDATES:
        try:
            found = bot(spec, game)
        except SpecError:
            continue
        if isinstance(found, Searcher):
            return found
    raise KibitzError("There is no bot that can analyse this game.")
