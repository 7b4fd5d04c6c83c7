"""A sequential test that ends a match as soon as the answer is known.

The sequential probability ratio test (Wald, 1945) decides whether a bot is `elo0` (hypothesis H0) or `elo1` (H1)
stronger than its opponent; it stops when the log-likelihood ratio of the two crosses one of its bounds. Each
observation is a group of games that share their luck, usually a pair with seats swapped, and the bot's share of the win
in it: 0, ¼, ½, ¾ or 1 (the pentanomial model), 0, ½ or 1 in single games, other fractions if wins are shared or the
game has utilities, which are normalized to shares. A hypothesis fixes only the mean of this share, not its
distribution, so each is represented by the distribution with that mean under which the observations are likeliest: the
generalised test, here in its exact form (Van den Bergh, "The generalized maximum likelihood ratio for the expectation
value of a distribution", 2020), which needs neither the normal approximation nor a correction for shares not seen yet.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from kibitz.errors import SpecError
from kibitz.rules.spec import converted, parse_options

MOST_ELO = 4000  # a bot this much stronger loses one game in ten billion


def expected_share(elo: float) -> float:
    """The expected share of the win of a player who is `elo` stronger than the opponent."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """A test of "elo0 stronger" against "elo1 stronger", wrong with probability alpha under H0 and beta under H1."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise SpecError(
                f"--sprt: elo0 must be less than elo1, both within ±{MOST_ELO}, not {self.elo0:g} and {self.elo1:g}."
            )
        for name, odds in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < odds < 0.5:
                raise SpecError(f"--sprt: {name}, an error probability, must be between 0 and 0.5, not {odds:g}.")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Parse `elo0=0,elo1=10,alpha=0.05,beta=0.05`; alpha and beta are optional."""
        options = parse_options(text, text) if "=" in text else {}
        values = converted(options, {field.name: 0.0 for field in dataclasses.fields(cls)}, "--sprt")
        if not {"elo0", "elo1"} <= values.keys():
            raise SpecError(f"--sprt needs elo0 and elo1, for example --sprt elo0=0,elo1=10, not {text!r}.")
        return cls(**values)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Mapping[float, int]) -> float:
        """The log-likelihood ratio of H1 to H0, given the number of groups in which the bot took each share."""
        low, high = (expected_share(elo) for elo in (self.elo0, self.elo1))
        return _unlikelihood(counts, low) - _unlikelihood(counts, high)

    def decision(self, counts: Mapping[float, int]) -> str | None:
        """ "accept H0" or "accept H1" once the answer is known, otherwise None."""
        lower, upper = self.bounds
        llr = self.llr(counts)
        if llr >= upper:
            return "accept H1"
        return "accept H0" if llr <= lower else None


def _unlikelihood(counts: Mapping[float, int], mean: float) -> float:
    """How far the log-likelihood stays below its maximum if the shares must have this mean.

    The likeliest distribution on [0, 1] with mean μ assigns to a share a that was seen with frequency f the probability
    f / (1 + x (a − μ)), where x maximises Σ f log(1 + x (a − μ)) (Owen, "Empirical Likelihood", 2001). If these
    probabilities do not sum to 1, the rest belongs to an unseen share of 0 or 1, and x lies at the end of its range.
    """
    seen = [(min(1.0, max(0.0, share)) - mean, count) for share, count in counts.items() if count]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(50):  # bisection: the sum is concave, so its slope decreases
        x = (low + high) / 2
        if sum(count * distance / (1 + x * distance) for distance, count in seen) > 0:
            low = x
        else:
            high = x
    return sum(count * math.log1p(x * distance) for distance, count in seen)
