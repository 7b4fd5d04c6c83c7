"""Ratings on the Elo scale: how strong each bot is, regardless of which opponents it met.

Bradley and Terry (1952) assign every player a strength; in a game for two, each wins with a probability proportional to
it. Luce (1959) and Plackett (1975) extend this to larger tables: the winner is chosen in proportion to the strengths,
then the second from the remaining players, and so on. Here both have the same likelihood: how often each bot was
chosen, and from which sets of candidates. A difference of 400 means strengths of 10 : 1; the mean rating is 0.

- A tie is the average over the orders compatible with it; in games for two, a draw is half a win.
- Every bot gets one extra drawn game (a group of them, if games come in groups), spread over the opponents it met. This
  weak prior keeps the ratings of bots that won or lost everything finite; in a match of two bots it is the correction
  of Haldane and Anscombe (1956), log (wins + ½) / (losses + ½), which removes most of the bias.
- Intervals come from the sandwich estimator for groups (Liang and Zeger, 1986): games that share their luck count as
  one observation, and draws are as informative as they prove to be. The imaginary games count as wins and losses here,
  so that a record of only wins, or only draws, does not claim certainty.
- Bots that never met, not even through others, cannot be compared: each such pool has its own mean of 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kibitz.tournament.statistics import Z

ELO = 400 / math.log(10)  # rating points per natural unit of log strength

Order: TypeAlias = tuple[tuple[int, ...], ...]  # the bots at a table from first to last, tied bots in one tuple
Group: TypeAlias = tuple[Order, ...]  # the orders of games that share their luck


@dataclass(frozen=True)
class Rating:
    """A bot's rating relative to the mean of its pool, with a 95 % interval; 0 ± ∞ if it met nobody."""

    rating: float
    low: float
    high: float
    pool: int = 0  # only ratings within the same pool are comparable


def bradley_terry(
    points: np.ndarray, games: np.ndarray, groups: np.ndarray | None = None, squares: np.ndarray | None = None
) -> list[Rating]:
    """Ratings from games for two, of which bot a won `points[a, b]` of `games[a, b]` against b; draws count half.

    `groups[a, b]` is the number of groups of games that share their luck, and `squares[a, b]` the sum over these groups
    of the square of a's mean share. Without them, every game is its own group and assumed to be won or lost.
    """
    off_diagonal = 1.0 - np.eye(len(games))  # a bot's games against itself are uninformative
    points, games = off_diagonal * points, off_diagonal * games
    groups = games if groups is None else off_diagonal * groups
    squares = points if squares is None else off_diagonal * squares
    prior = _imaginary_draws(games, games.sum() / max(groups.sum(), 1))
    choices = Choices.of_pairs(points + prior / 2)
    strengths = choices.likeliest()
    p = _winning_chances(strengths)
    size = games / np.maximum(groups, 1)
    surprise = size**2 * (squares + groups * p**2) - 2 * size * points * p  # Σ (points − expected points)² over groups
    surprise = np.where(p < p.T, surprise, surprise.T)  # the same for both bots of a pair, but exact for the weaker one
    return _ratings(choices, strengths, _laplacian(surprise), prior, groups.sum() / 2)


def plackett_luce(orders: Mapping[Order, int] | Mapping[Group, int], bots: int) -> list[Rating]:
    """Ratings from finishing orders, with the number of times each occurred, at tables of any size.

    An order lists the bots from first to last, each rank a tuple: `((2,), (0, 1))` was won by bot 2, and 0 and 1 tied.
    A bot that held several seats appears several times. If games share their luck, a key is a tuple of orders: those of
    one group.
    """
    groups: list[Group] = [key if isinstance(key[0][0], tuple) else (key,) for key in orders]
    times = np.array(list(orders.values()), "f8")
    distinct = {order: number for number, order in enumerate(dict.fromkeys(itertools.chain(*groups)))}
    finishes = Finishes(list(distinct), bots)
    group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])  # of each game
    finish = np.array([distinct[order] for group in groups for order in group], "i8")
    played = np.bincount(finish, times[group], len(distinct))
    prior = _imaginary_draws(finishes.met(played), played.sum() / max(times.sum(), 1))
    choices = finishes.choices(played) + Choices.of_pairs(prior / 2)
    strengths = choices.likeliest()
    surprise = np.zeros((len(groups), bots))
    np.add.at(surprise, group, finishes.surprise(strengths)[finish])
    return _ratings(choices, strengths, surprise.T @ (times[:, None] * surprise), prior, times.sum())


class Finishes:
    """Finishing orders as sequences of choices: one bot after another is chosen from those left, the company."""

    def __init__(self, orders: list[Order], bots: int) -> None:
        companies: dict[tuple[int, ...], int] = {}
        choices = [
            (number, companies.setdefault(company, len(companies)), weight)
            for number, order in enumerate(orders)
            for company, weight in _choices(order)
        ]
        table = np.array(choices, "f8").reshape(-1, 3)
        self.order, self.company = table[:, :2].astype("i8").T  # of each choice
        self.weight = table[:, 2]
        self.companies = _seats(list(companies), bots)
        self.seats = _seats([tuple(itertools.chain(*order)) for order in orders], bots)

    def choices(self, played: np.ndarray) -> Choices:
        """All choices, if each order occurred `played` times."""
        times = np.bincount(self.company, self.weight * played[self.order], len(self.companies))
        return Choices(played @ self.seats, self.companies, times)

    def met(self, played: np.ndarray) -> np.ndarray:
        """How often each bot met each other bot."""
        together = self.seats.T @ (played[:, None] * self.seats)
        return together * (1.0 - np.eye(len(together)))

    def surprise(self, strengths: np.ndarray) -> np.ndarray:
        """For each order, how often each bot was chosen minus how often it was expected to be."""
        surprise = self.seats.copy()
        expected = self.weight[:, None] * _chances(self.companies, strengths)[self.company]
        np.subtract.at(surprise, self.order, expected)
        return surprise


