"""Brains: learned weights and where they come from, as a small JSON file that people can read."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.errors import KibitzError
from kibitz.learn.features import Features
from kibitz.learn.linear_value import LinearValue, new_value_function
from kibitz.learn.method_features import features_for
from kibitz.learn.watched_features import restored_features
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of

ROW = 16  # weights per line of the file


@dataclass(frozen=True)
class Brain:
    """The weights of a learned value function."""

    game: str  # the spec of the game it was learned in
    method: str
    weights: tuple[float, ...] = dataclasses.field(repr=False)
    opponent: str = ""  # whom it played …
    games: int = 0  # … and in how many games
    seed: int = 0
    features: dict[str, Any] | None = None  # what was seen, unless the game brings its own features

    def value(self, game: Game) -> LinearValue:
        """The value function for a game, which need not be the one it was learned in but must have as many weights."""
        features = self._features(game)
        if len(self.weights) != features.size(game):
            raise KibitzError(
                f"This brain was learned in {self.game} and has {len(self.weights)} weights, but {spec_of(game)} takes "
                f"{features.size(game)}; run `kibitz train {spec_of(game)} --method {self.method}` for one that fits."
            )
        return new_value_function(game, features, self.weights)

    def _features(self, game: Game) -> Features:
        if self.features is None:
            return features_for(game, self.method)
        return restored_features(game, self.features, f"This brain for {self.game}")

    def write(self, path: Path) -> None:
        """Write the brain to a file."""
        values = dataclasses.asdict(self).items()
        head = {name: value for name, value in values if name != "weights" and value is not None}
        words = [f"{weight:.5g}" for weight in self.weights]
        rows = ",\n    ".join(", ".join(words[i : i + ROW]) for i in range(0, len(words), ROW))
        text = json.dumps(head, indent=2).removesuffix("\n}") + f',\n  "weights": [\n    {rows}\n  ]\n}}\n'
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise KibitzError(f"The brain cannot be written to {path}: {error.strerror}.") from None

    @classmethod
    def read(cls, path: Path) -> Brain:
        """Read a brain from a file."""
        try:
            return _read(path, path.stat().st_mtime_ns)
        except OSError as error:
            raise KibitzError(f"The brain {path} cannot be read: {error.strerror}.") from None


@functools.lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Brain:
    """Read a brain; cached until its file changes."""
    try:
        values: Any = json.loads(path.read_text(encoding="utf-8"))
        weights = tuple(float(weight) for weight in values.pop("weights"))
        brain = Brain(weights=weights, **values)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise KibitzError(f"{path} is not a brain written by `kibitz train`.") from None
    if not all(map(math.isfinite, weights)):
        raise KibitzError(f"{path} is damaged: a weight is not a number.")
    return brain
