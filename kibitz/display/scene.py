"""Scenes: a description of the table from which a page can draw any game without knowing its rules.

A scene is a sheet of some width and height with pieces on it, drawn in order. A piece is a few shapes around its own
origin, somewhere on the sheet. Pieces of the same name in two scenes are the same piece, which glides from one place to
the other. A player makes a move by clicking pieces: `Board.clicks` names them in order.

    disc = Piece("red-3", x=2.5, y=4.5, shapes=(circle(0.4, fill="seat-0"),), label="a red disc in column 3")
    scene = Scene(7, 7, (grid, disc))

A paint is the name of a colour: of a player (`seat-0` … `seat-7`), of the page (`paper`, `ink`, `faint`, `line`,
`accent`, `good`, `bad`), or of the game's own palette, which gives its values in light and dark mode. If the palette
contains a player's paint, that is the player's default colour.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kibitz.display.tasks import Task

NO_PAINT = "none"


@dataclass(frozen=True)
class Shape:
    """A part of a piece. Lengths are in units of the sheet, relative to the piece's origin; y grows downwards.

    Examples:
        >>> from kibitz.display.scene import circle
        >>> circle(0.4, fill="seat-0").kind
        'circle'
        >>> circle(0.4, fill="seat-0").document
        {'kind': 'circle', 'width': 0.8, 'height': 0.8, 'fill': 'seat-0'}
    """

    kind: str  # circle, rect, path or text
    x: float = 0.0  # the centre
    y: float = 0.0
    width: float = 0.0  # of a rect; a circle's diameter; the height of a text's letters
    height: float = 0.0
    corner: float = 0.0  # the radius of a rect's corners
    d: str = ""  # a path in SVG notation: lines, curves, polygons
    text: str = ""
    anchor: str = "middle"  # which point of a text is at x: start, middle or end
    bold: bool = False
    fill: str = NO_PAINT
    stroke: str = NO_PAINT
    line: float = 0.0  # the width of the stroke
    dash: float = 0.0  # the dash length of the stroke; 0: solid
    opacity: float = 1.0

    @functools.cached_property
    def document(self) -> dict[str, Any]:
        """The shape as a JSON-compatible dict; default values are omitted. It is kept: most shapes are drawn often."""
        return _unusual(self, SHAPE)


def circle(radius: float, x: float = 0.0, y: float = 0.0, **style: Any) -> Shape:
    """A circle of some radius around (x, y).

    Examples:
        >>> from kibitz.display.scene import circle
        >>> circle(0.4, x=1, fill="seat-0").width
        0.8
    """
    return Shape("circle", x, y, 2 * radius, 2 * radius, **style)


def rect(width: float, height: float, x: float = 0.0, y: float = 0.0, **style: Any) -> Shape:
    """A rectangle centred on (x, y).

    Examples:
        >>> from kibitz.display.scene import rect
        >>> rect(2, 1, fill="line", corner=0.1).height
        1
    """
    return Shape("rect", x, y, width, height, **style)


def path(d: str, **style: Any) -> Shape:
    """A path in SVG notation.

    Examples:
        >>> from kibitz.display.scene import path
        >>> path("M0,0L1,1", stroke="ink", line=0.1).d
        'M0,0L1,1'
    """
    return Shape("path", d=d, **style)


def polygon(points: Sequence[tuple[float, float]], **style: Any) -> Shape:
    """A closed polygon through some points.

    Examples:
        >>> from kibitz.display.scene import polygon
        >>> polygon([(0, 0), (1, 0), (0, 1)], fill="good").d
        'M0,0L1,0L0,1Z'
    """
    return path("M" + "L".join(f"{x:.4g},{y:.4g}" for x, y in points) + "Z", **style)


def line(x1: float, y1: float, x2: float, y2: float, width: float, **style: Any) -> Shape:
    """A straight line from one point to another.

    Examples:
        >>> from kibitz.display.scene import line
        >>> line(0, 0, 3, 4, 0.1, stroke="ink").d
        'M0,0L3,4'
    """
    return path(f"M{x1:.4g},{y1:.4g}L{x2:.4g},{y2:.4g}", line=width, **style)


def text(words: str, size: float, x: float = 0.0, y: float = 0.0, **style: Any) -> Shape:
    """Text at (x, y), aligned by `anchor`.

    Examples:
        >>> from kibitz.display.scene import text
        >>> text("Leg 2", 0.5).fill
        'ink'
    """
    return Shape("text", x, y, size, size, text=words, **{"fill": "ink", **style})


@dataclass(frozen=True)
class Piece:
    """An object on the table: a stone, a tile, a square of the board, a pile to draw from.

    Examples:
        >>> from kibitz.display.scene import Piece, circle
        >>> disc = Piece("red-3", x=2.5, y=4.5, shapes=(circle(0.4, fill="seat-0"),), label="a red disc")
        >>> disc.name, disc.document()["label"]
        ('red-3', 'a red disc')
    """

    name: str  # its identity across scenes
    x: float
    y: float
    shapes: tuple[Shape, ...]
    label: str = ""  # a description for tooltips and screen readers; clickable pieces should have one
    turn: float = 0.0  # degrees, clockwise
    size: float = 1.0  # scale factor of all shapes
    opacity: float = 1.0
    marked: bool = False  # as part of the last move
    appears: tuple[float, float] | None = None  # where a new piece glides in from; None: it fades in
    alike: str = ""  # for pieces named by place: if one vanishes and another with the same value appears, it has moved

    def document(self) -> dict[str, Any]:
        """The piece as a JSON-compatible dict, not to be changed; default values are omitted."""
        return self._document

    @functools.cached_property
    def _document(self) -> dict[str, Any]:
        """It is kept: most pieces stay where they are from one position to the next."""
        return {**_unusual(self, PIECE), "shapes": [shape.document for shape in self.shapes]}


@dataclass(frozen=True)
class Scene:
    """A sheet with pieces, drawn in order.

    Examples:
        >>> from kibitz.display.scene import Piece, Scene, circle
        >>> def with_disc(x):
        ...     return Scene(7, 6, (Piece("disc", x, 5.5, (circle(0.4, fill="seat-0"),), label="a disc"),))
        ...
        >>> moved = with_disc(2.5).since(with_disc(1.5))
        >>> moved.pieces[0].marked, moved.document()["pieces"][0]["x"]
        (True, 2.5)
    """

    width: float
    height: float
    pieces: tuple[Piece, ...]
    palette: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # paint → colour in light and dark mode

    def since(self, before: Scene) -> Scene:
        """The same scene, with labelled pieces marked that are new or have moved since an earlier scene.

        A scene that already has marked pieces is returned unchanged.
        """
        if any(piece.marked for piece in self.pieces):
            return self
        places = {piece.name: (piece.x, piece.y) for piece in before.pieces}
        moved = {p.name for p in self.pieces if p.label and places.get(p.name) != (p.x, p.y)}
        return replace(self, pieces=tuple(replace(p, marked=True) if p.name in moved else p for p in self.pieces))

    def document(self) -> dict[str, Any]:
        """The scene as a JSON-compatible dict; default values are omitted."""
        return {
            "width": self.width,
            "height": self.height,
            "palette": {name: list(colours) for name, colours in self.palette.items()},
            "pieces": [piece.document() for piece in self.pieces],
        }


@dataclass(frozen=True)
class Lesson:
    """A paragraph of a game's rules in plain language, with an optional picture, and a task to try it out.

    Examples:
        >>> from kibitz.display.scene import Lesson
        >>> Lesson("The goal", "Four in a row wins.").title
        'The goal'
    """

    title: str
    words: str
    scene: Scene | None = None
    task: Task | None = None


def _unusual(thing: Piece | Shape, defaults: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    values = vars(thing)
    return {name: values[name] for name, default in defaults if values[name] != default}


SHAPE = [(f.name, f.default) for f in dataclasses.fields(Shape)]
PIECE = [(f.name, f.default) for f in dataclasses.fields(Piece) if f.name != "shapes"]
