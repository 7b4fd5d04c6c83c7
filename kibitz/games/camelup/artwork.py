"""The artwork of Camel Up: camels, dice, the pyramid, desert tiles, leg tiles and cards, each around its origin."""

from __future__ import annotations

import functools
import re

from kibitz.display.scene import Shape, circle, path, polygon, rect, text
from kibitz.display.shapes import DEPTH, polar

PALETTE = {
    **DEPTH,
    "camel-0": ("#4a8cf0", "#5b97f2"),
    "camel-1": ("#3fb35c", "#4fc06c"),
    "camel-2": ("#f5893b", "#f79650"),
    "camel-3": ("#f4cb3e", "#f6d254"),
    "camel-4": ("#f7f4ec", "#f2eee4"),
    "camel-5": ("#b685f0", "#be92f3"),
    "camel-6": ("#f58bb0", "#f79abc"),
    "camel-white": ("#ffffff", "#ffffff"),
    "camel-black": ("#3a3a3f", "#3f3f46"),
    "grey": ("#9b9b9b", "#a3a3a3"),
    "sun": ("#f7cf6b", "#d8d3c4"),
    "hide": ("#2a1d12", "#1c130b"),
    "sand": ("#edd6a2", "#5b4a2f"),
    "dune": ("#e0c17f", "#4a3b25"),
    "track": ("#c99f5c", "#3a2e1d"),
    "plate": ("#f7e8c4", "#7a643f"),
    "number": ("#7a5a26", "#e8d3a4"),
    "stone-light": ("#e6b865", "#b98a45"),
    "stone-dark": ("#c58f3f", "#8e662f"),
    "seam": ("#a8752c", "#6d4c20"),
    "card": ("#fdf8ea", "#efe5cc"),
    "letter": ("#2a1d12", "#2a1d12"),
    "palm": ("#2f8a4b", "#2f8a4b"),
    "water": ("#3d8fd1", "#3d8fd1"),
    "heat": ("#c8501e", "#c8501e"),
    "coin": ("#f0b93a", "#f0b93a"),
    "rim": ("#a8741a", "#a8741a"),
}
# A camel facing right, its feet at the origin, and a small one for cards.
BODY = (
    "M-.4,0V-.2L-.46,-.12L-.44,-.32Q-.42,-.46 -.26,-.46Q-.18,-.46 -.14,-.54Q-.02,-.72 .1,-.54Q.14,-.46 .2,-.46"
    "Q.28,-.47 .31,-.56Q.33,-.63 .38,-.65L.4,-.73L.45,-.67L.55,-.64Q.62,-.6 .6,-.53Q.57,-.48 .49,-.5Q.45,-.5 .43,-.42"
    "Q.38,-.3 .34,-.26L.34,0L.2,0L.2,-.16Q.19,-.2 .15,-.2L-.2,-.2Q-.25,-.2 -.26,-.16L-.26,0Z"
)
SMALL = (
    "M-.24,0V-.18Q-.24,-.27 -.15,-.27Q-.1,-.27 -.08,-.32Q0,-.43 .07,-.32Q.09,-.27 .13,-.27Q.17,-.28 .19,-.34"
    "Q.21,-.4 .27,-.4L.34,-.37L.34,-.3L.28,-.3Q.25,-.18 .2,-.15V0H.12V-.11H-.16V0Z"
)
SADDLE = "M-.2,-.44Q-.15,-.47 -.12,-.53L.08,-.53Q.12,-.47 .17,-.44L.14,-.24L-.18,-.24Z"


# What the camels are called, in the order of their paints.
COLOURS = "blue", "green", "orange", "yellow", "white", "violet", "pink"


def _mirrored(d: str) -> str:
    """A path facing the other way."""
    return re.sub(r"(-?[\d.]+),", lambda x: f"{-float(x[1]):g},", d)


@functools.cache
def camel(paint: str, sign: str, looks_left: bool) -> tuple[Shape, ...]:
    """A camel with the initial of its colour on the saddle."""
    body, saddle = (_mirrored(BODY), _mirrored(SADDLE)) if looks_left else (BODY, SADDLE)
    side = -1 if looks_left else 1
    is_black = paint == "camel-black"
    return (
        path(body, fill=paint, stroke="hide", line=0.035),
        path(saddle, fill="gleam", opacity=0.16 if is_black else 0.45),
        text(sign, 0.24, -0.02 * side, -0.355, fill="gleam" if is_black else "letter", bold=True),
        circle(0.022, 0.48 * side, -0.6, fill="gleam" if is_black else "letter"),
    )


@functools.cache
def die(paint: str) -> tuple[Shape, ...]:
    return (
        rect(0.36, 0.36, corner=0.07, fill=paint, stroke="hide", line=0.03),
        rect(0.26, 0.26, corner=0.05, stroke="gleam", line=0.02, opacity=0.5),
    )


@functools.cache
def numbered_die(paint: str, number: int) -> tuple[Shape, ...]:
    """A die that shows its number."""
    ink = "gleam" if paint == "camel-black" else "letter"
    return (*die(paint), text(str(number), 0.28, fill=ink, bold=True))