def _choices(order: Order) -> Iterator[tuple[tuple[int, ...], float]]:
    """The companies from which the bots of a finishing order were chosen one by one, each with its weight.

    Averaged over all orders compatible with a tie, every subset of the tied bots of the right size is equally likely to
    be the one that remains.
    """
    for rank, tied in enumerate(order):
        behind = tuple(itertools.chain(*order[rank + 1 :]))
        for left in range(1, len(tied) + 1):
            for subset in itertools.combinations(tied, left):
                yield tuple(sorted(subset + behind)), 1 / math.comb(len(tied), left)


def _seats(tables: list[tuple[int, ...]], bots: int) -> np.ndarray:
    """The number of seats that each bot has at each table."""
    seats = np.zeros((len(tables), bots))
    for table, row in zip(tables, seats, strict=True):
        for bot in table:
            row[bot] += 1
    return seats


def _chances(companies: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """The probability that each bot is chosen, by company."""
    weights = companies * np.exp(strengths)
    return weights / weights.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Choices:
    """Everything the likelihood of strengths depends on: how often each bot was chosen, and from which companies."""

    chosen: np.ndarray  # [bots]
    companies: np.ndarray  # [companies, bots]: the number of seats of each bot
    times: np.ndarray  # [companies]: how often a bot was chosen from it

    @classmethod
    def of_pairs(cls, won: np.ndarray) -> Choices:
        """The choices in games for two, of which bot a won `won[a, b]` against b."""
        a, b = np.nonzero(np.triu(won + won.T))
        each = np.eye(len(won))
        return cls(won.sum(axis=1), each[a] + each[b], (won + won.T)[a, b])

    def __add__(self, other: Choices) -> Choices:
        companies = np.vstack([self.companies, other.companies])
        return Choices(self.chosen + other.chosen, companies, np.append(self.times, other.times))

    def covariance(self, strengths: np.ndarray) -> np.ndarray:
        """The pseudo-inverse of the information matrix: shifting a whole pool changes nothing, so it is singular."""
        chances = _chances(self.companies, strengths)
        information = _laplacian(chances.T @ (self.times[:, None] * chances))
        return np.linalg.pinv(information, rtol=1e-12, hermitian=True)

    def likeliest(self) -> np.ndarray:
        """The maximum-likelihood log strengths, with mean 0 in each pool, by Newton's method.

        The log-likelihood is concave, and within steps of at most 1 its curvature changes little.
        """
        strengths = np.zeros(len(self.chosen))
        for _ in range(500):
            step = self.covariance(strengths) @ (self.chosen - self.times @ _chances(self.companies, strengths))
            length = np.abs(step).max(initial=0.0)
            strengths += step / max(1.0, length)
            if length < 1e-7:
                break
        return strengths


def _imaginary_draws(met: np.ndarray, size: float) -> np.ndarray:
    """The extra drawn games of each pair: `size` per bot, spread over its opponents by how often they met."""
    parts = met / np.maximum(met.sum(axis=1, keepdims=True), 1)
    return size * (parts + parts.T) / 2


def _winning_chances(strengths: np.ndarray) -> np.ndarray:
    """The probability that each bot (row) wins against each other bot (column)."""
    return 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))


def _laplacian(weights: np.ndarray) -> np.ndarray:
    """The graph Laplacian of weights of pairs: what one bot of a pair gains, the other loses."""
    between = weights * (1.0 - np.eye(len(weights)))
    return np.diag(between.sum(axis=1)) - between


def _ratings(
    choices: Choices, strengths: np.ndarray, scatter: np.ndarray, prior: np.ndarray, groups: float
) -> list[Rating]:
    """The sandwich estimate: the scatter between groups, with the model's covariance on either side."""
    known = prior.any(axis=1)
    p = _winning_chances(strengths)
    size = prior.sum() / max(known.sum(), 1)  # games in a group, which is the number of extra games per bot
    scatter = scatter + _laplacian(size * prior * (p**2 + p.T**2) / 2)  # counted as half won and half lost
    pools = _pools(prior > 0)
    spare = groups - len(strengths) + len(set(pools))  # degrees of freedom
    model = choices.covariance(strengths)
    variance = np.diag(model @ scatter @ model) * groups / max(spare, 1)
    reach = np.where(known, Z * np.sqrt(np.maximum(variance, 0.0)), math.inf)
    middle, low, high = (ELO * np.array([strengths, strengths - reach, strengths + reach])).tolist()
    return [Rating(*bot) for bot in zip(middle, low, high, pools, strict=True)]


def _pools(linked: np.ndarray) -> list[int]:
    """The number of each bot's pool; a pool consists of bots that met, directly or through others."""
    bots = len(linked)
    linked = linked | np.eye(bots, dtype=bool)
    first = np.arange(bots)  # the first bot of each bot's pool, as far as known
    for _ in range(bots):
        first = np.where(linked, first, bots).min(axis=1)
    return np.unique(first, return_inverse=True)[1].tolist()
