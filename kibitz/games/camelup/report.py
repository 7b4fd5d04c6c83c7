"""Camel Up's part of a report: what the start decides, where coins come from, what race bets earn, where camels are."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.arena.games import Games, Outcome
from kibitz.arena.result import labels
from kibitz.arena.statistics import Share, Z, share_from_sums
from kibitz.compiled import native
from kibitz.engine import Engine
from kibitz.games.camelup.account import LEGS, REMITTED, SOURCES, Account, account_of
from kibitz.games.camelup.odds import foresee, new_odds
from kibitz.games.camelup.race import start_ranks
from kibitz.games.camelup.rules import LOSER, WINNER
from kibitz.games.camelup.track import FACES
from kibitz.records.charts import (
    Axis,
    Bins,
    Interval,
    Stack,
    histogram,
    interval_plot,
    percent,
    stacked_bars,
)
from kibitz.records.findings import whole_groups
from kibitz.records.log import Log
from kibitz.records.page import Column, Html, Section, element, paragraph, spec, table

PLACES = "first", "second", "third", "fourth", "fifth", "sixth"
PILES = {WINNER: "winner", LOSER: "loser"}
SHOWN_LEGS = 6  # so few races have more that their figures say little
MANY = 30  # race cards, for an interval to mean something


def sections(log: Log, game: Any) -> list[Section]:
    found = Findings(game, len(log.tournament["bots"]))
    for games in whole_groups(log):
        games = games.rows(games.outcome == Outcome.BOARD)
        if len(games):
            found.add(games, account_of(game, games.moves))
    if not found.games:
        return []
    names = labels(log.tournament["bots"])
    parts = [start(found), income(found, names), positions(found)]
    if found.cards.sum():
        parts.insert(2, race_bets(found, names))
    return parts


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
        coins, cards = np.zeros((2, group[-1] + 1, LEGS + 1, 2))
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


# ------------------------------------------------------------------ does the start decide the race?


def start(found: Findings) -> Section:
    """Who wins and who comes last by place at the start, beside the exact odds; then all places."""
    game = found.game
    exact = None if game.is_second else exact_odds(game)
    told = "A camel’s place at the start counts squares, then height in the stack. Intervals hold the truth in "
    told += "95\u202f% of cases; games with the same dice count as one observation. "
    told += "The dashed lines are " + ("what is even." if exact is None else "the exact odds without desert tiles.")
    html = paragraph(told)
    for title, place in (("Wins, by place at the start", 0), ("Comes last, by place at the start", game.camels - 1)):
        shares = [found.share(began, place) for began in range(game.camels)]
        html = Html(html + _by_start(title, shares, exact[place] if exact else None))
    columns = [Column("Started"), *(Column(f"ends {name}", number=True) for name in places(game.camels))]
    rows = [
        [name, *(percent(found.standings[began, ended] / found.games, fine=True) for ended in range(game.camels))]
        for began, name in enumerate(places(game.camels))
    ]
    return Section("Does the start decide the race?", html + table(columns, rows, "Final place by place at the start"))


def _by_start(title: str, shares: Sequence[Share], exact: Sequence[float] | None) -> Html:
    """A row for each place at the start: the share with its interval, and the exact odds."""
    dashed = exact or [1 / len(shares)] * len(shares)
    rows = []
    for i, (name, share) in enumerate(zip(places(len(shares)), shares, strict=True)):
        words = f"{percent(share.share, fine=True)} ({100 * share.low:.1f}\u2009–\u2009{100 * share.high:.1f})"
        words += f", exact {percent(exact[i], fine=True)}" if exact else ""
        rows.append(Interval(name, share.share, share.low, share.high, words))
    axis = Axis.linear([*dashed, *(end for share in shares for end in (share.low, share.high))], percent)
    return element("figure", element("figcaption", title), interval_plot(rows, axis, title, dashed))


def exact_odds(game: Any) -> dict[int, list[float]]:
    """Of a race without desert tiles, by place at the start: the odds to win (0), and to come last (the last place)."""
    wins, loses = start_ranks(game)[: 2 * game.camels].reshape(2, -1)[:, ::-1].tolist()
    return {0: wins, game.camels - 1: loses}


def exact_leaders(game: Any) -> list[float]:
    """By place at the start: the odds to lead when the first leg ends, without desert tiles."""
    odds, leads = new_odds(game, race=False), np.zeros(game.camels)
    for squares, ways in lined_up(game):
        state = Engine(game).start()
        state.leg = 1
        for camel, square in enumerate(squares):  # from the last to the first
            state.square[camel], state.height[camel] = square, squares[:camel].count(square)
        foresee(game, native(state), odds)
        leads += ways * np.asarray(odds.first)
    return (leads[::-1] / FACES**game.camels).tolist()


def lined_up(game: Any) -> Iterator[tuple[tuple[int, ...], int]]:
    """The squares at the start from the last camel to the first, and in how many ways the dice give them."""
    ways = Counter(tuple(sorted(squares)) for squares in itertools.product(range(FACES), repeat=game.camels))
    yield from sorted(ways.items())


def places(camels: int) -> list[str]:
    """What the places in a race are called."""
    return [*PLACES[: camels - 1], "last"]


# ------------------------------------------------------------------ coins


def income(found: Findings, names: Sequence[str]) -> Section:
    """What each bot earned a game, by source."""
    played = [bot for bot in range(len(names)) if found.seats[bot]]
    mean = {bot: found.income[bot] / found.seats[bot] for bot in played}
    played.sort(key=lambda bot: -mean[bot].sum())
    kinds = SOURCES if any(mean[bot][REMITTED] for bot in played) else SOURCES[:REMITTED]
    rows = [Stack(names[bot], mean[bot][: len(kinds)].tolist(), f"{signed(mean[bot].sum())} coins") for bot in played]
    ends = [sum(part for part in row.lengths if (part > 0) == up) for row in rows for up in (True, False)]
    axis = Axis.linear([0, *ends], lambda coins: signed(coins, 0))
    columns = [Column("Bot"), *(Column(kind.capitalize(), number=True) for kind in kinds), Column("Total", number=True)]
    cells = [[spec(row.label), *map(signed, row.lengths), element("strong", signed(sum(row.lengths)))] for row in rows]
    told = "Coins that each bot gained in a game on average, by where they came from"
    told += "; who would owe more than it has is let off the rest." if len(kinds) > REMITTED else "."
    html = paragraph(told) + stacked_bars(rows, kinds, axis, "Income by source")
    return Section("Income", html + table(columns, cells, "Income by source"))


def signed(coins: float, digits: int = 2) -> str:
    return f"{coins:+.{digits}f}".replace("-", "−") if round(coins, digits) else "0"


def race_bets(found: Findings, names: Sequence[str]) -> Section:
    """When race cards were laid, and what they paid."""
    told = "What a race card paid in the end, by the pile and by the leg in which it was laid: the first correct cards "
    told += "of a pile pay 8, 5 and 3 coins, wrong ones cost 1. Intervals hold the truth in 95\u202f% of cases."
    return Section("Race bets", paragraph(told) + _cards_by_leg(found) + _cards_by_bot(found, names))


def _cards_by_leg(found: Findings) -> Html:
    plotted, rows = [], []
    for pile, leg in itertools.product(PILES, range(1, LEGS + 1)):
        cards, correct = found.cards[:, leg, pile].sum(), found.correct[:, leg, pile].sum()
        if cards:
            label = f"{PILES[pile]}, leg {leg}" + (" and later" if leg == LEGS else "")
            mean, error = found.pay(leg, pile)
            rows.append([label, f"{cards / found.games:.3f}", percent(correct / cards, fine=True), signed(mean)])
            if cards >= MANY:
                words = f"{signed(mean)}\u2009±\u2009{error:.2f}"
                plotted.append(Interval(label, mean, mean - error, mean + error, words))
    axis = Axis.linear([0, *(end for row in plotted for end in (row.low, row.high))], lambda coins: signed(coins, 1))
    columns = [Column("Laid"), *(Column(name, number=True) for name in ("Cards a game", "Correct", "Coins a card"))]
    plot = interval_plot(plotted, axis, "Coins a card, with 95\u202f% intervals", reference=0.0)
    return Html(plot + table(columns, rows, "Race cards by leg"))


def _cards_by_bot(found: Findings, names: Sequence[str]) -> Html:
    bots = [bot for bot in range(len(names)) if found.cards[bot].sum()]
    bots.sort(key=lambda bot: -found.coins[bot].sum() / found.seats[bot])
    rows = []
    for bot in bots:
        cards, coins = found.cards[bot].sum(), found.coins[bot].sum()
        leg = (found.cards[bot].sum(axis=1) * np.arange(LEGS + 1)).sum() / cards
        share = percent(found.correct[bot].sum() / cards, fine=True)
        each = [f"{cards / found.seats[bot]:.2f}", f"{leg:.1f}", share]
        rows.append([spec(names[bot]), *each, signed(coins / cards), signed(coins / found.seats[bot])])
    heads = ("Cards a game", "Mean leg", "Correct", "Coins a card", "Coins a game")
    return table([Column("Bot"), *(Column(name, number=True) for name in heads)], rows, "Race cards by bot")


# ------------------------------------------------------------------ camels over time


def positions(found: Findings) -> Section:
    """Where camels stood when legs ended, and who led."""
    game = found.game
    legs = [leg for leg in range(SHOWN_LEGS + 1) if found.ended[leg]]
    bins = Bins.holding(square for leg in legs for square in found.stood[leg])
    highest = max(max(bins.heights(found.stood[leg])) / found.stood[leg].total() for leg in legs[1:])
    figures = []
    for leg in legs[1:]:
        title = f"After leg {leg}: {found.ended[leg] / found.games:.0%} of the races"
        chart = histogram(found.stood[leg], title, "camels", bins=bins, height=90, highest=highest)
        figures.append(element("figure", element("figcaption", title), chart))
    exact = None if game.is_second else exact_leaders(game)
    columns = [Column("Started"), *(Column(f"leg {leg}", number=True) for leg in legs[1:])]
    if exact is not None:
        columns.insert(2, Column("exact", number=True))
    rows = []
    for began, name in enumerate(places(game.camels)):
        row = [name, *(percent(found.leading[leg, began] / found.ended[leg], fine=True) for leg in legs[1:])]
        rows.append(row if exact is None else [*row[:2], percent(exact[began], fine=True), *row[2:]])
    told = f"The squares on which camels stood when a leg had ended; from {game.squares} on they are past the end."
    leads = "Who led then, by place at the start, in the races that got so far"
    leads += "; beside leg 1 the exact odds without desert tiles." if exact is not None else "."
    return Section(
        "Camels over time",
        paragraph(told)
        + element("div", *figures, class_="multiples")
        + paragraph(leads, class_="note")
        + table(columns, rows, "Leader after each leg by place at the start"),
    )
