"""The features of Ur's positions that learning sees (kibitz/learn/features.py), for the player next to throw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.compiler import compiled
from kibitz.learn.features import Features
from kibitz.rules.sets import count_bits

LONGEST = 17  # steps of the longest path, including the hand
MOST_COUNTED = 7  # more pieces in hand, or left, count as 7
COUNTS = MOST_COUNTED + 1
# The facts that describe a position: the steps that each side occupies, then how many pieces it has in hand, and how
# many are not yet home.
HAND = 2 * LONGEST
LEFT = HAND + 2 * COUNTS
FACTS = LEFT + 2 * COUNTS
ROLLS = 8  # from 0


@dataclass(init=False, eq=False)
class Steps(Features):
    """One's own pieces on each step, from the hand to home, minus the opponent's."""

    def size(self, game: Any) -> int:
        return game.home + 1

    def most(self, game: Any) -> int:
        return 2 * self.size(game)

    def start(self, game: Any) -> Sequence[float]:
        return [float(step) for step in range(self.size(game))]

    def viewer(self, game: Any, s: Any) -> int:
        return s.mover

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        count = 0
        for player in range(2):
            sign = 1 if player == s.mover else -1
            steps = s.at[player]
            places[count] = 0
            amounts[count] = sign * s.hand[player]
            places[count + 1] = game.home
            amounts[count + 1] = sign * (game.pieces - s.hand[player] - count_bits(steps))
            count += 2
            for step in range(1, game.home):
                places[count] = step
                amounts[count] = sign
                count += steps >> step & 1
        return count


@dataclass(init=False, eq=False)
class Pairs(Features):
    """Every fact about a position, and every pair of facts that hold together."""

    def size(self, game: Any) -> int:
        return FACTS * FACTS

    def most(self, game: Any) -> int:
        facts = 2 * min(game.pieces, game.home - 1) + 4
        return facts * (facts + 1) // 2 + 1

    def viewer(self, game: Any, s: Any) -> int:
        return s.mover

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        return describe_pairs(game, s, places, amounts)


@compiled
def describe_pairs(game: Any, s: Any, places: Any, amounts: Any) -> int:
    """Write every fact about a position and every pair of facts; return how many."""
    # The facts are listed first, then overwritten from the back by all pairs, each fact with itself included.
    facts = 0
    for side in range(2):
        player = s.mover if side == 0 else 1 - s.mover
        steps, hand = s.at[player], s.hand[player]
        places[facts] = HAND + side * COUNTS + min(hand, MOST_COUNTED)
        places[facts + 1] = LEFT + side * COUNTS + min(hand + count_bits(steps), MOST_COUNTED)
        facts += 2
        for step in range(1, game.home):
            places[facts] = side * LONGEST + step
            facts += steps >> step & 1
    count = facts * (facts + 1) // 2
    at = count
    for i in range(facts - 1, -1, -1):
        first = places[i] * FACTS
        for j in range(i, -1, -1):
            at -= 1
            places[at] = first + places[j]
            amounts[at] = 1.0
    return count


@dataclass(init=False, eq=False)
class PairsAndRoll(Features):
    """Every pair of facts, and the roll, which networks have to know to choose a move."""

    def size(self, game: Any) -> int:
        return FACTS * FACTS + ROLLS

    def most(self, game: Any) -> int:
        return Pairs().most(game) + 1

    def viewer(self, game: Any, s: Any) -> int:
        return s.mover

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        count = describe_pairs(game, s, places, amounts)
        places[count] = FACTS * FACTS + max(s.roll, 0)
        amounts[count] = 1.0
        return count + 1


FEATURES = {"tree": Steps(), "td": Pairs(), "zero": PairsAndRoll()}
