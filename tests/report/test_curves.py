"""Curves: where points are drawn, and how they are described."""

import re

from kibitz.display.axis import Axis
from kibitz.report.curves import Point, curve


def test_points_are_joined_and_have_their_bounds():
    points = [Point(0, 0.5, 0.25, 0.75, "first"), Point(10, 1.0, 1.0, 1.0, "second & last", hollow=True)]
    html = curve(points, Axis(0, 10, (0, 10)), Axis(0, 1, (0, 1)), "Strength", reference=0.5, height=100)
    assert re.findall(r'<circle cx="([^"]+)" cy="([^"]+)"', html) == [("0.00%", "70.0"), ("100.00%", "20.0")]
    assert re.findall(r'y1="([^"]+)" y2="([^"]+)" class="(reach|joined|reference)"', html) == [
        ("70.0", "70.0", "reference"),
        ("70.0", "20.0", "joined"),
        ("95.0", "45.0", "reach"),  # the second has no bounds
    ]
    assert html.count("dot hollow") == 1
    assert "<desc>first; second &amp; last</desc>" in html


def test_a_point_can_be_moved_to_another_axis():
    assert Point(3, 0.5, 0.5, 0.5, "x", hollow=True).moved(7) == Point(7, 0.5, 0.5, 0.5, "x", hollow=True)
