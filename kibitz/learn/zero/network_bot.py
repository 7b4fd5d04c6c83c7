"""What all bots that play by a network share: where it comes from, and what it tells other searches."""

from __future__ import annotations

from typing import Any, ClassVar

from kibitz.errors import KibitzError
from kibitz.learn.zero.evaluator import Evaluator, NetworkPriors, NetworkValues, new_evaluator
from kibitz.learn.zero.network_file import network_for
from kibitz.rules.contract import Game
from kibitz.search.leaf_values import LeafValues
from kibitz.search.move_priors import MovePriors


class NetworkBot:
    """The part of a bot that concerns its network: the file in its option `net`, else the one that ships with the game.

    Its values and move priors can be used by other searches: `alphabeta:by=zero`, `uct:prior=policy`.
    """

    never_compiled: ClassVar[bool] = True
    name: ClassVar[str]
    net: str

    def option_misfit(self, game: Game) -> str | None:
        try:
            network_for(game, self.net, self.name)
        except KibitzError as error:
            return str(error)
        return None

    def evaluator(self, game: Game) -> Evaluator:
        """The network with a workspace of its own."""
        trained = network_for(game, self.net, self.name)
        return new_evaluator(game, trained.features_in(game), trained.network)

    def leaf_values(self, game: Game) -> tuple[LeafValues, Any]:
        """The network's values of positions, for other searches."""
        return NetworkValues(), self.evaluator(game)

    def move_priors(self, game: Game) -> tuple[MovePriors, Any]:
        """The network's probabilities of moves, for other searches."""
        return NetworkPriors(), self.evaluator(game)
