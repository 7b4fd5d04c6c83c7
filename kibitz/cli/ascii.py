"""Output on terminals that cannot show every character: each is replaced by a similar one in ASCII."""

from __future__ import annotations

import codecs
import sys
import unicodedata

SIMILAR = {
    **dict.fromkeys("─╌╍┄┅┈┉╴╶╸╺╼╾▔–−", "-"),
    **dict.fromkeys("━═", "="),
    **dict.fromkeys("│┃║╎╏┆┇┊┋╵╷╹╻╽╿", "|"),
    **dict(zip("╱╲╳×·•→▸▲△▾●○★☆✿▒±°’", "/\\Xx..>>A^vOo@0*#~o'", strict=True)),
    "…": "...",
    "✓": "OK",
    "µ": "u",
    "∞": "inf",
}
BOX_DRAWING = range(0x2500, 0x2580)  # of these, corners and crossings are left


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(similar, error.object[error.start : error.end])), error.end


def similar(character: str) -> str:
    """What stands for a character in ASCII; "?" if nothing looks like it."""
    if found := SIMILAR.get(character):
        return found
    if ord(character) in BOX_DRAWING:
        return "+"
    parts = unicodedata.normalize("NFKD", character).replace("\N{FRACTION SLASH}", "/")
    return parts.encode("ascii", "ignore").decode() or "?"


codecs.register_error("similar", _replace)


def replace_what_cannot_be_encoded() -> None:
    """Print similar characters where the encoding of stdout or stderr lacks one, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not so if a program has replaced it
            stream.reconfigure(errors="similar")
