"""Learning from play: `train(game)` returns a brain, which plays as `learned:file=…`.

There are two methods: a tree of brains (kibitz/learn/brain_tree.py) and temporal differences (kibitz/learn/td.py).
What they see of a position: kibitz/learn/features.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kibitz.compiler import running_time
from kibitz.errors import KibitzError
from kibitz.learn.brain import Brain
from kibitz.learn.brain_tree import BrainTreeTraining, Node
from kibitz.learn.linear_value import not_learnable
from kibitz.learn.method_features import TREE, features_for
from kibitz.learn.td import TDTraining
from kibitz.learn.training_games import SELF, check_ended
from kibitz.learn.watched_features import WatchedFeatures
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.spec import whole_number

STEP = 3.0  # the greatest change of a weight in a tree of brains
SLICE = 200  # games between opportunities to interrupt


@dataclass(frozen=True)
class Training:
    """The result of a training run."""

    brain: Brain
    seconds: float
    nodes: Sequence[Node] = field(default=(), repr=False)  # the tree that the brain is from, if it was learned by one …
    chosen: Node | None = field(default=None, repr=False)  # … and its node there
    interrupted: bool = False  # whether Ctrl-C ended it early


def train(
    game: GameLike,
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

    `opponent` is the spec of a bot, or "self": a second learner in a tree of brains, the same value function in
    temporal differences. `step` and `raw` are for the tree: the greatest change of a weight, and whether to choose the
    best brain by its raw win rate. `progress(done, games)` is called now and then. Ctrl-C ends the training early and
    keeps what was learned so far.

    Examples:
        >>> from pathlib import Path
        >>> from kibitz.learn import train
        >>> training = train("ur", games=200, seed=1, method="td")
        >>> training.brain.write(Path("mine.json"))
    """
    rules = as_game(game)
    features = features_for(rules, method)
    if why := not_learnable(rules):
        raise KibitzError(f"{spec_of(rules)} cannot be learned by {method!r}: {why}")
    games = whole_number(games, "The number of games", 1)
    if not step > 0:
        raise KibitzError(f"The step must be more than 0, not {step:g}.")
    learner: BrainTreeTraining | TDTraining
    if method == TREE:
        learner = BrainTreeTraining(rules, features, games, seed, opponent, step)
    else:
        learner = TDTraining(rules, features, games, seed, opponent)
    learner.study(0)  # compile before the clock starts
    start = running_time()
    done, interrupted = 0, False
    try:
        while done < games:
            learner.study(min(SLICE, games - done))
            check_ended(rules, learner.games, seed)
            done = int(learner.games.sheet.number[0])
            progress(done, games)
    except KeyboardInterrupt:
        done = int(learner.games.sheet.number[0])
        if not done:
            raise
        interrupted = True
    seconds = running_time() - start
    nodes: Sequence[Node] = ()
    chosen = None
    if isinstance(learner, BrainTreeTraining):
        weights, nodes, chosen = learner.best(raw)
    else:
        weights = learner.weights()
    seen = features.stored() if isinstance(features, WatchedFeatures) else None
    brain = Brain(spec_of(rules), method, tuple(weights), opponent, done, seed, seen)
    return Training(brain, seconds, nodes, chosen, interrupted)


__all__ = ["Brain", "Training", "train"]
