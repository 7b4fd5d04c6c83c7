"""Scenes as SVG pictures, for documentation and for checking a Board: `to_svg(board.scene(game, state, NOBODY))`.

The picture is self-contained: no style sheet, no script, no web fonts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape

from kibitz.display.palette import PAGE, SEATS, Colours
from kibitz.display.scene import NO_PAINT, Piece, Scene, Shape
from kibitz.errors import KibitzError

FONT = "system-ui, sans-serif"
HALO = 0.012  # the width of the outline of marked pieces, relative to the width of the picture


def to_svg(scene: Scene, night: bool = False, width: int = 640, ground: str = "paper") -> str:
    """Render a scene as SVG, by default `width` pixels wide; `ground` is the paint of the background.

    Examples:
        >>> from kibitz.display.scene import Piece, Scene, circle
        >>> from kibitz.display.svg import to_svg
        >>> scene = Scene(2, 2, (Piece("disc", 1, 1, (circle(0.8, fill="seat-0"),)),))
        >>> "<circle" in to_svg(scene, width=100)
        True
    """
    height = round(width * scene.height / scene.width)
    paints = _Paints({**PAGE, **SEATS, **scene.palette}, night)
    halo = HALO * scene.width
    marks = [piece for piece in scene.pieces if piece.marked]
    content = [part for piece in scene.pieces for part in _piece(piece, piece.shapes, paints)]
    content += [part for piece in marks for part in _piece(piece, _halo(piece, halo), paints)]
    box = f"0 0 {_number(scene.width)} {_number(scene.height)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width}" height="{height}"'
            f' font-family="{FONT}">',
            f'<rect width="100%" height="100%" fill="{paints[ground]}"/>',
            *content,
            "</svg>\n",
        ]
    )


class _Paints:
    """The colours of one picture, in light or dark mode."""

    def __init__(self, colours: Colours, night: bool) -> None:
        self._colours = colours
        self._hour = 1 if night else 0

    def __getitem__(self, paint: str) -> str:
        if paint == NO_PAINT:
            return NO_PAINT
        if paint not in self._colours:
            raise KibitzError(f"There is no paint {paint!r}; add it to the scene's palette.")
        return self._colours[paint][self._hour]


def _piece(piece: Piece, shapes: Iterable[Shape], paints: _Paints) -> Iterator[str]:
    place = f"translate({_number(piece.x)} {_number(piece.y)})"
    turn = f" rotate({_number(piece.turn)})" if piece.turn else ""
    size = f" scale({_number(piece.size)})" if piece.size != 1 else ""
    opacity = f' opacity="{_number(piece.opacity)}"' if piece.opacity != 1 else ""
    yield f'<g transform="{place}{turn}{size}"{opacity}>'
    if piece.label:
        yield f"<title>{escape(piece.label)}</title>"
    for shape in shapes:
        yield _shape(shape, paints)
    yield "</g>"


def _halo(piece: Piece, width: float) -> Iterator[Shape]:
    """The outline of a piece: of its first opaque shape."""
    solid = (shape for shape in piece.shapes if shape.kind != "text" and shape.fill != NO_PAINT and shape.opacity == 1)
    for shape in itertools.islice(solid, 1):
        yield replace(shape, fill=NO_PAINT, stroke="accent", line=width / piece.size, dash=0.0)


def _shape(shape: Shape, paints: _Paints) -> str:
    style = f' fill="{paints[shape.fill]}"'
    if shape.stroke != NO_PAINT:
        style += f' stroke="{paints[shape.stroke]}" stroke-width="{_number(shape.line)}"'
        style += ' stroke-linecap="round" stroke-linejoin="round"'
    if shape.dash:
        style += f' stroke-dasharray="{_number(shape.dash)}"'
    if shape.opacity != 1:
        style += f' opacity="{_number(shape.opacity)}"'
    x, y = _number(shape.x), _number(shape.y)
    if shape.kind == "circle":
        return f'<circle cx="{x}" cy="{y}" r="{_number(shape.width / 2)}"{style}/>'
    if shape.kind == "rect":
        left, top = _number(shape.x - shape.width / 2), _number(shape.y - shape.height / 2)
        corner = f' rx="{_number(shape.corner)}"' if shape.corner else ""
        size = f' width="{_number(shape.width)}" height="{_number(shape.height)}"'
        return f'<rect x="{left}" y="{top}"{size}{corner}{style}/>'
    if shape.kind == "path":
        move = f' transform="translate({x} {y})"' if shape.x or shape.y else ""
        return f'<path d="{escape(shape.d)}"{move}{style}/>'
    if shape.kind == "text":
        weight = ' font-weight="bold"' if shape.bold else ""
        font = f' font-size="{_number(shape.width)}" text-anchor="{shape.anchor}"{weight}'
        return f'<text x="{x}" y="{y}" dy="0.35em"{font}{style}>{escape(shape.text)}</text>'
    raise KibitzError(f"A shape must be a circle, rect, path or text, not {shape.kind!r}.")


def _number(value: float) -> str:
    return f"{value:.4g}"
