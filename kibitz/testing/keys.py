"""Checks of `key`: positions with the same key must have the same player to act and the same value.

Positions near the end of random games are solved by brute force, with everything that can still follow from them; small
games are solved whole. All positions met on the way are compared with those of the same key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State
from kibitz.testing.rules import TOLERANCE, WatchedRules, fewer_if_plain

NODES, NODES_PER_GAME = 20_000, 1000  # positions to solve; a tenth of it in plain mode
DEPTH = 150  # plies to the end, at most: more would exceed Python's stack

# What each player can be sure of, against all others. Unlike the best line for everyone, it does not depend on how ties
# are broken, and for two players it is the value of the game.
Value = tuple[float, ...]


class _Known(NamedTuple):
    """A position with some key."""

    state: State
    turn: int
    value: Value | None  # None: too far from the end


class _TooMany(Exception):
    pass


class Keys:
    """All positions that were met, by key."""

    def __init__(self, rules: WatchedRules) -> None:
        self.rules = rules
        self.known: dict[int, _Known] = {}
        self.values: dict[bytes, Value] = {}  # of solved positions, by their public bytes
        self.left = fewer_if_plain(NODES)

    @property
    def solved(self) -> int:
        return len(self.values)

    def check_game(self, positions: Sequence[State]) -> None:
        """Check the positions of a game, from the last one back to the first that is too hard to solve."""
        with self.rules.aside(), self.rules.unwatched():
            for state in positions:
                self._compare(state, None)
            nodes = self.left - fewer_if_plain(NODES_PER_GAME)
            try:
                for state in reversed(positions):
                    self._solve(state, max(nodes, 0), DEPTH)
            except _TooMany:
                return

    def _solve(self, state: State, nodes: int, depth: int) -> Value:
        """The value of a position; raises _TooMany if fewer than `nodes` positions would be left to solve."""
        place = state.public_bytes()
        if place in self.values:
            return self.values[place]
        if self.left <= nodes or not depth:
            raise _TooMany
        self.left -= 1
        rules = self.rules
        if state.turn == OVER:
            self.values[place] = tuple(rules.payoff(state))
            return self.values[place]
        options = rules.options(state)
        results = [self._solve(rules.after(state, move), nodes, depth - 1) for move, _ in options]
        if state.turn == CHANCE:
            value = tuple(
                sum(p * r[player] for (_, p), r in zip(options, results, strict=True)) for player in _all(results)
            )
        else:
            value = tuple(
                (max if player == state.turn else min)(result[player] for result in results) for player in _all(results)
            )
        self.values[place] = value
        self._compare(state, value)
        return value

    def _compare(self, state: State, value: Value | None) -> None:
        """Compare a position with one of the same key."""
        key = self.rules.key(state)
        other = self.known.get(key)
        if other is None or (other.value is None and value is not None and other.turn == state.turn):
            self.known[key] = _Known(state.copy(), state.turn, value)
        if other is None or other.state == state:
            return
        same = f"is {key} both here and for {other.state.to_text()}"
        if other.turn != state.turn:
            rule = f"{same}, but here s.turn is {state.turn} and there {other.turn}."
            raise self.rules.broken("key", rule, state)
        if value and other.value and any(abs(a - b) > TOLERANCE for a, b in zip(value, other.value, strict=True)):
            rule = f"{same}, but with best play the shares are {list(value)} here and {list(other.value)} there."
            raise self.rules.broken("key", rule, state)


def _all(results: Sequence[Value]) -> range:
    return range(len(results[0]))
