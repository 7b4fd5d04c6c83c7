"""What the games of a log show of Camel Up: sums over their accounts, and shares with intervals."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from kibitz.arena.games import Games, Outcome
from kibitz.arena.statistics import Share, Z, share_from_sums
from kibitz.games.camelup.account import LEGS, SOURCES, Account, account_of
from kibitz.records.findings import whole_groups
from kibitz.records.log import Log


class Findings:
    """Sums over the games of a log. Games of one group had the same dice and are taken as one observation."""

    def __init__(self, game: Any, bots: int) -> None:
        camels = game.camels
        self.game = game
        self.games = self.groups = 0
        self.seats = np.zeros(bots)  # games that each bot played, once for every seat
        self.income = np.zeros((bots, len(SOURCES)))  # by bot
        self.standings = np.zeros((camels, camels))  # games by place at the start and place in the end …
        self.means = np.zeros((camels, camels))  # … the same as shares of groups, and their squares
        self.squares = np.zeros((camels, camels))
        self.ended = np.zeros(LEGS + 1)  # games in which so many legs ended
        self.leading = np.zeros((LEGS + 1, camels))  # of these, games led by whoever started from a place
        self.stood = [Counter[float]() for _ in range(LEGS + 1)]  # camels by square, after so many legs
        self.cards = np.zeros((bots, LEGS + 1, 2))  # race cards by bot, leg and pile …
        self.correct = np.zeros((bots, LEGS + 1, 2))
        self.coins = np.zeros((bots, LEGS + 1, 2))
        self.products = np.zeros((3, LEGS + 1, 2))  # … and, over groups, of coins and cards: cc, ck and kk

    @classmethod
    def of(cls, log: Log, game: Any) -> Findings:
        """Read a log. Games that ended by a fault are left out."""
        found = cls(game, len(log.tournament["bots"]))
        for games in whole_groups(log):
            games = games.rows(games.outcome == Outcome.BOARD)
            if len(games):
                found.add(games, account_of(game, games.moves))
        return found

    def add(self, games: Games, account: Account) -> None:
        """Add games that ended by the rules, in whole groups."""
        rows = np.arange(len(games))[:, None]
        _, group, sizes = np.unique(games.group, return_inverse=True, return_counts=True)
        self.games += len(games)
        self.groups += len(sizes)
        np.add.at(self.seats, games.bots, 1)
        np.add.at(self.income, games.bots, account.income)
        camels = self.game.camels
        started = account.place[:, 0]
        standing = np.zeros((len(games), camels, camels))
        standing[rows, started, account.final] = 1
        self.standings += standing.sum(axis=0)
        means = np.zeros((len(sizes), camels, camels))
        np.add.at(means, group, standing)
        means /= sizes[:, None, None]
        self.means += means.sum(axis=0)
        self.squares += (means**2).sum(axis=0)
        for leg in range(LEGS + 1):
            there = account.legs >= leg
            self.ended[leg] += there.sum()
            leader = account.place[there, leg].argmin(axis=1)
            np.add.at(self.leading[leg], started[there, leader], 1)
            squares, counts = np.unique(account.square[there, leg], return_counts=True)
            self.stood[leg].update(dict(zip(squares.tolist(), counts.tolist(), strict=True)))
        self._add_cards(games, account, group)

    def _add_cards(self, games: Games, account: Account, group: np.ndarray) -> None:
        game, pile, card = np.nonzero(np.arange(account.laid.shape[2]) < account.cards[:, :, None])
        leg, paid = account.laid[game, pile, card], account.paid[game, pile, card]
        bot = games.bots[game, account.owner[game, pile, card]]
        np.add.at(self.cards, (bot, leg, pile), 1)
        np.add.at(self.correct, (bot, leg, pile), paid > 0)
        np.add.at(self.coins, (bot, leg, pile), paid)
        coins, cards = np.zeros((2, group.max() + 1, LEGS + 1, 2))
        np.add.at(coins, (group[game], leg, pile), paid)
        np.add.at(cards, (group[game], leg, pile), 1)
        self.products += [(coins**2).sum(axis=0), (coins * cards).sum(axis=0), (cards**2).sum(axis=0)]

    def share(self, began: int, ended: int) -> Share:
        """How often who started from one place came in at another, both 0 for the first."""
        mean = float(self.standings[began, ended] / self.games)
        return share_from_sums(self.groups, self.means[began, ended], self.squares[began, ended], mean)

    def pay(self, leg: int, pile: int) -> tuple[float, float]:
        """What a race card laid in a leg paid on average, and half the width of its 95 % interval (of a ratio)."""
        cards, coins = self.cards[:, leg, pile].sum(), self.coins[:, leg, pile].sum()
        mean = coins / cards
        squares, mixed, counts = self.products[:, leg, pile]
        spread = max(squares - 2 * mean * mixed + mean * mean * counts, 0.0)
        return float(mean), float(Z * math.sqrt(spread) / cards)
