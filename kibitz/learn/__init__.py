"""What learns from play. `train(game)` gives a brain, which plays as `learned:file=…`.

There are two methods: a tree of brains (kibitz/learn/tree.py), and temporal differences (kibitz/learn/td.py). Both are
generic over games for two that describe their positions (kibitz/learn/features.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import game as find_game
from kibitz.games import spec_of
from kibitz.learn.brain import Brain
from kibitz.learn.features import features_for
from kibitz.learn.series import SELF, check_ended
from kibitz.learn.td import Course
from kibitz.learn.tree import Grove, Node

TREE, TD = "tree", "td"
STEP = 3.0  # the longest change of a weight in a tree of brains
SLICE = 200  # games between two chances to interrupt


@dataclass(frozen=True)
class Training:
    """What came of a training."""

    brain: Brain
    seconds: float
    nodes: Sequence[Node] = ()  # the tree of the learner whose brain it is, if it learned by one …
    chosen: Node | None = None  # … and the node of the brain


def train(
    game: Game | str,
    games: int = 10_000,
    seed: int = 0,
    *,
    method: str = TREE,
    opponent: str = SELF,
    step: float = STEP,
    raw: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Training:
    """Learn a game by playing it.

    `opponent` is a bot's spec, or "self": a second learner in a tree of brains, the same mind in temporal differences.
    `step` and `raw` are the tree's: how far a weight is changed at a time, and whether the brain with the highest share
    of wins is chosen in the end as it is. `progress(done, games)` is called now and then. Ctrl-C ends a training
    early: what was learned so far is kept.
    """
    rules = find_game(game) if isinstance(game, str) else game
    features = features_for(rules, method)
    if rules.players != 2:
        raise KibitzError(f"Only games for two are learned, and {spec_of(rules)} has {rules.players} players.")
    if games < 1:
        raise KibitzError(f"A training takes at least one game, not {games}.")
    if not step > 0:
        raise KibitzError(f"The step must be more than 0, not {step:g}.")
    learner: Grove | Course
    if method == TREE:
        learner = Grove(rules, features, games, seed, opponent, step)
    else:
        learner = Course(rules, features, games, seed, opponent)
    learner.study(0)  # have it compiled before the clock runs
    start = time.perf_counter()
    done = 0
    try:
        while done < games:
            learner.study(min(SLICE, games - done))
            check_ended(rules, learner.series)
            done = int(learner.series.sheet.number[0])
            progress(done, games)
    except KeyboardInterrupt:
        done = int(learner.series.sheet.number[0])
        if not done:
            raise
    seconds = time.perf_counter() - start
    nodes: Sequence[Node] = ()
    chosen = None
    if isinstance(learner, Grove):
        weights, nodes, chosen = learner.best(raw)
    else:
        weights = learner.weights()
    brain = Brain(spec_of(rules), method, tuple(weights), opponent, done, seed)
    return Training(brain, seconds, nodes, chosen)


__all__ = ["Brain", "Training", "train"]
