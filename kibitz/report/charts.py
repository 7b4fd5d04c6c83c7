"""Charts for pages: SVG within HTML, without scripts.

Widths are percentages and heights are pixels, so that a chart is as wide as the page allows while its text keeps its
size. Colours are those of the page (see page.html), in light and dark mode; nothing is conveyed by colour alone. Every
mark has a tooltip that describes it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.display.axis import Axis, percent, round_step
from kibitz.display.html import Html, element
from kibitz.report.page import scrolling, spec

ROW = 30  # height of a row of a plot
MOST_BINS = 40


@dataclass(frozen=True)
class Interval:
    """A row of an interval plot: an estimate between two bounds, and the same as text; NaN if nothing is known."""

    label: str
    at: float
    low: float
    high: float
    words: str


def interval_plot(
    rows: Sequence[Interval], axis: Axis, caption: str, reference: float | Sequence[float] | None = None
) -> Html:
    """One row per estimate: a dot, and a line from bound to bound. `reference`, one for all rows or one for each, is
    drawn as a dashed line."""
    references = reference if isinstance(reference, Sequence) else [reference] * len(rows)
    tracks = [interval_track(row, axis, dashed) for row, dashed in zip(rows, references, strict=True)]
    return _plot([(row.label, track, row.words) for row, track in zip(rows, tracks, strict=True)], axis, caption)


def interval_track(row: Interval, axis: Axis, reference: float | None = None) -> Html:
    """One row of an interval plot, for use in a table."""
    marks = [_vertical(axis, reference, "reference")] if reference is not None else []
    if all(map(math.isfinite, (row.at, row.low, row.high))):
        low, at, high = (f"{axis.at(value):.2f}%" for value in (row.low, row.at, row.high))
        middle = ROW / 2
        marks += [
            element("line", x1=low, x2=high, y1=middle, y2=middle, class_="reach"),
            *(element("line", x1=x, x2=x, y1=middle - 4, y2=middle + 4, class_="reach") for x in (low, high)),
            element("circle", cx=at, cy=middle, r=4.5, class_="dot"),
        ]
    return _track(axis, marks, f"{row.label}: {row.words}")


@dataclass(frozen=True)
class Bar:
    """A row of a bar chart: a length, and the same as text."""

    label: str
    length: float
    words: str


def bars(rows: Sequence[Bar], axis: Axis, caption: str) -> Html:
    """A chart with one horizontal bar per row."""
    return _plot([(row.label, _bar_track(row, axis), row.words) for row in rows], axis, caption)


def _bar_track(row: Bar, axis: Axis) -> Html:
    bar = element("rect", x=0, width=f"{axis.at(row.length):.2f}%", y=7, height=ROW - 14, rx=2, class_="bar")
    return _track(axis, [bar], f"{row.label}: {row.words}")


@dataclass(frozen=True)
class Stack:
    """A row of stacked bars: a length for each kind, which may be negative, and a summary as text."""

    label: str
    lengths: Sequence[float]
    words: str


def stacked_bars(rows: Sequence[Stack], kinds: Sequence[str], axis: Axis, caption: str) -> Html:
    """Bars of up to five kinds, end to end: positive lengths to the right of zero, negative ones to the left."""
    colours = [
        element("li", element("span", class_=f"key kind-{i}"), kind, class_="together")
        for i, kind in enumerate(kinds, 1)
    ]
    tracks = [(row.label, _stack_track(row, kinds, axis), row.words) for row in rows]
    return Html(element("ul", *colours, class_="keys") + _plot(tracks, axis, caption))


def _stack_track(row: Stack, kinds: Sequence[str], axis: Axis) -> Html:
    marks, ends = [], {True: 0.0, False: 0.0}
    for i, (kind, length) in enumerate(zip(kinds, row.lengths, strict=True), 1):
        begin = ends[length > 0]
        ends[length > 0] = end = begin + length
        left, right = sorted((axis.at(begin), axis.at(end)))
        words = element("title", f"{row.label}, {kind}: {length:.2f}".replace("-", "−"))
        where = {"x": f"{left:.2f}%", "width": f"{right - left:.2f}%", "y": 7, "height": ROW - 14}
        if length:
            marks.append(element("rect", words, **where, class_=f"kind-{i}"))
    return _track(axis, [*marks, _vertical(axis, 0, "mean")], f"{row.label}: {row.words}")


def _plot(rows: Sequence[tuple[str, Html, str]], axis: Axis, caption: str) -> Html:
    """Rows of label, marks and text above an axis, as a table for screen readers."""
    lines = [
        element(
            "tr",
            element("th", spec(label), scope="row"),
            element("td", track, class_="marks"),
            element("td", words, class_="number"),
        )
        for label, track, words in rows
    ]
    ticks = [
        element("text", axis.words(tick), x=f"{axis.at(tick):.2f}%", y=14, text_anchor="middle") for tick in axis.ticks
    ]
    scale = element("svg", *ticks, width="100%", height=20, class_="chart", aria_hidden="true")
    foot = element("tr", element("td"), element("td", scale, class_="marks"), element("td"), aria_hidden="true")
    return element(
        "table",
        element("caption", caption, class_="unseen"),
        element("tbody", *lines),
        element("tfoot", foot),
        class_="plot",
    )


def _track(axis: Axis, marks: Sequence[Html], words: str) -> Html:
    grid = [_vertical(axis, tick, "grid") for tick in axis.ticks]
    title = element("title", words)
    return element("svg", title, *grid, *marks, width="100%", height=ROW, class_="chart", role="img")


def _vertical(axis: Axis, value: float, kind: str, height: float | str = "100%") -> Html:
    x = f"{axis.at(value):.2f}%"
    return element("line", x1=x, x2=x, y1=0, y2=height, class_=kind)


@dataclass(frozen=True)
class Bins:
    """The bins of a histogram, all of the same width; one per value if there are few values."""

    first: float  # where the first bin begins
    width: float
    number: int
    single: bool  # each bin holds one value, at its centre

    @classmethod
    def holding(cls, values: Iterable[float]) -> Bins:
        """Bins for these values, about 40 at most."""
        different = sorted(set(values))
        low, high = different[0], different[-1]
        grain = _grain(different)
        if (high - low) / grain < MOST_BINS:
            return cls(low - grain / 2, grain, round((high - low) / grain) + 1, single=True)
        width = round_step((high - low) / MOST_BINS)
        first = width * math.floor(low / width + 1e-9)
        return cls(first, width, math.floor((high - first) / width + 1e-9) + 1, single=False)

    def heights(self, counts: Mapping[float, int]) -> list[int]:
        """The count in each bin."""
        heights = [0] * self.number
        for value, count in counts.items():
            heights[min(max(int((value - self.first) / self.width + 1e-9), 0), self.number - 1)] += count
        return heights

    def words(self, number: int) -> str:
        """A description of the values in a bin."""
        low = self.first + number * self.width
        if self.single:
            return f"{low + self.width / 2:g}"
        return f"{low:g} to under {low + self.width:g}"

    @property
    def axis(self) -> Axis:
        """From the start of the first bin to the end of the last; if bins hold one value, ticks are centred on bars."""
        end = self.first + self.number * self.width
        step = round_step(max((end - self.first) / 8, self.width))
        begin = step * math.ceil(self.first / step - 1e-9)
        if self.single:
            every = math.ceil(step / self.width - 1e-9)
            middles = [self.first + (i + 0.5) * self.width for i in range(self.number)]
            step = every * self.width
            begin = next((x for x in middles[:every] if math.isclose(x, step * round(x / step))), middles[0])
        return Axis(self.first, end, tuple(np.arange(begin, end + 1e-9 * step, step).tolist()))


def _grain(values: Sequence[float]) -> float:
    """The greatest common divisor of all differences of sorted values; (nearly) 0 for irregular values."""
    gaps = [after - before for before, after in itertools.pairwise(values)]
    grain = gaps[0] if gaps else 1.0
    for gap in gaps:
        while gap > 1e-6 * grain:  # Euclid
            grain, gap = gap, grain % gap
    return grain


def histogram(
    counts: Mapping[float, int],
    title: str,
    what: str,
    *,
    bins: Bins | None = None,
    height: int = 160,
    highest: float | None = None,
) -> Html:
    """A histogram of values with a line at the mean; `what` names the things counted, such as "games".

    To make several histograms comparable, give them the same bins and the same `highest` share.

    Examples:
        >>> from kibitz.report.charts import histogram
        >>> histogram({1: 3, 2: 5, 3: 2}, "Columns of the first disc", "games").count('class="bar"')
        3
    """
    bins = bins or Bins.holding(counts)
    heights, total = bins.heights(counts), sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total
    axis, top = bins.axis, highest or max(heights) / total
    shares = Axis.linear((0, top), steps=height // 30)
    width = 100 / bins.number
    marks = []
    for tick in shares.ticks:
        y = 20 + height * (1 - shares.at(tick) / 100)
        marks.append(element("line", x1=0, x2="100%", y1=y, y2=y, class_="grid"))
        marks.append(element("text", percent(tick, fine=top < 0.02), x=-8, y=y + 4, text_anchor="end"))
    for i, count in enumerate(heights):
        if count:
            tall = height * shares.at(count / total) / 100
            bar = element(
                "rect",
                element(
                    "title",
                    f"{bins.words(i)}: {count:,} {what} ({percent(count / total, fine=True)})",
                ),
                x=f"{(i + 0.08) * width:.3f}%",
                width=f"{0.84 * width:.3f}%",
                y=f"{20 + height - tall:.1f}",
                height=f"{tall:.1f}",
                class_="bar",
            )
            marks.append(bar)
    for tick in axis.ticks:
        marks.append(element("text", axis.words(tick), x=f"{axis.at(tick):.2f}%", y=height + 37, text_anchor="middle"))
    at = axis.at(mean)
    anchor = "start" if at < 15 else "end" if at > 85 else "middle"
    marks += [
        element("line", x1=f"{at:.2f}%", x2=f"{at:.2f}%", y1=16, y2=20 + height, class_="mean"),
        element("text", f"mean {mean:.4g}", x=f"{at:.2f}%", y=11, text_anchor=anchor, class_="strong"),
    ]
    summary = f"{total:,} {what}, from {min(counts):g} to {max(counts):g}, mean {mean:.4g}."
    return upright_chart(title, summary, marks, height)


def upright_chart(title: str, summary: str, marks: Iterable[Html], height: int) -> Html:
    """Marks above a horizontal axis, as wide as the page, with room for the words around them."""
    chart = element(
        "svg",
        element("title", title),
        element("desc", summary),
        *marks,
        width="100%",
        height=height + 44,
        class_="chart",
        role="img",
    )
    return element("div", chart, class_="histogram")


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix: a share, the same as text, and a note in small print below it."""

    share: float
    words: str
    note: str


