"""Whose code a log may run: that of a game's file which it names, if this user wrote the log, with the same file.

To replay or report a game from a file is to run the file. So a log carries a signature that only its author can make,
for the place of that file. A log from somebody else, or one that names a file in another place, has none that fits.
"""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Any

from kibitz.compiler.disk_cache import signature
from kibitz.rules.spec import parse_spec

ORIGIN = "origin"  # the key in the index of a log


def origin_of(game: str) -> str | None:
    """This user's signature for the file of a game, by its spec; None for a game that ships with kibitz."""
    file = parse_spec(game).file
    return None if file is None else signature(f"rules of {file[0].resolve()}")


def foreign_file(game: str, origin: Any = None) -> Path | None:
    """The file of a game that something of this origin names; None if it may be run without asking."""
    file = parse_spec(game).file
    if file is None:
        return None
    ours = origin_of(game)
    is_ours = ours is not None and isinstance(origin, str) and hmac.compare_digest(ours, origin)
    return None if is_ours else file[0]
