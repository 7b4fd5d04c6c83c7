"""The symmetry of Connect Four: left and right."""

from __future__ import annotations

from typing import Any


def symmetries(game: Any) -> list[list[int]]:
    """What each move becomes in the mirror."""
    return [list(reversed(range(game.columns)))]
