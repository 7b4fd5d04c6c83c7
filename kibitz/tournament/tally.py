"""Sums over the games of a tournament, from which standings, ratings and intervals are computed.

Games are added one by one in the order of the schedule, so that a tournament gives exactly the same sums however its
games were divided into batches, whichever executor played them, and however often it was interrupted.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import compiled
from kibitz.records.games import Games, Outcome
from kibitz.rules.contract import Game
from kibitz.tournament.ratings import Group, Order
from kibitz.tournament.schedule import Schedule

MOST_FAULTS = 10_000  # that are listed one by one
MOST_MESSAGES = 1000  # different ones, of the same bot and kind of fault, that are counted separately


class GroupSums(NamedTuple):
    """Number, sum and sum of squares of group means, as matrices."""

    groups: Any
    total: Any
    squares: Any

    @classmethod
    def of(cls, rows: int, columns: int) -> GroupSums:
        return cls(np.zeros((rows, columns), "i8"), np.zeros((rows, columns)), np.zeros((rows, columns)))


class BotSums(NamedTuple):
    """Sums over games, by bot."""

    games: Any
    seats: Any  # more than games if a bot takes several seats
    payoff: Any  # normalized
    score: Any
    scored: Any  # seats with a score; there is none after a fault
    seconds: Any
    choices: Any

    @classmethod
    def of(cls, bots: int) -> BotSums:
        return cls(*(np.zeros(bots, kind) for kind in ("i8", "i8", "f8", "f8", "i8", "f8", "i8")))


class PairSums(NamedTuple):
    """In games for two players, what the bot of the row won against the bot of the column."""

    points: Any
    games: Any

    @classmethod
    def of(cls, bots: int) -> PairSums:
        return cls(np.zeros((bots, bots)), np.zeros((bots, bots), "i8"))


class Messages:
    """The messages of faults of one kind, of one bot: how often each occurred, and in which game first."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, int] = {}
        self.others = 0  # those that came when there were already MOST_MESSAGES different ones

    def add(self, message: str, game: int) -> None:
        if message not in self.counts and len(self.counts) == MOST_MESSAGES:
            self.others += 1
        else:
            self.counts[message] += 1
            self.first.setdefault(message, game)


class Tally:
    """Sums over finished games. A group (rotations with the same luck) is one observation, whatever its size.

    All shares are normalized payoffs: shares of the win, as without a game, or its utilities on the scale from 0 to 1.
    """

    def __init__(self, schedule: Schedule, game: Game | None = None) -> None:
        bots, seats, strata = schedule.bots, schedule.players, schedule.strata
        self.schedule = schedule
        self.games = 0
        self.groups = 0
        self.decisions = 0
        self.bots = BotSums.of(bots)
        self.pairs = PairSums.of(bots)
        self.bot_groups = GroupSums.of(bots, strata)  # [bot, stratum of the schedule]
        self.seat_groups = GroupSums.of(seats, strata)
        self.pair_groups = GroupSums.of(bots, bots)
        self.first_bot_groups: Counter[float] = Counter()  # the first bot's share of each group, in a match of two
        self.orders: Counter[Group] = Counter()  # finishing orders by group, if these are what bots are rated by
        self.lengths: Counter[int] = Counter()  # decisions
        self.faults: Counter[tuple[int, Outcome]] = Counter()  # by bot
        self.fault_words: list[tuple[int, int, str]] = []  # game, bot, message; of the first MOST_FAULTS
        self.messages: defaultdict[tuple[int, Outcome], Messages] = defaultdict(Messages)  # by bot
        self._orders_seen: dict[Order, Order] = {}  # each is kept once, however many groups it occurs in
        self._score_sign = 1 if game is not None and game.score_lower_wins else -1
        self._game = game if game is not None and game.has_utilities else None
        # At larger tables, and where both players can win at once, a share does not say who was better.
        self.has_orders = seats > 2 or (game is not None and not game.is_constant_sum)

    def add(self, games: Games) -> None:
        """Count a batch of whole groups."""
        if not len(games):
            return
        edges = group_edges(games)
        first = edges[:-1]  # the first game of each group
        self.games += len(games)
        self.groups += len(first)
        lengths = np.bincount(sum_rows(games.choices))
        self.decisions += int(lengths @ np.arange(len(lengths)))
        self.lengths.update({int(length): int(lengths[length]) for length in np.flatnonzero(lengths)})
        sheet = [np.require(column, kind, ["C", "W"]) for column, kind in _columns(games)]
        if self._game is not None:
            sheet[1] = self._game.normalized(sheet[1])
        add_games(self.bots, self.pairs, *sheet)
        shares = np.zeros(len(first))
        strata = self.schedule.stratum(games.group[first])
        add_groups(self.bot_groups, self.seat_groups, self.pair_groups, sheet[0], sheet[1], edges, strata, shares)
        if self.schedule.bots == self.schedule.players == 2:
            different, counts = np.unique(shares, return_counts=True)
            self.first_bot_groups.update(dict(zip(different.tolist(), counts.tolist(), strict=True)))
        if self.has_orders:
            self._add_orders(games, edges)
        for row in np.flatnonzero(games.outcome):
            bot = int(games.bots[row, games.fault_seat[row]])
            fault = bot, Outcome(games.outcome[row])
            self.faults[fault] += 1
            self.messages[fault].add(games.fault[row], int(games.game[row]))
            if len(self.fault_words) < MOST_FAULTS:
                self.fault_words.append((int(games.game[row]), bot, games.fault[row]))

    def _add_orders(self, games: Games, edges: np.ndarray) -> None:
        """Count the finishing orders: by payoff, then by score."""
        for start, end in itertools.pairwise(edges):
            orders = (finishing_order(games, row, self._score_sign) for row in range(start, end))
            # Sorted, because it does not matter which game of the group came first.
            self.orders[tuple(sorted(self._orders_seen.setdefault(order, order) for order in orders))] += 1


