"""Shapes that many games share."""

import math

import pytest

from kibitz.display.shapes import DEPTH, arc, dots, polar, star, stone


def test_directions_run_clockwise_from_the_right():
    assert polar(2, 0) == pytest.approx((2, 0))
    assert polar(2, 90) == pytest.approx((0, 2))
    assert polar(2, -90) == pytest.approx((0, -2))


def test_a_star_has_points_and_corners_between_them():
    corners = star(5, 2, 1)
    assert corners[0] == pytest.approx((0, -2))
    assert [round(math.hypot(x, y)) for x, y in corners] == [2, 1] * 5


def test_an_arc_of_more_than_half_a_circle_is_the_long_one():
    assert arc(1, 0, 90) == "M1,0A1,1 0 0 1 0,1"
    assert " 0 1 1 " in arc(1, 0, 270)


def test_dots_are_one_path():
    assert dots([(0, 0), (1, 1)], 0.5).count("M") == 2


def test_a_stone_is_painted_and_has_depth():
    paints = {paint for shape in stone(0.5, "seat-0") for paint in (shape.fill, shape.stroke)}
    assert paints == {"seat-0", "none", *DEPTH}