@functools.cache
def pyramid() -> tuple[Shape, ...]:
    """A pyramid seen from a corner, its base at the origin."""
    left, edge, right, top = (-1.3, 0.0), (0.25, 0.18), (1.3, -0.1), (0.05, -2.15)
    courses = ""
    for course in range(1, 5):
        t = course / 5
        a, b, c = (((x + (top[0] - x) * t), (y + (top[1] - y) * t)) for x, y in (left, edge, right))
        courses += f"M{a[0]:.3g},{a[1]:.3g}L{b[0]:.3g},{b[1]:.3g}L{c[0]:.3g},{c[1]:.3g}"
    return (
        polygon([left, edge, right, top], fill="stone-light", stroke="seam", line=0.05),
        polygon([edge, right, top], fill="stone-dark"),
        path(courses, stroke="seam", line=0.025, opacity=0.6),
        path("M.05,-2.15L.25,.18", stroke="seam", line=0.03),
    )


@functools.cache
def desert_tile(player: int, is_oasis: bool) -> tuple[Shape, ...]:
    """A desert tile with one side up: palms and water, or shimmering air."""
    edge = (
        rect(0.96, 0.96, corner=0.16, fill=f"seat-{player}", stroke="hide", line=0.03),
        rect(0.78, 0.78, corner=0.1, fill="card"),
    )
    if is_oasis:
        leaves = "".join(f"M0,-.06Q{x / 2:.3g},{y - 0.1:.3g} {x:.3g},{y:.3g}" for x, y in LEAVES)
        picture: tuple[Shape, ...] = (
            path("M-.3,.24Q0,.1 .3,.24Q0,.36 -.3,.24Z", fill="water"),
            path("M-.15,.22Q-.13,.1 -.16,-.02", stroke="seam", line=0.06),
            Shape("path", -0.16, 0.0, d=leaves, stroke="palm", line=0.06),
        )
    else:
        waves = "".join(f"M-.28,{y}q.07,-.08 .14,0t.14,0t.14,0t.14,0" for y in (0.06, 0.18, 0.3))
        picture = (
            path(waves, stroke="heat", line=0.05),
            circle(0.11, -0.17, -0.19, fill="coin", stroke="heat", line=0.03),
        )
    return (*edge, *picture, text("+1" if is_oasis else "−1", 0.28, 0.17, -0.22, fill="letter", bold=True))


LEAVES = [polar(0.19, degrees) for degrees in (-170, -125, -55, -10, 30)]


@functools.cache
def ticket(paint: str, sign: str, worth: int) -> tuple[Shape, ...]:
    """A leg tile: what it pays if its camel leads."""
    return (
        rect(0.84, 1.1, corner=0.1, fill=paint, stroke="hide", line=0.03),
        rect(0.66, 0.52, 0, -0.18, corner=0.08, fill="card"),
        text(str(worth), 0.46, 0, -0.17, fill="letter", bold=True),
        Shape("path", -0.04, 0.48, d=SMALL, fill=paint, stroke="hide", line=0.022),
        text(sign, 0.15, -0.04, 0.295, fill="letter", bold=True),
    )


@functools.cache
def covered_ticket(paint: str) -> tuple[Shape, ...]:
    """A leg tile beneath others."""
    return (rect(0.84, 1.1, corner=0.1, fill=paint, stroke="hide", line=0.03),)


@functools.cache
def no_ticket(paint: str) -> tuple[Shape, ...]:
    """The place of a camel's leg tiles."""
    return (
        rect(0.84, 1.1, corner=0.1, fill="shadow", opacity=0.1),
        rect(0.84, 1.1, corner=0.1, stroke=paint, line=0.04),
    )


@functools.cache
def race_card(paint: str, sign: str, player: int | None) -> tuple[Shape, ...]:
    """The face of a race card: a camel, in a frame of its owner's colour."""
    return (
        rect(0.86, 1.1, corner=0.1, fill="card", stroke="hide", line=0.03),
        rect(0.74, 0.98, corner=0.06, stroke="seam" if player is None else f"seat-{player}", line=0.07),
        Shape("path", -0.04, 0.06, d=SMALL, fill=paint, stroke="hide", line=0.025),
        text(sign, 0.34, 0, 0.27, fill="letter", bold=True),
    )


@functools.cache
def card_back(player: int | None) -> tuple[Shape, ...]:
    """The back of a race card, in its owner's colour if that is known."""
    return (
        rect(0.86, 1.1, corner=0.1, fill="grey" if player is None else f"seat-{player}", stroke="hide", line=0.03),
        rect(0.68, 0.92, corner=0.06, stroke="gleam", line=0.03, opacity=0.7),
        polygon([(0, -0.3), (0.24, 0.22), (-0.24, 0.22)], fill="gleam", opacity=0.6),
    )


@functools.cache
def covered_card(paint: str, player: int | None) -> tuple[Shape, ...]:
    """A race card of which only an edge is visible: its owner's colour around its camel's, if that is known."""
    frame = "grey" if player is None else f"seat-{player}"
    return (
        rect(0.86, 1.1, corner=0.1, fill=frame, stroke="hide", line=0.03),
        rect(0.66, 0.9, corner=0.05, fill=paint or frame),
    )


@functools.cache
def purse(coins: int) -> tuple[Shape, ...]:
    """A player's coins."""
    return (
        circle(0.36, fill="coin", stroke="rim", line=0.05),
        circle(0.29, stroke="rim", line=0.025, opacity=0.7),
        text(str(coins), 0.36 if -10 < coins < 100 else 0.28, fill="letter", bold=True),
    )
