"""Which network ships with a game: a file beside its rules that `kibitz train --method zero` wrote.

The game names it in its extra `NETWORK` (kibitz/rules/shipped_files.py).
"""

from __future__ import annotations

from pathlib import Path

from kibitz.rules.contract import Game
from kibitz.rules.shipped_files import shipped_file


def shipped_network(game: Game) -> Path | None:
    """The file of the network that ships with a game, for this variant; None if there is none."""
    return shipped_file(game, "network")
