"""The static files of the page. Their addresses change with their contents, so browsers can cache them forever."""

from __future__ import annotations

import hashlib
from pathlib import Path

from kibitz.display.palette import PAGE

PAINTS = "paints.css"  # written from the palette; all other files lie in the folder
STATIC = Path(__file__).with_name("static")
PLAIN = "/static/"  # in page.html; the modules import each other by relative paths
FOREVER = "public, max-age=31536000, immutable"


def stamp() -> str:
    """A word that changes when any of the files does."""
    files = sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in STATIC.iterdir())
    return hashlib.blake2s(repr((files, paints())).encode(), digest_size=6).hexdigest()


def paints() -> str:
    """The page's colours as a style sheet, from the palette that scenes are painted with, too."""
    lines = [f"  --{name}: light-dark({light}, {dark});" for name, (light, dark) in PAGE.items()]
    return "\n".join([":root {", *lines, "}", ""])


def page(name: str = "page.html") -> str:
    """A page, with the current addresses of its files."""
    return (STATIC / name).read_text(encoding="utf-8").replace(PLAIN, f"{PLAIN}{stamp()}/")


def asset(name: str) -> Path | None:
    """A file by its name; None: there is no such file."""
    return next((file for file in STATIC.iterdir() if file.name == name), None)


def cache_control(wanted: str) -> str:
    """How long browsers may keep a file that was requested with a stamp."""
    return FOREVER if wanted == stamp() else "no-cache"