def matrix(labels: Sequence[str], rows: Sequence[Sequence[Cell | None]], caption: str) -> Html:
    """Shares of each against each: one colour for shares above one half, another below; deeper means further away."""
    numbers = range(1, len(labels) + 1)
    corner = element("th", caption, scope="col")
    head = [
        element("th", number, scope="col", class_="number", title=label)
        for number, label in zip(numbers, labels, strict=True)
    ]
    lines = [
        element(
            "tr",
            element("th", placed(number, label), scope="row"),
            *(_heat(cell) for cell in row),
        )
        for number, label, row in zip(numbers, labels, rows, strict=True)
    ]
    whole = element("table", element("thead", element("tr", corner, *head)), element("tbody", *lines), class_="matrix")
    return scrolling(whole, caption)


def placed(place: int, label: str) -> Html:
    """A label preceded by its place."""
    return element("span", element("span", place, class_="place"), element("span", spec(label)), class_="placed")


def _heat(cell: Cell | None) -> Html:
    if cell is None:
        return element("td", "·", class_="number nothing")
    kind = "above" if cell.share > 0.5 else "below"
    heat = f"--heat: {abs(2 * cell.share - 1) * 55:.0f}%"
    return element("td", cell.words, element("small", cell.note), class_=f"number {kind}", style=heat)
