"""Curves for pages: estimates with their bounds, joined by lines. Drawn like the charts in charts.py."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kibitz.display.axis import Axis
from kibitz.display.html import Html, element
from kibitz.report.charts import upright_chart


@dataclass(frozen=True)
class Point:
    """A point of a curve: an estimate between two bounds, which may be equal to it, and the same as text."""

    x: float
    at: float
    low: float
    high: float
    words: str
    hollow: bool = False  # drawn as a ring

    def moved(self, x: float) -> Point:
        """The same at another place of the horizontal axis."""
        return replace(self, x=x)


def curve(
    points: Sequence[Point], x: Axis, y: Axis, title: str, reference: float | None = None, height: int = 180
) -> Html:
    """Points joined by lines, each with a line from bound to bound; `reference` is a dashed horizontal line."""

    def up(value: float) -> str:
        return f"{20 + height * (1 - y.at(value) / 100):.1f}"

    marks = []
    for tick in y.ticks:
        marks.append(element("line", x1=0, x2="100%", y1=up(tick), y2=up(tick), class_="grid"))
        marks.append(element("text", y.words(tick), x=-8, y=float(up(tick)) + 4, text_anchor="end"))
    for tick in x.ticks:
        marks.append(element("text", x.words(tick), x=f"{x.at(tick):.2f}%", y=height + 37, text_anchor="middle"))
    if reference is not None:
        marks.append(element("line", x1=0, x2="100%", y1=up(reference), y2=up(reference), class_="reference"))
    for before, after in itertools.pairwise(points):
        ends = {"x1": f"{x.at(before.x):.2f}%", "x2": f"{x.at(after.x):.2f}%"}
        marks.append(element("line", **ends, y1=up(before.at), y2=up(after.at), class_="joined"))
    for point in points:
        at = f"{x.at(point.x):.2f}%"
        if point.high > point.low:
            marks.append(element("line", x1=at, x2=at, y1=up(point.low), y2=up(point.high), class_="reach"))
        words, kind = element("title", point.words), "dot hollow" if point.hollow else "dot"
        marks.append(element("circle", words, cx=at, cy=up(point.at), r=4.5, class_=kind))
    summary = "; ".join(point.words for point in points)
    return upright_chart(title, summary, marks, height)
