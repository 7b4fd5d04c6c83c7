"""The result of a tournament as HTML, for notebooks: the tables of the terminal, with pictures for bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kibitz.display.html import Html, element
from kibitz.display.picture import Picture
from kibitz.display.scene import NO_PAINT, Piece, Scene, circle, line
from kibitz.tournament.standings import WIDE, IntervalBar, notes, tables
from kibitz.tournament.statistics import Share

if TYPE_CHECKING:
    from kibitz.tournament.result import ArenaResult

BAR_WIDTH, BAR_HEIGHT, BAR_MARGIN = 180, 16, 6


def standings_html(result: ArenaResult) -> Html:
    """Everything about a result."""
    parts = [_table(table) for table in tables(result, WIDE)]
    return element("div", *parts, *(element("p", note.plain, style="margin: 0.3em 0") for note in notes(result)))


def _table(table: Table) -> Html:
    sides = [f"text-align: {'right' if column.justify == 'right' else 'left'}" for column in table.columns]
    titles = [_plain(column.header) for column in table.columns]
    head = element("tr", *(element("th", title, style=side) for title, side in zip(titles, sides, strict=True)))
    rows = [
        element("tr", *(element("td", _cell(cell), style=side) for cell, side in zip(cells, sides, strict=True)))
        for cells in zip(*(column.cells for column in table.columns), strict=True)
    ]
    return element("table", element("thead", head), element("tbody", *rows))


def _cell(cell: RenderableType) -> object:
    return _bar(cell.share).image() if isinstance(cell, IntervalBar) else _plain(cell)


def _plain(cell: RenderableType) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def _bar(share: Share) -> Picture:
    """A share and its interval on a scale from 0 to 1."""
    y = BAR_HEIGHT / 2
    low, at, high = (BAR_MARGIN + (BAR_WIDTH - 2 * BAR_MARGIN) * x for x in (share.low, share.share, share.high))
    shapes = (
        line(BAR_MARGIN, y, BAR_WIDTH - BAR_MARGIN, y, 1, stroke="line"),
        line(low, y, high, y, 2.5, stroke="accent"),
        circle(4.5, at, y, fill="accent"),
    )
    words = f"{share.share:.1%}, between {share.low:.1%} and {share.high:.1%} of the scale"
    scene = Scene(BAR_WIDTH, BAR_HEIGHT, (Piece("bar", 0, 0, shapes),))
    return Picture(scene, BAR_WIDTH, words, ground=NO_PAINT)
