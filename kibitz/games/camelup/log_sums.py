"""The games of a Camel Up log in figures: sums over their histories, and shares with confidence intervals."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from kibitz.games.camelup.race_history import LEGS, SOURCES, RaceHistory, race_history_of
from kibitz.records.games import Games, Outcome
from kibitz.records.log import Log
from kibitz.report.findings import whole_groups
from kibitz.tournament.statistics import Share, Z, share_from_sums


class LogSums:
    """Sums over the games of a log. Games of one group had the same dice and count as one observation."""

    def __init__(self, game: Any, bots: int) -> None:
        camels = game.camels
        self.game = game
        self.games = self.groups = 0
        self.seats = np.zeros(bots)  # games that each bot played, once for every seat
        self.income = np.zeros((bots, len(SOURCES)))  # by bot
        self.standings = np.zeros((camels, camels))  # games by place at the start and final place …
        self.means = np.zeros((camels, camels))  # … the same as shares of groups, and their squares
        self.squares = np.zeros((camels, camels))
        self.ended = np.zeros(LEGS + 1)  # by leg: games in which it ended …
        self.leading = np.zeros((LEGS + 1, camels))  # … the same by the leader's place at the start …
        self.stood = [Counter[float]() for _ in range(LEGS + 1)]  # … and the camels in them, by square
        self.cards = np.zeros((bots, LEGS + 1, 2))  # race cards by bot, leg and pile …
        self.correct = np.zeros((bots, LEGS + 1, 2))
        self.coins = np.zeros((bots, LEGS + 1, 2))
        self.products = np.zeros((3, LEGS + 1, 2))  # … and, over groups, coins², coins · cards and cards²

    @classmethod
    def of(cls, log: Log, game: Any) -> LogSums:
        """Read a log. Games that ended in a fault are left out."""
        found = cls(game, len(log.tournament["bots"]))
        for games in whole_groups(log):
            games = games.rows(games.outcome == Outcome.BOARD)
            if len(games):
                found.add(games, race_history_of(game, games.moves))
        return found

    def add(self, games: Games, history: RaceHistory) -> None:
        """Add games that ended without a fault, in whole groups."""
        rows = np.arange(len(games))[:, None]
        _, group, sizes = np.unique(games.group, return_inverse=True, return_counts=True)
        self.games += len(games)
        self.groups += len(sizes)
        np.add.at(self.seats, games.bots, 1)
        np.add.at(self.income, games.bots, history.income)
        camels = self.game.camels
        started = history.place[:, 0]
        standing = np.zeros((len(games), camels, camels))
        standing[rows, started, history.final] = 1
        self.standings += standing.sum(axis=0)
        means = np.zeros((len(sizes), camels, camels))
        np.add.at(means, group, standing)
        means /= sizes[:, None, None]
        self.means += means.sum(axis=0)
        self.squares += (means**2).sum(axis=0)
        for leg in range(LEGS + 1):
            there = history.legs >= leg
            self.ended[leg] += there.sum()
            leader = history.place[there, leg].argmin(axis=1)
            np.add.at(self.leading[leg], started[there, leader], 1)
            squares, counts = np.unique(history.square[there, leg], return_counts=True)
            self.stood[leg].update(dict(zip(squares.tolist(), counts.tolist(), strict=True)))
        self._add_cards(games, history, group)

    def _add_cards(self, games: Games, history: RaceHistory, group: np.ndarray) -> None:
        game, pile, card = np.nonzero(np.arange(history.laid.shape[2]) < history.cards[:, :, None])
        leg, paid = history.laid[game, pile, card], history.paid[game, pile, card]
        bot = games.bots[game, history.owner[game, pile, card]]
        np.add.at(self.cards, (bot, leg, pile), 1)
        np.add.at(self.correct, (bot, leg, pile), paid > 0)
        np.add.at(self.coins, (bot, leg, pile), paid)
        coins, cards = np.zeros((2, group.max() + 1, LEGS + 1, 2))
        np.add.at(coins, (group[game], leg, pile), paid)
        np.add.at(cards, (group[game], leg, pile), 1)
        self.products += [(coins**2).sum(axis=0), (coins * cards).sum(axis=0), (cards**2).sum(axis=0)]

    def share(self, began: int, ended: int) -> Share:
        """How often the camel from one place at the start finished in another; 0 is the first place."""
        mean = float(self.standings[began, ended] / self.games)
        return share_from_sums(self.groups, self.means[began, ended], self.squares[began, ended], mean)

    def pay(self, leg: int, pile: int) -> tuple[float, float]:
        """The mean pay of race cards laid in a leg, and half the width of its 95 % interval (as that of a ratio)."""
        cards, coins = self.cards[:, leg, pile].sum(), self.coins[:, leg, pile].sum()
        mean = coins / cards
        squares, mixed, counts = self.products[:, leg, pile]
        spread = max(squares - 2 * mean * mixed + mean * mean * counts, 0.0)
        return float(mean), float(Z * math.sqrt(spread) / cards)
