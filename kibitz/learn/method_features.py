"""Which features a learning method uses in a game: the game's own, or else what random games show."""

from __future__ import annotations

from kibitz.errors import KibitzError
from kibitz.learn.features import Features
from kibitz.learn.watched_features import watched_features
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of

TREE, TD, ZERO = "tree", "td", "zero"
METHODS = TREE, TD, ZERO


def features_for(game: Game, method: str) -> Features:
    """What a learning method sees of a game."""
    if method not in METHODS:
        raise KibitzError(f"{spec_of(game)} cannot be learned by {method!r}; choose from {', '.join(METHODS)}.")
    own = own_features(game)
    if method in own:
        return own[method]
    if method == TREE:  # which changes one weight at a time, and would take forever with hundreds
        raise KibitzError(
            f"{spec_of(game)} has no FEATURES for a tree of brains; use --method {TD} or {ZERO}, which need none."
        )
    return watched_features(game)


def own_features(game: Game) -> dict[str, Features]:
    """The features that a game brings along, by learning method."""
    return dict(game.extra_mapping("features"))
