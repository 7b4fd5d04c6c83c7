"""Features: what learning sees of a position, as a few numbers, each with its place in a list of weights.

Every learner sees positions through Features: a linear value function has a weight per place (linear_value.py), a
network a row of its first layer (zero/network.py). They come from

- the game, in its extra `FEATURES`: a mapping from a learning method to a description of positions written for it;
- otherwise from watching random games: watched_features.py.

A description has two methods that numba compiles like rules. It is always given the record as a player may see it:
redacted for the player to act, so that nothing hidden can be learned from.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from kibitz.compiler import compiled
from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.rules.sets import count_bits


class Features:
    """Base class of descriptions."""

    never_compiled = True

    def size(self, game: Any) -> int:
        """The number of places."""
        raise NotImplementedError

    def most(self, game: Any) -> int:
        """The most places that describe one position."""
        raise NotImplementedError

    def start(self, game: Any) -> Sequence[float]:
        """The initial weights of a linear value function."""
        return [0.0] * self.size(game)

    def viewer(self, game: Any, s: Any) -> int:
        """The player from whose point of view a position is described, and for whom a high score is good."""
        raise NotImplementedError

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        """Write the places and amounts that describe a position, finished or not; return how many."""
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """The methods to compile; their arguments depend on the game."""
        return {"viewer": (), "describe": ()}

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self, tuple(field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]


@compiled
def list_bits(bits: int, first: int, places: Any, count: int) -> int:
    """Write a place for each bit that is set, counted from `first`, after the first `count`; return how many then."""
    while bits:
        places[count] = first + count_bits((bits & -bits) - 1)  # the number of the lowest bit
        count += 1
        bits &= bits - 1
    return count
