"""Files that ship with a game, beside its rules, and that the game names in an extra.

The extra is a text, `NETWORK = "network.npz"`, for the game with its default options; or a function of the game that
returns the name of the file for each variant, None if there is none.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from kibitz.errors import RulesError
from kibitz.rules.contract import Game
from kibitz.rules.extras import EXTRAS


def shipped_file(game: Game, extra: str) -> Path | None:
    """The file that a game names in an extra, for this variant; None if there is none."""
    named = game.extra(extra)
    if callable(named):
        named = named()
    elif any(getattr(game, f.name) != f.default for f in dataclasses.fields(game)):  # type: ignore[arg-type]
        named = None
    if named is None:
        return None
    if not isinstance(named, str | Path):
        kind, name = type(named).__name__, EXTRAS[extra].name
        raise RulesError(f"{type(game).__name__}: {extra} (or {name}) must be the name of a file, not {kind}.")
    rules = getattr(sys.modules.get(type(game).__module__), "__file__", None)  # a notebook has no file
    return (Path(rules).parent if rules else Path()) / named
