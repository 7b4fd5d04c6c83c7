"""What a finished game pays: shares of the win or, if the game declares their bounds, utilities of its own.

Searches, solvers and ratings work with normalized payoffs, from 0, the worst possible result, to 1, the best. Shares of
the win are normalized already: in a game that declares no utilities, `normalized_payoff` is `payoff` itself.
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.errors import RulesError

SHARES = {"min_utility": 0, "max_utility": 1, "utility_sum": 1}  # the facts of a game that declares no utilities
ROUNDING = 1e-9  # of sums of utilities


class Payoffs:
    """The Python-only side of a game's payoffs."""

    never_compiled = True
    players: int
    min_utility: Any
    max_utility: Any
    utility_sum: Any
    payoff: Any
    normalized_payoff: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if hasattr(cls, "payoff"):
            cls.normalized_payoff = _normalized_payoff if _declares_utilities(cls) else cls.payoff

    @property
    def has_utilities(self) -> bool:
        """Whether payoffs are utilities of the game's own, not shares of the win."""
        return any(getattr(self, fact) != share for fact, share in SHARES.items())

    @property
    def is_constant_sum(self) -> bool:
        """Whether what one player wins, the others lose."""
        return self.utility_sum is not None

    @property
    def normalized_sum(self) -> float | None:
        """What the normalized payoffs of all players sum to: 1 for shares, and for two players; None if it varies."""
        if self.utility_sum is None:
            return None
        return (self.utility_sum - self.players * self.min_utility) / (self.max_utility - self.min_utility)

    def utility(self, normalized: float) -> float:
        """The utility that a normalized value, such as a search's, stands for."""
        return self.min_utility + normalized * (self.max_utility - self.min_utility)

    def forfeit_by(self, player: int) -> list[float]:
        """The payoffs if a player forfeits: the minimum for that player, an equal part of the rest for each of the
        others; if the sum is not constant, the maximum for each of them."""
        others = self.max_utility
        if self.utility_sum is not None:
            others = (self.utility_sum - self.min_utility) / max(self.players - 1, 1)
        return [float(self.min_utility if other == player else others) for other in range(self.players)]


def _normalized_payoff(self: Any, s: Any, out: Any) -> None:
    self.payoff(s, out)
    for player in range(self.players):
        out[player] = self.normalized(out[player])


def _declares_utilities(cls: type) -> bool:
    fields = {name for base in cls.__mro__ if base is not Payoffs for name in vars(base).get("__annotations__", ())}
    return any(fact in fields or getattr(cls, fact, share) != share for fact, share in SHARES.items())


def check_utilities(game: Any) -> None:
    """Raise an error if the facts about a game's utilities contradict each other."""
    name, low, high, total = type(game).__name__, game.min_utility, game.max_utility, game.utility_sum
    for fact, value in (("min_utility", low), ("max_utility", high), ("utility_sum", total)):
        if not _is_finite(value) and not (fact == "utility_sum" and value is None):
            raise RulesError(f"{name}: {fact} must be a number, not {value!r}.")
    if low >= high:
        raise RulesError(f"{name}: min_utility must be less than max_utility, but they are {low:g} and {high:g}.")
    if total is None or not game.has_utilities:
        return
    most, least = (total - (game.players - 1) * bound for bound in (low, high))
    slack = ROUNDING * (high - low)
    if high > most + slack:
        raise RulesError(
            f"{name}: max_utility is {high:g}, but nobody can get more than {most:g} if the utilities of "
            f"{game.players} players sum to {total:g} and each gets at least {low:g}."
        )
    if low < least - slack:
        raise RulesError(
            f"{name}: min_utility is {low:g}, but nobody can get less than {least:g} if the utilities of "
            f"{game.players} players sum to {total:g} and each gets at most {high:g}."
        )


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:
        return False
