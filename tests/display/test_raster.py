"""Scenes as pixels."""

import sys

import numpy as np
import pytest

import kibitz
from kibitz.display.raster import to_pixels
from kibitz.display.scene import Piece, Scene, circle

RED_DISC = Scene(2, 1, (Piece("disc", 0.5, 0.5, (circle(0.4, fill="red"),)),), {"red": ("#ff0000", "#ff0000")})


def test_a_scene_is_drawn_in_its_colours():
    pixels = to_pixels(RED_DISC, width=40)
    assert pixels.shape == (20, 40, 3)
    assert pixels.dtype == np.uint8
    assert pixels[10, 10].tolist() == [255, 0, 0]
    assert pixels[10, 30].tolist() == [255, 255, 255]


@pytest.mark.parametrize("package", ["PIL.Image", "resvg_py"])
def test_a_missing_package_is_named_with_what_to_install(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(kibitz.KibitzError, match=r'install them with: pip install "kibitz\[rl\]"'):
        to_pixels(RED_DISC)
