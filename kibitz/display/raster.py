"""Scenes as pixels, for programs that want pictures as arrays."""

from __future__ import annotations

import io

import numpy as np

from kibitz.display.scene import Scene
from kibitz.display.svg import to_svg
from kibitz.errors import KibitzError


def to_pixels(scene: Scene, width: int = 640) -> np.ndarray:
    """Draw a scene as an array of bytes [row, column, red green blue]. Texts need fonts on the machine."""
    try:
        import PIL.Image
        import resvg_py
    except ImportError:
        raise KibitzError(
            'Pictures as pixels need resvg_py and Pillow; install them with: pip install "kibitz[rl]"'
        ) from None
    png = resvg_py.svg_to_bytes(svg_string=to_svg(scene, width=width))
    return np.array(PIL.Image.open(io.BytesIO(bytes(png))).convert("RGB"))
