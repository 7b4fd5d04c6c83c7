"""Camel Up's sections of a report: the influence of the start, income by source, race bets, and camels over time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.display.axis import Axis, percent
from kibitz.display.html import Html, element
from kibitz.games.camelup.log_sums import LogSums
from kibitz.games.camelup.race_history import FORGIVEN, LEGS, SOURCES
from kibitz.games.camelup.rules import LOSER, WINNER
from kibitz.games.camelup.start_odds import exact_leaders, exact_odds, places
from kibitz.records.log import Log
from kibitz.report.charts import Bins, Interval, Stack, histogram, interval_plot, stacked_bars
from kibitz.report.page import Column, Section, paragraph, spec, table
from kibitz.tournament.standings import labels
from kibitz.tournament.statistics import Share

PILES = {WINNER: "winner", LOSER: "loser"}
SHOWN_LEGS = 6  # too few races are longer for their figures to mean much
MANY = 30  # race cards for a meaningful interval


def report_sections(game: Any, log: Log) -> list[Section]:
    found = LogSums.of(log, game)
    if not found.games:
        return []
    names = labels(log.tournament["bots"])
    parts = [start(found), income(found, names), positions(found)]
    if found.cards.sum():
        parts.insert(2, race_bets(found, names))
    return parts


# ------------------------------------------------------------------ does the start decide the race?


def start(found: LogSums) -> Section:
    """Wins and last places by place at the start, with the exact odds; then all places."""
    game = found.game
    exact = exact_odds(game)
    intro = "Places at the start are ranked by square, then by height in the stack. The bars are 95\u202f% confidence "
    intro += "intervals; games with the same dice count as one observation. "
    intro += "The dashed lines are " + ("even odds." if exact is None else "the exact odds without desert tiles.")
    html = paragraph(intro)
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
        label = f"{percent(share.share, fine=True)} ({100 * share.low:.1f}\u2009–\u2009{100 * share.high:.1f})"
        label += f", exact {percent(exact[i], fine=True)}" if exact else ""
        rows.append(Interval(name, share.share, share.low, share.high, label))
    axis = Axis.linear([*dashed, *(end for share in shares for end in (share.low, share.high))], percent)
    return element("figure", element("figcaption", title), interval_plot(rows, axis, title, dashed))


# ------------------------------------------------------------------ coins


def income(found: LogSums, names: Sequence[str]) -> Section:
    """What each bot earned per game, by source."""
    played = [bot for bot in range(len(names)) if found.seats[bot]]
    mean = {bot: found.income[bot] / found.seats[bot] for bot in played}
    played.sort(key=lambda bot: -mean[bot].sum())
    kinds = SOURCES if any(mean[bot][FORGIVEN] for bot in played) else SOURCES[:FORGIVEN]
    rows = [Stack(names[bot], mean[bot][: len(kinds)].tolist(), f"{signed(mean[bot].sum())} coins") for bot in played]
    ends = [sum(part for part in row.lengths if (part > 0) == up) for row in rows for up in (True, False)]
    axis = Axis.linear([0, *ends], lambda coins: signed(coins, 0))
    columns = [Column("Bot"), *(Column(kind.capitalize(), number=True) for kind in kinds), Column("Total", number=True)]
    cells = [[spec(row.label), *map(signed, row.lengths), element("strong", signed(sum(row.lengths)))] for row in rows]
    intro = "Average coins per game, by source"
    intro += "; a bot that owes more than it has is forgiven the rest." if len(kinds) > FORGIVEN else "."
    html = paragraph(intro) + stacked_bars(rows, kinds, axis, "Income by source")
    return Section("Income", html + table(columns, cells, "Income by source"))


def signed(coins: float, digits: int = 2) -> str:
    return f"{coins:+.{digits}f}".replace("-", "−") if round(coins, digits) else "0"


def race_bets(found: LogSums, names: Sequence[str]) -> Section:
    """When race cards were laid, and what they paid."""
    intro = "What a race card paid, by pile and by the leg in which it was laid: the first correct cards of a pile pay "
    intro += "8, 5 and 3 coins; wrong ones cost 1. The bars are 95\u202f% confidence intervals."
    return Section("Race bets", paragraph(intro) + _cards_by_leg(found) + _cards_by_bot(found, names))


def _cards_by_leg(found: LogSums) -> Html:
    plotted, rows = [], []
    for pile, leg in itertools.product(PILES, range(1, LEGS + 1)):
        cards, correct = found.cards[:, leg, pile].sum(), found.correct[:, leg, pile].sum()
        if cards:
            label = f"{PILES[pile]}, leg {leg}" + (" and later" if leg == LEGS else "")
            mean, error = found.pay(leg, pile)
            rows.append([label, f"{cards / found.games:.3f}", percent(correct / cards, fine=True), signed(mean)])
            if cards >= MANY:
                pay = f"{signed(mean)}\u2009±\u2009{error:.2f}"
                plotted.append(Interval(label, mean, mean - error, mean + error, pay))
    axis = Axis.linear([0, *(end for row in plotted for end in (row.low, row.high))], lambda coins: signed(coins, 1))
    columns = [Column("Laid"), *(Column(name, number=True) for name in ("Cards per game", "Correct", "Coins per card"))]
    plot = interval_plot(plotted, axis, "Coins per card, with 95\u202f% confidence intervals", reference=0.0)
    return Html(plot + table(columns, rows, "Race cards by leg"))


def _cards_by_bot(found: LogSums, names: Sequence[str]) -> Html:
    bots = [bot for bot in range(len(names)) if found.cards[bot].sum()]
    bots.sort(key=lambda bot: -found.coins[bot].sum() / found.seats[bot])
    rows = []
    for bot in bots:
        cards, coins = found.cards[bot].sum(), found.coins[bot].sum()
        leg = (found.cards[bot].sum(axis=1) * np.arange(LEGS + 1)).sum() / cards
        share = percent(found.correct[bot].sum() / cards, fine=True)
        each = [f"{cards / found.seats[bot]:.2f}", f"{leg:.1f}", share]
        rows.append([spec(names[bot]), *each, signed(coins / cards), signed(coins / found.seats[bot])])
    heads = ("Cards per game", "Mean leg", "Correct", "Coins per card", "Coins per game")
    return table([Column("Bot"), *(Column(name, number=True) for name in heads)], rows, "Race cards by bot")


# ------------------------------------------------------------------ camels over time


def positions(found: LogSums) -> Section:
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
    exact = exact_leaders(game)
    columns = [Column("Started"), *(Column(f"leg {leg}", number=True) for leg in legs[1:])]
    if exact is not None:
        columns.insert(2, Column("exact", number=True))
    rows = []
    for began, name in enumerate(places(game.camels)):
        row = [name, *(percent(found.leading[leg, began] / found.ended[leg], fine=True) for leg in legs[1:])]
        rows.append(row if exact is None else [*row[:2], percent(exact[began], fine=True), *row[2:]])
    intro = f"The squares of the camels at the end of each leg; from {game.squares} on they are past the finish."
    leads = "Who was leading, by place at the start, in the races that lasted this long"
    leads += "; next to leg 1, the exact odds without desert tiles." if exact is not None else "."
    return Section(
        "Camels over time",
        paragraph(intro)
        + element("div", *figures, class_="multiples")
        + paragraph(leads, class_="note")
        + table(columns, rows, "Leader after each leg by place at the start"),
    )
