"""The report of a search as HTML, for notebooks: every move with its value, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.display.html import Html, element
from kibitz.display.wording import probability_words, value_words

if TYPE_CHECKING:
    from kibitz.players.bot import Ranked, Report

MOST_MOVES = 30  # shown
RIGHT, LEFT = "text-align: right", "text-align: left"


def report_html(report: Report) -> Html:
    """A table of the moves, and the work done; moves are numbers in a report without a view."""
    visits = any(ranked.visits for ranked in report.moves)
    prior = any(ranked.prior is not None for ranked in report.moves)
    titles = [("Move", LEFT), ("Value", RIGHT)]
    titles += [("Visits", RIGHT)] * visits + [("Prior", RIGHT)] * prior + [("Expected line", LEFT)]
    head = element("tr", *(element("th", title, style=side) for title, side in titles))
    rows = []
    for ranked in report.moves[:MOST_MOVES]:
        first, *others = _line(report, ranked)
        cells: list[object] = [first, _value(report, ranked)]
        cells += [f"{ranked.visits:,}"] * visits
        cells += ["–" if ranked.prior is None else probability_words(ranked.prior)] * prior
        cells.append(", ".join(others))
        rows.append(element("tr", *(element("td", c, style=s) for c, (_, s) in zip(cells, titles, strict=True))))
    left = len(report.moves) - MOST_MOVES
    more = f" {left} more moves are not shown." if left > 0 else ""
    words = f"{report.work:,} {report.unit}, {report.seconds:.3f} s.{more}"
    return element("div", element("table", element("thead", head), element("tbody", *rows)), element("p", words))


def _value(report: Report, ranked: Ranked) -> str:
    words = f"{ranked.value:.1%}" if report.view is None else value_words(report.view.game, ranked.value)
    return f"{words}, proven" if ranked.exact else words


def _line(report: Report, ranked: Ranked) -> list[str]:
    """The move and what is expected to follow, as far as that can be named."""
    line = ranked.line or (ranked.move,)
    if report.view is None:
        return [str(move) for move in line]
    return report.view.say_line(line)
