"""What a tournament counts while its games come in: sums from which standings, ratings and intervals follow.

Games are added in the order of the schedule, in batches cut at the same places whatever the workers and however often
it was interrupted, so that the same tournament gives the same sums to the last bit.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from kibitz.arena.games import Games, Outcome
from kibitz.arena.schedule import Schedule


class Tally:
    """Sums over finished games. A group (rotations with one luck) is one observation, whatever its size."""

    def __init__(self, schedule: Schedule, score_lower_wins: bool = False) -> None:
        bots, seats, line_ups = schedule.bots, schedule.players, len(schedule.line_ups)
        self.schedule = schedule
        self.score_sign = 1 if score_lower_wins else -1
        self.games = 0
        self.decisions = 0
        self.bot_games = np.zeros(bots, "i8")
        self.bot_seats = np.zeros(bots, "i8")  # seats taken; more than games where a bot takes several
        self.bot_payoff = np.zeros(bots)
        self.bot_score = np.zeros(bots)
        self.bot_scored = np.zeros(bots, "i8")
        self.bot_seconds = np.zeros(bots)
        self.bot_choices = np.zeros(bots, "i8")
        self.bot_groups = _Sums((bots, line_ups))
        self.seat_groups = _Sums((seats, line_ups))
        self.pair_points = np.zeros((bots, bots))
        self.pair_games = np.zeros((bots, bots), "i8")
        self.pair_groups = _Sums((bots, bots))
        self.first_bot_groups: Counter[float] = Counter()  # the first bot's share of each group, for the SPRT
        self.orders: Counter[tuple[tuple[tuple[int, ...], ...], ...]] = Counter()  # finishing orders, by group
        self.lengths: Counter[int] = Counter()
        self.faults: Counter[tuple[int, Outcome]] = Counter()
        self.fault_words: list[tuple[int, int, str]] = []  # game, bot, what happened

    def add(self, games: Games) -> None:
        """Count a batch of whole groups."""
        rows, seats = games.payoff.shape
        self.games += rows
        self.decisions += int(games.choices.sum())
        lengths, counts = np.unique(games.choices.sum(axis=1), return_counts=True)
        self.lengths.update(dict(zip(lengths.tolist(), counts.tolist(), strict=True)))
        scored = ~np.isnan(games.score)
        for bot in range(self.schedule.bots):
            own = games.bots == bot
            self.bot_games[bot] += int(own.any(axis=1).sum())
            self.bot_seats[bot] += int(own.sum())
            self.bot_payoff[bot] += games.payoff[own].sum()
            self.bot_score[bot] += games.score[own & scored].sum()
            self.bot_scored[bot] += int((own & scored).sum())
            self.bot_seconds[bot] += games.seconds[own].sum()
            self.bot_choices[bot] += int(games.choices[own].sum())
        first = np.flatnonzero(np.r_[True, games.group[1:] != games.group[:-1]])
        line_up = self.schedule.line_up(games.group[first])
        for seat in range(seats):
            means = np.add.reduceat(games.payoff[:, seat], first) / np.diff(np.r_[first, rows])
            self.seat_groups.add(np.full(len(first), seat), line_up, means)
        self._add_shares(games, first, line_up)
        if seats > 2:
            self._add_orders(games, first)
        for row in np.flatnonzero(games.outcome):
            bot = int(games.bots[row, games.fault_seat[row]])
            self.faults[bot, Outcome(games.outcome[row])] += 1
            self.fault_words.append((int(games.game[row]), bot, games.fault[row]))

    def _add_shares(self, games: Games, first: np.ndarray, line_up: np.ndarray) -> None:
        """Each bot's mean share of each group; and where two play, what each took from the other."""
        share = np.full((self.schedule.bots, len(first)), np.nan)
        for bot in range(self.schedule.bots):
            own = games.bots == bot
            taken = np.add.reduceat((games.payoff * own).sum(axis=1), first)
            places = np.add.reduceat(own.sum(axis=1), first)
            met = places > 0
            share[bot, met] = taken[met] / places[met]
            self.bot_groups.add(np.full(met.sum(), bot), line_up[met], share[bot, met])
        whole = share[0, ~np.isnan(share[0])]
        self.first_bot_groups.update(_counted(whole))
        if games.payoff.shape[1] != 2:
            return
        for seat in range(2):
            pair = games.bots[:, seat], games.bots[:, 1 - seat]
            np.add.at(self.pair_points, pair, games.payoff[:, seat])
            np.add.at(self.pair_games, pair, 1)
        a, b = games.bots[first, 0], games.bots[first, 1]
        groups = np.arange(len(first))
        self.pair_groups.add(a, b, share[a, groups])
        self.pair_groups.add(b, a, share[b, groups])

    def _add_orders(self, games: Games, first: np.ndarray) -> None:
        """Who finished before whom: by payoff, then by score."""
        for start, end in zip(first, np.r_[first[1:], len(games)], strict=True):
            self.orders[tuple(finishing_order(games, row, self.score_sign) for row in range(start, end))] += 1


class _Sums:
    """Number, sum and sum of squares of group means, in cells of a matrix."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.groups = np.zeros(shape, "i8")
        self.total = np.zeros(shape)
        self.squares = np.zeros(shape)

    def add(self, row: np.ndarray, column: np.ndarray, means: np.ndarray) -> None:
        np.add.at(self.groups, (row, column), 1)
        np.add.at(self.total, (row, column), means)
        np.add.at(self.squares, (row, column), means * means)


def finishing_order(games: Games, row: int, score_sign: int) -> tuple[tuple[int, ...], ...]:
    """The bots of a game, best first, ties together."""
    places: dict[tuple[float, float], list[int]] = {}
    for seat, payoff in enumerate(games.payoff[row].tolist()):
        score = 0.0 if np.isnan(games.score[row, seat]) else score_sign * float(games.score[row, seat])
        places.setdefault((-payoff, score), []).append(int(games.bots[row, seat]))
    return tuple(tuple(sorted(places[place])) for place in sorted(places))


def _counted(values: np.ndarray) -> dict[float, int]:
    different, counts = np.unique(values, return_counts=True)
    return dict(zip(different.tolist(), counts.tolist(), strict=True))
