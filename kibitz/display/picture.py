"""A scene to look at: in a notebook, or in a file."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from kibitz.display.html import Html, element
from kibitz.display.scene import Scene
from kibitz.display.svg import to_svg
from kibitz.errors import KibitzError


@dataclass(frozen=True, repr=False)
class Picture:
    """A scene, drawn `width` pixels wide. A notebook shows it; `save` writes it to a file.

    Examples:
        >>> import kibitz
        >>> picture = kibitz.Table("connect_four").picture()
        >>> picture.svg()[:4]
        '<svg'
        >>> picture.save("board.svg").name, picture.image()[:9]
        ('board.svg', '<img src=')
    """

    scene: Scene
    width: int
    words: str  # what it shows, for those who cannot see it
    ground: str = "paper"  # the paint of its background

    def svg(self, night: bool = False) -> str:
        """The picture as SVG, for light or dark surroundings."""
        return to_svg(self.scene, night=night, width=self.width, ground=self.ground)

    def save(self, path: str | Path, night: bool = False) -> Path:
        """Write the picture to an SVG file, which replaces an older one; return its path."""
        file = Path(path)
        if file.suffix != ".svg":
            raise KibitzError(f"A picture is saved as SVG, in a file such as {file.stem or 'picture'}.svg, not {file}.")
        try:
            file.write_text(self.svg(night), encoding="utf-8")
        except OSError as error:
            raise KibitzError(f"Cannot write {file}: {error.strerror or error}.") from error
        return file

    def image(self) -> Html:
        """The picture as an element of HTML; as an image, it cannot do anything to the page around it."""
        content = base64.b64encode(self.svg().encode("utf-8", "replace")).decode()
        return element("img", src=f"data:image/svg+xml;base64,{content}", alt=self.words, width=self.width)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Picture: {self.words}>"


def position_html(picture: Picture | None, text: str, words: str) -> Html:
    """A position in a notebook: its picture, or its text if the game draws none, above a line of words."""
    shown = element("pre", text) if picture is None else picture.image()
    return element("div", shown, element("p", words))
