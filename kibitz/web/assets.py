"""The files of the page, at an address that changes with them: browsers keep them for good and see every change."""

from __future__ import annotations

import hashlib
from pathlib import Path

STATIC = Path(__file__).with_name("static")
PLAIN = "/static/"  # as the page names its files; modules name each other relative to themselves
FOR_GOOD = "public, max-age=31536000, immutable"


def stamp() -> str:
    """A word that differs whenever a file has changed."""
    files = sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in STATIC.iterdir())
    return hashlib.blake2s(repr(files).encode(), digest_size=6).hexdigest()


def page() -> str:
    """The page, with its files at today's address."""
    return (STATIC / "page.html").read_text(encoding="utf-8").replace(PLAIN, f"{PLAIN}{stamp()}/")


def asset(wanted: str, name: str) -> tuple[Path, str] | None:
    """A file that is asked for by a stamp, and how long it may be kept; None: there is none."""
    file = STATIC / name
    if file.parent != STATIC or not file.is_file():
        return None
    return file, FOR_GOOD if wanted == stamp() else "no-cache"
