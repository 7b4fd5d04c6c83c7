"""`learner`: a bot that grows a tree of brains as it goes from game to game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.bots import Bot
from kibitz.compiled import compiled, mode, native, numbers
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.learn.features import Mind, best_move, features_for, methods_of, new_mind
from kibitz.learn.tree import SIZE, Tree, back_up, new_tree, try_another
from kibitz.rng import Stream
from kibitz.table import View

FIRST_ROOM = 1000  # games before the tree needs more room


@dataclass
class Learner(Bot):
    """Learns from game to game: every game is played by a new brain of its tree."""

    step: float = 3.0  # the longest change of a weight
    seed: int = 0  # of the changes

    learns: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise SpecError("learner needs a step of more than 0.")
        self._school: _School | None = None

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return None if "tree" in methods_of(game) else "it has no features.py that describes its positions."

    def choose(self, view: View) -> int:
        school = self._ready(view.game)
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        position = view.game, school.mind, native(view.state), moves, len(view.moves), view.player
        school.best_move = school.best_move or best_move.bind(*position)  # type: ignore[attr-defined]
        return int(school.best_move(*position))

    def game_over(self, view: View, payoff: Any) -> None:
        """Learn from the game that has just ended."""
        school = self._ready(view.game)
        learn(school.tree, float(payoff[view.player]), self.step)
        if school.tree.place[SIZE] == len(school.tree.games):
            school.make_room()

    def _ready(self, game: Game) -> _School:
        if self._school is None or self._school.game is not game or self._school.mode != mode():
            self._school = _School(game, self.seed)
        return self._school


class _School:
    """The tree of a learner and the brain that plays now."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.mode = mode()
        features = features_for(game, "tree")
        root = features.start(game)
        self.mind: Mind = new_mind(game, features, root)
        self.best_move: Callable[..., int] | None = None  # bound once there is a position
        self.tree: Tree = new_tree(root, self.mind.weights, FIRST_ROOM, Stream(seed, "learner"))

    def make_room(self) -> None:
        """Go on in a tree twice as large."""
        old, size = self.tree, int(self.tree.place[SIZE])
        root = [old.brains[0, i] for i in range(len(old.playing))]
        self.tree = new_tree(root, old.playing, 2 * size, Stream("unused"))._replace(place=old.place, rng=old.rng)
        for column, kept in zip(self.tree[: Tree._fields.index("place")], old, strict=False):
            for node in range(size):
                column[node] = kept[node]


@compiled
def learn(tree: Tree, share: float, step: float) -> None:
    """Count a game, and go on with another brain."""
    back_up(tree, share)
    try_another(tree, step)
