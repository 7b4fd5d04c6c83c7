"""`learner`: a bot that grows a tree of brains from game to game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.compiler import compiled, mode, native, numbers
from kibitz.learn.brain_tree import SIZE, BrainTree, back_up, new_tree, try_another
from kibitz.learn.linear_value import LinearValue, best_move, new_value_function
from kibitz.learn.method_features import TREE, features_for, own_features
from kibitz.players.bot import Bot
from kibitz.players.options import option
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream
from kibitz.table import View

SMALLEST_STEP = 1e-6
FIRST_ROOM = 1000  # games that fit before the tree needs more room


@dataclass
class Learner(Bot):
    """Learns from game to game: every game is played by a new brain of its tree."""

    name: ClassVar[str] = "learner"
    learns: ClassVar[bool] = True

    step: float = option(3.0, low=SMALLEST_STEP, public=100.0)  # the greatest change of a weight
    seed: int = option(0, public=2**53)  # of the random changes

    def __post_init__(self) -> None:
        super().__post_init__()
        self._brains: _TreeOfBrains | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return None if TREE in own_features(game) else "the game has no FEATURES for a tree of brains."

    def choose(self, view: View) -> int:
        brains = self._ready(view.game)
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        position = view.game, brains.value, native(view.state), moves, len(view.moves), view.player
        brains.best_move = brains.best_move or best_move.bind(*position)  # type: ignore[attr-defined]
        return int(brains.best_move(*position))

    def game_over(self, view: View, payoff: Any) -> None:
        """Learn from the game that has just ended."""
        brains = self._ready(view.game)
        learn(brains.tree, float(view.game.normalized(payoff[view.player])), self.step)
        if brains.tree.place[SIZE] == len(brains.tree.games):
            brains.make_room()

    def _ready(self, game: Game) -> _TreeOfBrains:
        if self._brains is None or self._brains.game is not game or self._brains.mode != mode():
            self._brains = _TreeOfBrains(game, self.seed)
        return self._brains


class _TreeOfBrains:
    """The tree of a learner and the current brain."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.mode = mode()
        features = features_for(game, TREE)
        root = features.start(game)
        self.value: LinearValue = new_value_function(game, features, root)
        self.best_move: Callable[..., int] | None = None  # bound once there is a position
        self.tree: BrainTree = new_tree(root, self.value.weights, FIRST_ROOM, Stream(seed, "learner"))

    def make_room(self) -> None:
        """Move to a tree twice as large."""
        old, size = self.tree, int(self.tree.place[SIZE])
        root = [old.brains[0, i] for i in range(len(old.playing))]
        self.tree = new_tree(root, old.playing, 2 * size, Stream("unused"))._replace(place=old.place, rng=old.rng)
        for column, kept in zip(self.tree[: BrainTree._fields.index("place")], old, strict=False):
            for node in range(size):
                column[node] = kept[node]


@compiled
def learn(tree: BrainTree, share: float, step: float) -> None:
    """Back up a result, and continue with another brain."""
    back_up(tree, share)
    try_another(tree, step)
