"""Scenes as SVG pictures."""

import xml.etree.ElementTree as ET

import pytest

import kibitz
from kibitz.display.scene import Piece, Scene, Shape, circle, path, rect, text
from kibitz.display.svg import PAGE, SEATS, to_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*shapes, night=False, palette=None, **piece):
    """The elements of a picture of one piece."""
    scene = Scene(10, 5, (Piece("piece", 2, 3, shapes, **piece),), palette or {})
    return ET.fromstring(to_svg(scene, night))


def test_a_picture_has_the_shape_of_its_scene():
    root = drawn(circle(1, fill="ink"))
    assert (root.get("viewBox"), root.get("width"), root.get("height")) == ("0 0 10 5", "640", "320")


def test_shapes_are_drawn_around_their_piece():
    group = drawn(circle(1, fill="ink"), rect(2, 1, corner=0.1, fill="ink"), turn=90, size=2, opacity=0.5).find(
        f"{SVG}g"
    )
    assert group.get("transform") == "translate(2 3) rotate(90) scale(2)"
    assert group.get("opacity") == "0.5"
    assert group.find(f"{SVG}circle").get("r") == "1"
    box = group.find(f"{SVG}rect")
    assert [box.get(key) for key in ("x", "y", "width", "height", "rx")] == ["-1", "-0.5", "2", "1", "0.1"]


def test_paints_have_colours_for_light_and_dark_mode():
    palette = {"wood": ("#a86000", "#532000")}
    for night in (False, True):
        shapes = circle(1, fill="wood"), circle(1, fill="seat-1"), circle(1, fill="ink")
        colours = [found.get("fill") for found in drawn(*shapes, night=night, palette=palette).iter(f"{SVG}circle")]
        assert colours == [palette["wood"][night], SEATS["seat-1"][night], PAGE["ink"][night]]


def test_a_palette_can_set_the_colour_of_a_player():
    shape = drawn(circle(1, fill="seat-0"), palette={"seat-0": ("#123456", "#654321")}).find(f".//{SVG}circle")
    assert shape.get("fill") == "#123456"


def test_an_unknown_paint_is_refused():
    with pytest.raises(kibitz.KibitzError, match="no paint 'mauve'"):
        drawn(circle(1, fill="mauve"))


def test_an_unknown_kind_of_shape_is_refused():
    with pytest.raises(kibitz.KibitzError, match="not 'blob'"):
        drawn(Shape("blob"))


def test_strokes_can_be_dashed_and_transparent():
    shape = drawn(path("M0,0L1,1", stroke="ink", line=0.2, dash=0.1, opacity=0.5)).find(f".//{SVG}path")
    assert [shape.get(key) for key in ("fill", "stroke-width", "stroke-dasharray", "opacity")] == [
        "none",
        "0.2",
        "0.1",
        "0.5",
    ]


def test_a_path_can_be_drawn_elsewhere():
    shape = drawn(Shape("path", 1, 2, d="M0,0L1,1", fill="ink")).find(f".//{SVG}path")
    assert shape.get("transform") == "translate(1 2)"


def test_texts_and_labels_can_contain_any_character():
    root = drawn(text("a < b & c", 1, bold=True, anchor="start"), label="5 > 3")
    words = root.find(f".//{SVG}text")
    assert (words.text, words.get("font-weight"), words.get("text-anchor")) == ("a < b & c", "bold", "start")
    assert root.find(f".//{SVG}title").text == "5 > 3"


def test_a_marked_piece_has_an_outline():
    shapes = rect(1, 1, fill="ink"), text("1", 1)
    plain, marked = drawn(*shapes), drawn(*shapes, marked=True)
    assert not [found for found in plain.iter() if found.get("stroke")]
    assert [found.get("stroke") for found in marked.iter() if found.get("stroke")] == [PAGE["accent"][0]]
