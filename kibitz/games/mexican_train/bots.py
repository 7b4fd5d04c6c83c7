"""Mexican Train's own bots."""

from __future__ import annotations

from typing import Any

from kibitz.games.mexican_train.best import Best
from kibitz.games.mexican_train.habits import Ai2, Keen, Shed

BOTS: dict[str, Any] = {"ai2": Ai2, "shed": Shed, "keen": Keen, "best": Best}
LEVELS = {
    "casual": ("ai2", "Plans the longest sequence of its hand, and lays it."),
    "strong": ("keen", "Weighs its sequence against what it would rather be rid of, and what you could lay."),
}
