"""Which network ships with a game: a file beside its rules that `kibitz train --method zero` wrote.

The game names it in its extra `NETWORK`: as a text, `NETWORK = "network.npz"`, for the game with its default options;
or as a function of the game that returns the name of the file for each variant, None if there is none.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from kibitz.errors import RulesError
from kibitz.rules.contract import Game


def shipped_network(game: Game) -> Path | None:
    """The file of the network that ships with a game, for this variant; None if there is none."""
    named = game.extra("network")
    if callable(named):
        named = named()
    elif any(getattr(game, f.name) != f.default for f in dataclasses.fields(game)):  # type: ignore[arg-type]
        named = None
    if named is None:
        return None
    if not isinstance(named, str | Path):
        kind = type(named).__name__
        raise RulesError(f"{type(game).__name__}: network (or NETWORK) must be the name of a file, not {kind}.")
    rules = getattr(sys.modules.get(type(game).__module__), "__file__", None)  # a notebook has no file
    return (Path(rules).parent if rules else Path()) / named