@compiled
def add_games(sums: BotSums, pairs: PairSums, bots: Any, payoff: Any, score: Any, choices: Any, seconds: Any) -> None:
    """Count individual games."""
    rows, seats = bots.shape
    for row in range(rows):
        for seat in range(seats):
            bot = bots[row, seat]
            again = False
            for earlier in range(seat):
                again |= bots[row, earlier] == bot
            if not again:
                sums.games[bot] += 1
            sums.seats[bot] += 1
            sums.payoff[bot] += payoff[row, seat]
            sums.seconds[bot] += seconds[row, seat]
            sums.choices[bot] += choices[row, seat]
            if not np.isnan(score[row, seat]):
                sums.score[bot] += score[row, seat]
                sums.scored[bot] += 1
            if seats == 2 and bot != bots[row, 1 - seat]:
                pairs.points[bot, bots[row, 1 - seat]] += payoff[row, seat]
                pairs.games[bot, bots[row, 1 - seat]] += 1


@compiled
def add_groups(
    bot_sums: GroupSums,
    seat_sums: GroupSums,
    pair_sums: GroupSums,
    bots: Any,
    payoff: Any,
    edges: Any,
    stratum: Any,
    shares: Any,
) -> None:
    """Count the groups, whose games lie between `edges`; write the share of bot 0 in each to `shares`."""
    seats = bots.shape[1]
    for group in range(len(edges) - 1):
        start, end = edges[group], edges[group + 1]
        for seat in range(seats):
            taken = 0.0
            for row in range(start, end):
                taken += payoff[row, seat]
            add_mean(seat_sums, seat, stratum[group], taken / (end - start))
            # The rotations of a line-up have the same bots as its first game; each bot is counted once.
            bot = bots[start, seat]
            again = False
            for earlier in range(seat):
                again |= bots[start, earlier] == bot
            if again:
                continue
            share = mean_share(bots, payoff, start, end, bot)
            add_mean(bot_sums, bot, stratum[group], share)
            if bot == 0:
                shares[group] = share
            if seats == 2 and bot != bots[start, 1 - seat]:
                add_mean(pair_sums, bot, bots[start, 1 - seat], share)


@compiled
def mean_share(bots: Any, payoff: Any, start: int, end: int, bot: int) -> float:
    """A bot's mean share in the games from `start` to `end`, in whichever seat."""
    taken = 0.0
    places = 0
    for row in range(start, end):
        for seat in range(bots.shape[1]):
            if bots[row, seat] == bot:
                taken += payoff[row, seat]
                places += 1
    return taken / places


@compiled
def add_mean(sums: GroupSums, row: int, column: int, mean: float) -> None:
    sums.groups[row, column] += 1
    sums.total[row, column] += mean
    sums.squares[row, column] += mean * mean


@compiled
def add_up_rows(table: Any, sums: Any) -> None:
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            sums[row] += table[row, column]


def sum_rows(table: np.ndarray) -> np.ndarray:
    """The sum of each row; NumPy takes many times as long for rows this short."""
    sums = np.zeros(len(table), table.dtype)
    add_up_rows(np.require(table, None, ["C", "W"]), sums)
    return sums


@compiled
def find_edges(group: Any, edges: Any) -> int:
    """Write the rows where groups begin and the end of the last group; return the number of edges."""
    found = 0
    for row in range(len(group)):
        if row == 0 or group[row] != group[row - 1]:
            edges[found] = row
            found += 1
    edges[found] = len(group)
    return found + 1


def group_edges(games: Games) -> np.ndarray:
    """The boundaries of the groups: the row where each begins, and the end of the last."""
    edges = np.zeros(len(games) + 1, "i8")
    return edges[: find_edges(np.require(games.group, "i8", ["C", "W"]), edges)]


def finishing_order(games: Games, row: int, score_sign: int) -> Order:
    """The bots of a game, best first; tied bots share a tuple."""
    places: dict[tuple[float, float], list[int]] = {}
    for seat, payoff in enumerate(games.payoff[row].tolist()):
        score = 0.0 if np.isnan(games.score[row, seat]) else score_sign * float(games.score[row, seat])
        places.setdefault((-payoff, score), []).append(int(games.bots[row, seat]))
    return tuple(tuple(sorted(places[place])) for place in sorted(places))


def _columns(games: Games) -> list[tuple[np.ndarray, str]]:
    """The columns counted in compiled code, with the dtypes it expects: columns of a log may be read-only."""
    return [(games.bots, "i2"), (games.payoff, "f8"), (games.score, "f8"), (games.choices, "i4"), (games.seconds, "f8")]
