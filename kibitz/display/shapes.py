"""Shapes that many games share, drawn with some depth: a shadow below, a gleam from the upper left.

Depth is drawn in translucent black and white over a paint, so it suits pieces of any colour in light and dark mode.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

from kibitz.display.scene import Shape, circle, path

DEPTH = {"shadow": ("#000000", "#000000"), "gleam": ("#ffffff", "#ffffff")}  # to be included in a palette


@functools.cache
def stone(radius: float, paint: str) -> tuple[Shape, ...]:
    """A round piece lying on the table."""
    return (
        circle(radius, y=radius * 0.1, fill="shadow", opacity=0.3),
        circle(radius, fill=paint),
        circle(radius * 0.93, stroke="shadow", line=radius * 0.14, opacity=0.18),
        path(arc(radius * 0.72, 190, 280), stroke="gleam", line=radius * 0.13, opacity=0.55),
    )


def arc(radius: float, start: float, end: float) -> str:
    """An arc as a path; angles in degrees, clockwise from the right."""
    (x1, y1), (x2, y2) = polar(radius, start), polar(radius, end)
    far = 1 if end - start > 180 else 0
    return f"M{x1:.3g},{y1:.3g}A{radius:.3g},{radius:.3g} 0 {far} 1 {x2:.3g},{y2:.3g}"


def polar(radius: float, degrees: float) -> tuple[float, float]:
    """The point on a circle at an angle, clockwise from the right."""
    angle = math.radians(degrees)
    return round(radius * math.cos(angle), 4) + 0.0, round(radius * math.sin(angle), 4) + 0.0  # never −0


def dots(centres: Iterable[tuple[float, float]], radius: float) -> str:
    """Small circles as a single path."""
    r = f"{radius:.3g}"
    half = f"a{r},{r} 0 1 1"
    return "".join(f"M{x - radius:.3g},{y:.3g}{half} {2 * radius:.3g},0{half} {-2 * radius:.3g},0Z" for x, y in centres)


def star(points: int, outer: float, inner: float, degrees: float = -90.0) -> list[tuple[float, float]]:
    """The corners of a star whose first point is at the given angle."""
    step = 180 / points
    return [polar(inner if i % 2 else outer, degrees + i * step) for i in range(2 * points)]
