"""The judge of a game: the strongest bot that can evaluate every legal move, or any other search."""

from __future__ import annotations

import contextlib

from kibitz.analysis.chances import in_chances, scale_of
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

    def __init__(self, game: GameLike, spec: str = "") -> None:
        """Without a `spec`, it is the strongest search that there is for the game."""
        self.game = as_game(game)
        self._searcher = _strongest(self.game) if not spec else search_named(spec, self.game)
        self._scale = scale_of(self._searcher, self.game)
        self._opinion: tuple[View, dict[int, float]] | None = None

    @property
    def knows_chances(self) -> bool:
        """Whether its values are chances to win; if not, they are an evaluation, on a scale of its own."""
        return self._scale is not None

    def look(self, view: View, limit: Limit) -> Report:
        """Evaluate the legal moves: their chances to win, if those are known."""
        report = self._searcher.analyse(view, limit)
        return report if self._scale in (None, 1.0) else in_chances(report, self._scale)

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


def _strongest(game: Game) -> Searcher:
    for spec in CANDIDATES:
        try:
            found = bot(spec, game)
        except SpecError:
            continue
        if isinstance(found, Searcher):
            return found
    raise KibitzError("There is no bot that can analyse this game.")


def search_named(spec: str, game: Game) -> Searcher:
    """A search by its spec; KibitzError if the bot is none."""
    found = bot(spec, game)
    if not isinstance(found, Searcher):
        raise KibitzError(f"{spec} cannot judge moves, because it is not a search; use uct, for example.")
    return found
